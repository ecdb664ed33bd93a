// <limits> for NVRTC: std::numeric_limits of the types of operands.
#pragma once

#include "npp/body/names.hpp"

namespace std {

template <class T>
struct numeric_limits {
  static constexpr bool is_specialized = npp::kIsInteger<T>;
  static constexpr bool is_signed = npp::kIsSigned<T>;
  static constexpr bool is_integer = true, is_exact = true;
  static constexpr bool has_infinity = false, has_quiet_NaN = false;
  static constexpr int digits = int(sizeof(T)) * 8 - (is_signed ? 1 : 0);
  static constexpr int digits10 = digits * 643 / 2136;
  NPP_FUNCTION static constexpr T min() { return npp::Limits<T>::kMin; }
  NPP_FUNCTION static constexpr T lowest() { return npp::Limits<T>::kMin; }
  NPP_FUNCTION static constexpr T max() { return npp::Limits<T>::kMax; }
  NPP_FUNCTION static constexpr T epsilon() { return T(0); }
};

template <>
struct numeric_limits<bool> {
  static constexpr bool is_specialized = true, is_signed = false, is_integer = true;
  static constexpr bool is_exact = true, has_infinity = false, has_quiet_NaN = false;
  static constexpr int digits = 1, digits10 = 0;
  NPP_FUNCTION static constexpr bool min() { return false; }
  NPP_FUNCTION static constexpr bool lowest() { return false; }
  NPP_FUNCTION static constexpr bool max() { return true; }
};

#define NPP_NUMERIC_LIMITS(T, n_digits, n_digits10, smallest, subnormal, last_digit)   \
  template <>                                                                          \
  struct numeric_limits<T> {                                                           \
    static constexpr bool is_specialized = true, is_signed = true, is_integer = false; \
    static constexpr bool is_exact = false, has_infinity = true, has_quiet_NaN = true; \
    static constexpr int digits = n_digits, digits10 = n_digits10;                     \
    NPP_FUNCTION static constexpr T min() { return smallest; }                         \
    NPP_FUNCTION static constexpr T lowest() { return -npp::Limits<T>::kMax; }         \
    NPP_FUNCTION static constexpr T max() { return npp::Limits<T>::kMax; }             \
    NPP_FUNCTION static constexpr T epsilon() { return last_digit; }                   \
    NPP_FUNCTION static constexpr T infinity() { return npp::Limits<T>::kInfinity; }   \
    NPP_FUNCTION static constexpr T quiet_NaN() { return npp::Limits<T>::kNan; }       \
    NPP_FUNCTION static constexpr T denorm_min() { return subnormal; }                 \
  };
NPP_NUMERIC_LIMITS(float, 24, 6, 0x1p-126f, 0x1p-149f, 0x1p-23f)
NPP_NUMERIC_LIMITS(double, 53, 15, 0x1p-1022, 0x1p-1074, 0x1p-52)
#undef NPP_NUMERIC_LIMITS

}  // namespace std
