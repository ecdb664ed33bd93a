// Building blocks of the special functions: the library's scalar functions of double, which are
// more accurate than the vector ones, and polynomials.
#pragma once

#include "npp/math/gamma.hpp"

namespace npp::scalar {

#if NPP_DEVICE
#define NPP_SCALAR_OF_ONE(name) \
  NPP_FUNCTION double name(double value) { return ::name(value); }
#else
#define NPP_SCALAR_OF_ONE(name) double name(double) __asm__(#name) NPP_SCALAR;
#endif
NPP_SCALAR_OF_ONE(exp)
NPP_SCALAR_OF_ONE(expm1)
NPP_SCALAR_OF_ONE(log)
NPP_SCALAR_OF_ONE(log1p)
NPP_SCALAR_OF_ONE(sin)
NPP_SCALAR_OF_ONE(cos)
NPP_SCALAR_OF_ONE(tan)
NPP_SCALAR_OF_ONE(erf)
NPP_SCALAR_OF_ONE(erfc)
#undef NPP_SCALAR_OF_ONE
using library::lgamma;
using library::tgamma;

}  // namespace npp::scalar

namespace npp::special {

// c0 + c1 x + c2 x**2 + ...
NPP_FUNCTION constexpr double polynomial(double, double constant) { return constant; }
template <class... More>
NPP_FUNCTION constexpr double polynomial(double x, double constant, More... more) {
  return constant + x * polynomial(x, more...);
}

// Tested first: comparisons with NaN raise "invalid".
template <class... Numbers>
NPP_FUNCTION bool has_nan(Numbers... numbers) {
  return (builtin::isnan(numbers) || ...);
}

// The number without the lower half of its bits, so that its square is exact.
NPP_FUNCTION double upper_half(double x) {
  return bit_cast<double>(bit_cast<uint64>(x) & 0xfffffffff8000000u);
}

}  // namespace npp::special

// An operation for every floating-point type by the function of npp::special on double.
#define NPP_SPECIAL_OF_ONE(name)                                      \
  template <class T>                                                  \
  NPP_FUNCTION T name(T value) {                                      \
    return static_cast<T>(special::name(static_cast<double>(value))); \
  }
#define NPP_SPECIAL_OF_TWO(name)                                                          \
  template <class T>                                                                      \
  NPP_FUNCTION T name(T a, T b) {                                                         \
    return static_cast<T>(special::name(static_cast<double>(a), static_cast<double>(b))); \
  }

#define NPP_SPECIAL_OF_THREE(name)                                                              \
  template <class T>                                                                            \
  NPP_FUNCTION T name(T a, T b, T c) {                                                          \
    return static_cast<T>(                                                                      \
        special::name(static_cast<double>(a), static_cast<double>(b), static_cast<double>(c))); \
  }
#define NPP_SPECIAL_OF_FOUR(name)                                                         \
  template <class T>                                                                      \
  NPP_FUNCTION T name(T a, T b, T c, T d) {                                               \
    return static_cast<T>(special::name(static_cast<double>(a), static_cast<double>(b),   \
                                        static_cast<double>(c), static_cast<double>(d))); \
  }

// Likewise, with CUDA's float function on a device, where double is slow.
#if NPP_DEVICE
#define NPP_SPECIAL_IN_CUDA(name, float_name)                           \
  template <class T>                                                    \
  NPP_FUNCTION T name(T value) {                                        \
    if constexpr (kIsSame<T, float>) {                                  \
      return ::float_name(value);                                       \
    } else {                                                            \
      return static_cast<T>(special::name(static_cast<double>(value))); \
    }                                                                   \
  }
#else
#define NPP_SPECIAL_IN_CUDA(name, float_name) NPP_SPECIAL_OF_ONE(name)
#endif
