// The gamma function of single numbers under C's name. Hosts have that of this package, as the C
// library's is off by up to 5 ulp and takes twice the time.
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

}  // namespace npp::library
