// Mathematical functions of complex numbers: glibc's on the host, own formulas on a device.
#pragma once

#include "npp/core/flags.hpp"
#include "npp/math/complex.hpp"
#include "npp/math/squares.hpp"

// clang-format off
#define NPP_COMPLEX_MATH(row) \
  row(exp) row(log) row(sqrt) row(sin) row(cos) row(tan) row(asin) row(acos) \
  row(atan) row(sinh) row(cosh) row(tanh) row(asinh) row(acosh) row(atanh)
// clang-format on

#if NPP_DEVICE

#include "npp/math/complex_inverse.hpp"

namespace npp::library {
#define NPP_COMPLEX_OF_ONE(name) using formulas::name;
NPP_COMPLEX_MATH(NPP_COMPLEX_OF_ONE)
using formulas::pow;
}  // namespace npp::library

#else

namespace npp::library {

// A struct of two numbers is passed like C's _Complex on every 64-bit Linux.
#define NPP_COMPLEX_OF_ONE(name)                             \
  complex128 name(complex128) __asm__("c" #name) NPP_SCALAR; \
  complex64 name(complex64) __asm__("c" #name "f") NPP_SCALAR;
NPP_COMPLEX_MATH(NPP_COMPLEX_OF_ONE)

complex128 pow(complex128, complex128) __asm__("cpow") NPP_SCALAR;
complex64 pow(complex64, complex64) __asm__("cpowf") NPP_SCALAR;

}  // namespace npp::library

#endif
#undef NPP_COMPLEX_OF_ONE

// Functions that C has only for real numbers.
namespace npp::library {

template <class T>
NPP_FUNCTION Complex<T> scaled(Complex<T> value, T factor) {
  return {value.real * factor, value.imag * factor};
}
template <class T>
NPP_FUNCTION Complex<T> log2(Complex<T> value) {
  return scaled(library::log(value), T(1.44269504088896340736));
}
template <class T>
NPP_FUNCTION Complex<T> log10(Complex<T> value) {
  return scaled(library::log(value), T(0.434294481903251827651));
}
// 2**x (cos(y log 2) + i sin(y log 2)), the angle in two parts of double.
template <class T>
NPP_FUNCTION Complex<T> exp2(Complex<T> value) {
  constexpr double kHigh = 0.693147180559945309417, kLow = 2.3190468138462996e-17;
  if (value.imag == 0 || !(builtin::fabs(value.imag) < T(1e6))) {
    return library::exp(scaled(value, T(kHigh)));
  }
  const double imag = static_cast<double>(value.imag), angle = imag * kHigh;
  const double rest = library::fma(imag, kHigh, -angle) + imag * kLow;
  const double cosine = library::cos(angle), sine = library::sin(angle);
  // 2**x may overflow where its product with a sine does not.
  const T half = library::exp2(value.real / 2);
  return {half * static_cast<T>(cosine - rest * sine) * half,
          half * static_cast<T>(sine + rest * cosine) * half};
}
template <class T>
NPP_FUNCTION Complex<T> expm1(Complex<T> value) {
  if (value.real > T(40)) return library::exp(value);
  const T sine = library::sin(value.imag / 2), cosine = library::cos(value.imag);
  return {library::expm1(value.real) * cosine - 2 * sine * sine,
          library::exp(value.real) * library::sin(value.imag)};
}
template <class T>
NPP_FUNCTION Complex<T> log1p(Complex<T> value) {
  if (value.imag == 0 && value.real > -1) return {library::log1p(value.real), value.imag};
  const Complex<T> sum{value.real + 1, value.imag};
  const T size = library::scalar_hypot(sum.real, sum.imag);
  if (!(size > T(0.5) && size < 2)) return library::log(sum);
  // |1 + z|**2 - 1.
  const T more = add_squares(2 * value.real, value.real, value.imag);
  return {library::log1p(more) / 2, library::atan2(sum.imag, sum.real)};
}

}  // namespace npp::library

namespace npp {

template <class T>
NPP_FUNCTION Complex<T> complex_sqrt(Complex<T> value) {
  return library::sqrt(value);
}

template <class T>
NPP_FUNCTION Complex<T> complex_whole_power(Complex<T> base, int exponent) {
  // Multiplying by 1 would turn an infinity's other part into NaN.
  if (exponent == 2) return base * base;
  if (exponent == 3) return base * (base * base);
  Complex<T> result{1, 0};
  for (int rest = exponent < 0 ? -exponent : exponent; rest != 0; rest >>= 1) {
    if ((rest & 1) != 0) result = result * base;
    if (rest > 1) base = base * base;
  }
  return exponent < 0 ? Complex<T>{1, 0} / result : result;
}

// As in NumPy: small integer exponents by multiplication, which is exact for exact inputs.
template <class T>
NPP_FUNCTION Complex<T> complex_power(Complex<T> base, Complex<T> exponent) {
  if (exponent.real == 0 && exponent.imag == 0) return {1, 0};
  if (base.real == 0 && base.imag == 0) {
    if (builtin::less(T(0), exponent.real)) return {0, 0};
    raise_invalid();
    return {Limits<T>::kNan, Limits<T>::kNan};
  }
  const bool is_small = builtin::less(builtin::fabs(exponent.real), T(100));
  if (exponent.imag == 0 && is_small && builtin::trunc(exponent.real) == exponent.real) {
    if (exponent.real == 1) return base;
    return complex_whole_power(base, static_cast<int>(exponent.real));
  }
  return library::pow(base, exponent);
}

}  // namespace npp
