// Complex numbers: NumPy's formulas (Smith's division, without the recovery of infinities of C's
// _Complex), and operators for C++ bodies.
#pragma once

#include "npp/core/builtin.hpp"

namespace npp {

// -value if `flips`, by the sign bit alone.
template <class T>
NPP_FUNCTION T flip_sign(T value, bool flips) {
  using Bits = Unsigned<T>;
  return bit_cast<T>(bit_cast<Bits>(value) ^ (flips ? builtin::kSignMask<T> : Bits(0)));
}

// Differences are written as sums of a negated number: where one part of a result is a sum and the
// other a difference of products, g++ 12 fuses both although contraction is off.
template <class T>
NPP_FUNCTION Complex<T> complex_multiply(Complex<T> a, Complex<T> b) {
  return {a.real * b.real + a.imag * flip_sign(b.imag, true), a.real * b.imag + a.imag * b.real};
}

// The two cases of Smith's method are one formula with real and imag exchanged: selects instead of
// branches.
template <class T>
NPP_FUNCTION Complex<T> complex_divide(Complex<T> a, Complex<T> b) {
  const T real_size = builtin::fabs(b.real), imag_size = builtin::fabs(b.imag);
  const bool real_leads = imag_size <= real_size;
  const T leading = real_leads ? b.real : b.imag, other = real_leads ? b.imag : b.real;
  const T first = real_leads ? a.real : a.imag, second = real_leads ? a.imag : a.real;
  const T ratio = other / leading;
  const T scale = T(1) / (leading + other * ratio);
  const T real = first + second * ratio;
  const T imag = flip_sign(second, !real_leads) + first * flip_sign(ratio, real_leads);
  const bool is_zero = real_size == 0 && imag_size == 0;
  return {is_zero ? a.real / real_size : real * scale, is_zero ? a.imag / real_size : imag * scale};
}

template <class T>
NPP_FUNCTION Complex<T> complex_reciprocal(Complex<T> value) {
  const bool real_leads = builtin::fabs(value.imag) <= builtin::fabs(value.real);
  const T leading = real_leads ? value.real : value.imag;
  const T other = real_leads ? value.imag : value.real;
  const T ratio = other / leading;
  const T size = leading + other * ratio;
  return {(real_leads ? T(1) : ratio) / size, (real_leads ? -ratio : T(-1)) / size};
}

// `size` is the absolute value, computed by a library function.
template <class T>
NPP_FUNCTION Complex<T> complex_sign(Complex<T> value, T size) {
  if (size == 0) return {0, 0};
  if (!builtin::same_bits(builtin::fabs(size), Limits<T>::kInfinity))
    return {value.real / size, value.imag / size};
  const bool real_is_infinite = builtin::same_bits(builtin::fabs(value.real), Limits<T>::kInfinity);
  const bool imag_is_infinite = builtin::same_bits(builtin::fabs(value.imag), Limits<T>::kInfinity);
  if (!imag_is_infinite) return {builtin::copysign(T(1), value.real), 0};
  if (!real_is_infinite) return {0, builtin::copysign(T(1), value.imag)};
  return {Limits<T>::kNan, Limits<T>::kNan};
}

// ---- operators, for C++ bodies

template <class T>
NPP_FUNCTION Complex<T> operator+(Complex<T> a, Complex<T> b) {
  return {a.real + b.real, a.imag + b.imag};
}
template <class T>
NPP_FUNCTION Complex<T> operator-(Complex<T> a, Complex<T> b) {
  return {a.real - b.real, a.imag - b.imag};
}
template <class T>
NPP_FUNCTION Complex<T> operator*(Complex<T> a, Complex<T> b) {
  return complex_multiply(a, b);
}
template <class T>
NPP_FUNCTION Complex<T> operator/(Complex<T> a, Complex<T> b) {
  return complex_divide(a, b);
}
template <class T>
NPP_FUNCTION Complex<T> operator-(Complex<T> a) {
  return {-a.real, -a.imag};
}
template <class T>
NPP_FUNCTION bool operator==(Complex<T> a, Complex<T> b) {
  return a.real == b.real && a.imag == b.imag;
}

// With a real number on one side: the complex number's type is kept.
#define NPP_MIXED_OPERATOR(symbol)                                                              \
  template <class T, class Number>                                                              \
  requires(kIsReal<Number>) NPP_FUNCTION Complex<T>                                             \
  operator symbol(Complex<T> a, Number b) { return a symbol Complex<T>{static_cast<T>(b), 0}; } \
  template <class T, class Number>                                                              \
  requires(kIsReal<Number>) NPP_FUNCTION Complex<T>                                             \
  operator symbol(Number a, Complex<T> b) { return Complex<T>{static_cast<T>(a), 0} symbol b; } \
  template <class T, class Number>                                                              \
  NPP_FUNCTION Complex<T>& operator symbol##=(Complex<T>& a, Number b) {                        \
    return a = a symbol b;                                                                      \
  }
NPP_MIXED_OPERATOR(+)
NPP_MIXED_OPERATOR(-)
NPP_MIXED_OPERATOR(*)
NPP_MIXED_OPERATOR(/)
#undef NPP_MIXED_OPERATOR

}  // namespace npp
