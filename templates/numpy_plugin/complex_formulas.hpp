// Functions of complex numbers from those of real ones, after W. Kahan's "Branch cuts for complex
// elementary functions": right on both sides of each cut, for a device, whose library has none of
// them.
#pragma once

#include "numpy_plugin/complex.hpp"
#include "numpy_plugin/math.hpp"

namespace npp::formulas {

template <class T>
NPP_FUNCTION bool is_finite(T value) {
  return value - value == 0;
}

// i z and -i z.
template <class T>
NPP_FUNCTION Complex<T> turn_left(Complex<T> z) {
  return {-z.imag, z.real};
}
template <class T>
NPP_FUNCTION Complex<T> turn_right(Complex<T> z) {
  return {z.imag, -z.real};
}

template <class T>
NPP_FUNCTION Complex<T> exp(Complex<T> z) {
  if (z.imag == 0) return {library::exp(z.real), z.imag};
  const T size = library::exp(z.real);
  if (!is_finite(z.imag)) {
    if (size == 0) return {0, 0};
    return {size == Limits<T>::kInfinity ? size : Limits<T>::kNan, Limits<T>::kNan};
  }
  // e**x may overflow where its product with a sine does not.
  const T half =
      size == Limits<T>::kInfinity && is_finite(z.real) ? library::exp(z.real / 2) : T(0);
  const T cos = library::cos(z.imag), sin = library::sin(z.imag);
  return half != 0 ? Complex<T>{half * cos * half, half * sin * half}
                   : Complex<T>{size * cos, size * sin};
}

template <class T>
NPP_FUNCTION Complex<T> log(Complex<T> z) {
  const T angle = library::atan2(z.imag, z.real);
  const T size = library::hypot(z.real, z.imag);
  if (!(size > T(0.5) && size < T(2))) return {library::log(size), angle};
  const T x = builtin::fabs(z.real), y = builtin::fabs(z.imag);
  const T large = x > y ? x : y, small = x > y ? y : x;
  return {library::log1p((large - 1) * (large + 1) + small * small) / 2, angle};
}

template <class T>
NPP_FUNCTION Complex<T> sqrt(Complex<T> z) {
  if (builtin::fabs(z.imag) == Limits<T>::kInfinity) return {Limits<T>::kInfinity, z.imag};
  if (z.real == 0 && z.imag == 0) return {0, z.imag};
  if (z.real == Limits<T>::kInfinity)
    return {z.real, builtin::isnan(z.imag) ? z.imag : builtin::copysign(T(0), z.imag)};
  if (z.real == -Limits<T>::kInfinity) {
    return {builtin::isnan(z.imag) ? z.imag : T(0),
            builtin::copysign(Limits<T>::kInfinity, z.imag)};
  }
  // Scaled by a power of 4, that nothing overflows or loses bits.
  constexpr bool kIsFloat = kIsSame<T, float>;
  const T size =
      builtin::fabs(z.real) > builtin::fabs(z.imag) ? builtin::fabs(z.real) : builtin::fabs(z.imag);
  const bool is_large = size > T(1), is_tiny = size < (kIsFloat ? T(0x1p-60f) : T(0x1p-900));
  const T scale = is_large ? T(0.25) : is_tiny ? (kIsFloat ? T(0x1p+80f) : T(0x1p+140)) : T(1);
  const T unscale = is_large ? T(2) : is_tiny ? (kIsFloat ? T(0x1p-40f) : T(0x1p-70)) : T(1);
  const T real = z.real * scale, imag = z.imag * scale;
  const T root = builtin::sqrt((library::hypot(real, imag) + builtin::fabs(real)) / 2);
  const T other = builtin::fabs(imag) / (2 * root);
  return {(z.real < 0 ? other : root) * unscale,
          builtin::copysign((z.real < 0 ? root : other) * unscale, z.imag)};
}

template <class T>
NPP_FUNCTION Complex<T> sinh(Complex<T> z) {
  if (z.imag == 0) return {library::sinh(z.real), z.imag};
  if (z.real == 0) return {z.real, library::sin(z.imag)};
  return {library::sinh(z.real) * library::cos(z.imag),
          library::cosh(z.real) * library::sin(z.imag)};
}
template <class T>
NPP_FUNCTION Complex<T> cosh(Complex<T> z) {
  const T zero = builtin::copysign(T(0), z.real) * builtin::copysign(T(1), z.imag);
  if (z.imag == 0) return {library::cosh(z.real), zero};
  if (z.real == 0) return {library::cos(z.imag), zero};
  return {library::cosh(z.real) * library::cos(z.imag),
          library::sinh(z.real) * library::sin(z.imag)};
}
template <class T>
NPP_FUNCTION Complex<T> tanh(Complex<T> z) {
  if (builtin::fabs(z.real) > T(22)) {
    const T rest = is_finite(z.imag) ? library::sin(2 * z.imag) : z.imag - z.imag;
    return {builtin::copysign(T(1), z.real), 2 * rest * library::exp(-2 * builtin::fabs(z.real))};
  }
  const T t = library::tan(z.imag), s = library::sinh(z.real);
  const T beta = 1 + t * t, rho = builtin::sqrt(1 + s * s);
  const T size = 1 + beta * s * s;
  return {beta * rho * s / size, t / size};
}
template <class T>
NPP_FUNCTION Complex<T> sin(Complex<T> z) {
  return turn_right(formulas::sinh(turn_left(z)));
}
template <class T>
NPP_FUNCTION Complex<T> cos(Complex<T> z) {
  return formulas::cosh(turn_left(z));
}
template <class T>
NPP_FUNCTION Complex<T> tan(Complex<T> z) {
  return turn_right(formulas::tanh(turn_left(z)));
}

// The imaginary part of conj(a) b.
template <class T>
NPP_FUNCTION T cross(Complex<T> a, Complex<T> b) {
  return a.real * b.imag - a.imag * b.real;
}

template <class T>
NPP_FUNCTION Complex<T> asin(Complex<T> z) {
  const Complex<T> below = formulas::sqrt(Complex<T>{1 - z.real, -z.imag});
  const Complex<T> above = formulas::sqrt(Complex<T>{1 + z.real, z.imag});
  return {library::atan2(z.real, below.real * above.real - below.imag * above.imag),
          library::asinh(cross(below, above))};
}
template <class T>
NPP_FUNCTION Complex<T> acos(Complex<T> z) {
  const Complex<T> below = formulas::sqrt(Complex<T>{1 - z.real, -z.imag});
  const Complex<T> above = formulas::sqrt(Complex<T>{1 + z.real, z.imag});
  return {2 * library::atan2(below.real, above.real), library::asinh(cross(above, below))};
}
template <class T>
NPP_FUNCTION Complex<T> acosh(Complex<T> z) {
  const Complex<T> below = formulas::sqrt(Complex<T>{z.real - 1, z.imag});
  const Complex<T> above = formulas::sqrt(Complex<T>{z.real + 1, z.imag});
  return {library::asinh(below.real * above.real + below.imag * above.imag),
          2 * library::atan2(below.imag, above.real)};
}
template <class T>
NPP_FUNCTION Complex<T> atanh(Complex<T> z) {
  const T x = builtin::fabs(z.real), y = z.imag;
  const T gap = 1 - x;
  const T square = y * y;
  const T real = library::log1p(4 * x / (gap * gap + square)) / 4;
  const T imag = library::atan2(2 * y, gap * (1 + x) - square) / 2;
  return {builtin::copysign(real, z.real), imag};
}
template <class T>
NPP_FUNCTION Complex<T> asinh(Complex<T> z) {
  return turn_right(formulas::asin(turn_left(z)));
}
template <class T>
NPP_FUNCTION Complex<T> atan(Complex<T> z) {
  return turn_right(formulas::atanh(turn_left(z)));
}

template <class T>
NPP_FUNCTION Complex<T> pow(Complex<T> base, Complex<T> exponent) {
  return formulas::exp(exponent * formulas::log(base));
}

}  // namespace npp::formulas
