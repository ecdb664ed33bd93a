// Inverse functions of complex_formulas.hpp. Each has a separate formula for numbers so large that
// 1 is negligible, including infinities.
#pragma once

#include "npp/math/complex_formulas.hpp"

namespace npp::formulas {

inline constexpr double kHalfPi = 1.57079632679489661923;

template <class T>
NPP_FUNCTION bool is_beyond(Complex<T> z, T limit) {
  return builtin::fabs(z.real) > limit || builtin::fabs(z.imag) > limit;
}

// log(2 |z|).
template <class T>
NPP_FUNCTION T log_of_double_size(Complex<T> z) {
  return library::log_of_size(z.real, z.imag) + T(0.693147180559945309417);
}

// The imaginary part of conj(a) b.
template <class T>
NPP_FUNCTION T cross(Complex<T> a, Complex<T> b) {
  return a.real * b.imag - a.imag * b.real;
}

template <class T>
NPP_FUNCTION Complex<T> asin(Complex<T> z) {
  if (z.real == 0) return {z.real, library::asinh(z.imag)};
  if (is_beyond(z, T(1e10))) {
    return {library::atan2(z.real, builtin::fabs(z.imag)),
            builtin::copysign(log_of_double_size(z), z.imag)};
  }
  const Complex<T> below = formulas::sqrt(Complex<T>{1 - z.real, -z.imag});
  const Complex<T> above = formulas::sqrt(Complex<T>{1 + z.real, z.imag});
  return {library::atan2(z.real, below.real * above.real - below.imag * above.imag),
          library::asinh(cross(below, above))};
}
template <class T>
NPP_FUNCTION Complex<T> acos(Complex<T> z) {
  if (z.real == 0) return {T(kHalfPi), -library::asinh(z.imag)};
  if (is_beyond(z, T(1e10))) {
    return {library::atan2(builtin::fabs(z.imag), z.real),
            builtin::copysign(log_of_double_size(z), -z.imag)};
  }
  const Complex<T> below = formulas::sqrt(Complex<T>{1 - z.real, -z.imag});
  const Complex<T> above = formulas::sqrt(Complex<T>{1 + z.real, z.imag});
  return {2 * library::atan2(below.real, above.real), library::asinh(cross(above, below))};
}
template <class T>
NPP_FUNCTION Complex<T> acosh(Complex<T> z) {
  if (is_beyond(z, T(1e10))) return {log_of_double_size(z), library::atan2(z.imag, z.real)};
  if (z.real == 0 && builtin::isnan(z.imag)) return {z.imag, T(kHalfPi)};
  const Complex<T> below = formulas::sqrt(Complex<T>{z.real - 1, z.imag});
  const Complex<T> above = formulas::sqrt(Complex<T>{z.real + 1, z.imag});
  return {library::asinh(below.real * above.real + below.imag * above.imag),
          2 * library::atan2(below.imag, above.real)};
}

// x / |z|**2 for large numbers.
template <class T>
NPP_FUNCTION T real_of_reciprocal(Complex<T> z) {
  const T half_size = library::hypot(z.real / 2, z.imag / 2);
  return z.real / half_size / half_size / 4;
}
template <class T>
NPP_FUNCTION Complex<T> atanh(Complex<T> z) {
  const T x = builtin::fabs(z.real), y = z.imag;
  if (is_beyond(z, T(1e17))) {
    const bool is_infinite = is_beyond(z, Limits<T>::kMax);
    return {is_infinite ? builtin::copysign(T(0), z.real) : real_of_reciprocal(z),
            builtin::isnan(y) ? y : builtin::copysign(T(kHalfPi), y)};
  }
  if (x == 0) return {z.real, library::atan(y)};
  const T gap = 1 - x;
  const T square = y * y;
  // Compared to 1, the square of y may be too small for the quotient.
  const bool is_at_one = gap == 0 && builtin::fabs(y) < T(1e-10);
  const T real = is_at_one ? (T(0.693147180559945309417) - library::log(builtin::fabs(y))) / 2
                           : library::log1p(4 * x / (gap * gap + square)) / 4;
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

}  // namespace npp::formulas
