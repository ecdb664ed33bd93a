// The gamma function of single numbers and its logarithm under C's names. Hosts have the gamma of
// this package, as the C library's is off by up to 5 ulp and takes twice the time.
#pragma once

#include "npp/math/math.hpp"
#if !NPP_DEVICE
#include "npp/vector_math/gamma.hpp"
#endif

namespace npp::library {

#if NPP_DEVICE
// Whether gamma(value) is a factorial that is a number, and that one.
template <class T>
NPP_FUNCTION bool is_after_factorial(T value) {
  return builtin::less_equal(T(1), value) && builtin::less_equal(value, T(23)) &&
         builtin::trunc(value) == value;
}
template <class T>
NPP_FUNCTION T factorial_before(T value) {
  double product = 1;
  for (int k = 2; k < static_cast<int>(value); ++k) product *= k;
  return static_cast<T>(product);
}

// CUDA's function is inexact for factorials.
template <class T>
NPP_FUNCTION T tgamma(T value) {
  return is_after_factorial(value) ? factorial_before(value) : ::tgamma(value);
}
#else
NPP_LONG_FUNCTION double tgamma(double value) { return vector_math::tgamma(value); }
NPP_FUNCTION float tgamma(float value) {
  return static_cast<float>(tgamma(static_cast<double>(value)));
}
#endif

// The logarithm of gamma's size for numbers from -24 to -2 that are no integers, by the recurrence
// up to a number from 1 to 2, which is exact; the product has two parts. Between its zeros there
// CUDA's function is off by up to 61 ulp, the C library's by 7.
NPP_LONG_FUNCTION double lgamma_between_zeros(double value) {
  double product = 1, rest = 0, risen = value;
  for (; risen < 1; risen += 1) {
    const double next = product * risen;
    rest = rest * risen + library::fma(product, risen, -next);
    product = next;
  }
  const double logarithm = library::log(builtin::fabs(product)),
               result = library::system_lgamma(risen) - logarithm - rest / product;
#if !NPP_DEVICE
  // Beside a zero the C library's function has more digits.
  if (builtin::fabs(result) < 0.0625) return library::system_lgamma(value);
#endif
  return result;
}
template <class T>
NPP_FUNCTION T lgamma(T value) {
  if (!(value > T(-24) && value < T(-2) && builtin::trunc(value) != value)) {
    return library::system_lgamma(value);
  }
  return static_cast<T>(lgamma_between_zeros(static_cast<double>(value)));
}

}  // namespace npp::library
