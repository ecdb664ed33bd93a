// Functions of complex numbers from those of real ones, after W. Kahan's "Branch cuts for complex
// elementary functions": correct on both sides of each cut. For devices, whose library has none of
// them. Zeros, infinities and NaN follow annex G of the C standard.
#pragma once

#include "npp/math/complex.hpp"
#include "npp/math/squares.hpp"

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
    return {builtin::same_bits(size, Limits<T>::kInfinity) ? size : Limits<T>::kNan,
            Limits<T>::kNan};
  }
  // e**x may overflow where its product with a sine does not.
  const T half = builtin::same_bits(size, Limits<T>::kInfinity) && is_finite(z.real)
                     ? library::exp(z.real / 2)
                     : T(0);
  const T cos = library::cos(z.imag), sin = library::sin(z.imag);
  return half != 0 ? Complex<T>{half * cos * half, half * sin * half}
                   : Complex<T>{size * cos, size * sin};
}

template <class T>
NPP_FUNCTION Complex<T> log(Complex<T> z) {
  return {library::log_of_size(z.real, z.imag), library::atan2(z.imag, z.real)};
}

template <class T>
NPP_FUNCTION Complex<T> sqrt(Complex<T> z) {
  if (builtin::same_bits(builtin::fabs(z.imag), Limits<T>::kInfinity))
    return {Limits<T>::kInfinity, z.imag};
  if (z.real == 0 && z.imag == 0) return {0, z.imag};
  if (builtin::same_bits(z.real, Limits<T>::kInfinity))
    return {z.real, builtin::isnan(z.imag) ? z.imag : builtin::copysign(T(0), z.imag)};
  if (builtin::same_bits(z.real, -Limits<T>::kInfinity)) {
    return {builtin::isnan(z.imag) ? z.imag : T(0),
            builtin::copysign(Limits<T>::kInfinity, z.imag)};
  }
  // Scaled by a power of 4, so that nothing overflows or loses bits.
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

// cosh(x) and |sinh(x)| are exp(|x|) / 2 here, which may overflow where products with a sine do
// not.
template <class T>
NPP_FUNCTION bool is_far(T x) {
  return builtin::fabs(x) > T(40) && is_finite(x);
}
template <class T>
NPP_FUNCTION Complex<T> half_exp(T x, T real, T imag) {
  const T half = library::exp(builtin::fabs(x) / 2), quarter = half / 2;
  return {quarter * real * half, quarter * imag * half};
}
// x sin(y) or x cos(y) for a zero x, whose sign matters; the zero itself for a NaN factor.
template <class T>
NPP_FUNCTION T zero_times(T zero, T factor) {
  return builtin::isnan(factor) ? zero : zero * factor;
}
template <class T>
NPP_FUNCTION Complex<T> sinh(Complex<T> z) {
  if (z.imag == 0) return {library::sinh(z.real), z.imag};
  const T cos = library::cos(z.imag), sin = library::sin(z.imag);
  if (z.real == 0) return {zero_times(z.real, cos), sin};
  if (is_far(z.real)) return half_exp(z.real, builtin::copysign(T(1), z.real) * cos, sin);
  const bool is_open =
      builtin::isnan(sin) && builtin::same_bits(builtin::fabs(z.real), Limits<T>::kInfinity);
  return {is_open ? z.real : library::sinh(z.real) * cos, library::cosh(z.real) * sin};
}
template <class T>
NPP_FUNCTION Complex<T> cosh(Complex<T> z) {
  if (z.imag == 0) {
    const T zero = builtin::copysign(T(0), z.real) * builtin::copysign(T(1), z.imag);
    return {library::cosh(z.real), zero};
  }
  const T cos = library::cos(z.imag), sin = library::sin(z.imag);
  if (z.real == 0) return {cos, zero_times(z.real, sin)};
  if (is_far(z.real)) return half_exp(z.real, cos, builtin::copysign(T(1), z.real) * sin);
  const bool is_open =
      builtin::isnan(sin) && builtin::same_bits(builtin::fabs(z.real), Limits<T>::kInfinity);
  return {is_open ? builtin::fabs(z.real) : library::cosh(z.real) * cos,
          library::sinh(z.real) * sin};
}
template <class T>
NPP_FUNCTION Complex<T> tanh(Complex<T> z) {
  if (z.imag == 0) return {library::tanh(z.real), z.imag};
  if (builtin::fabs(z.real) > T(22)) {
    const T size = builtin::fabs(z.real), one = builtin::copysign(T(1), z.real);
    if (!is_finite(z.imag) && builtin::same_bits(size, Limits<T>::kInfinity)) return {one, 0};
    const T rest = library::sin(z.imag) * library::cos(z.imag);
    return {one, 4 * rest * library::exp(-size) * library::exp(-size)};
  }
  const T t = library::tan(z.imag), s = library::sinh(z.real);
  if (z.real == 0) return {z.real, t};
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

template <class T>
NPP_FUNCTION Complex<T> pow(Complex<T> base, Complex<T> exponent) {
  return formulas::exp(exponent * formulas::log(base));
}

}  // namespace npp::formulas
