// CUDA's conversions to integers, such as __float2int_rn, and between bits and numbers, for the
// host. Values out of range become the nearest integer. NaN becomes 0 where float is converted to
// 32 bits, else the number with only the highest bit.
#pragma once

#include "npp/body/float_functions.hpp"

#if !NPP_DEVICE
namespace npp::conversion {

template <class To, class From>
NPP_FUNCTION To saturated(From whole) {
  constexpr int kBits = sizeof(To) * 8;
  constexpr From kEnd = kIsSigned<To> ? From(1ull << (kBits - 1)) : From(1ull << (kBits - 1)) * 2;
  if (builtin::isnan(whole)) {
    const bool is_zero = kIsSame<From, float> && sizeof(To) == 4;
    return is_zero ? To(0) : To(Unsigned<To>(1) << (kBits - 1));
  }
  if (whole >= kEnd) return Limits<To>::kMax;
  if (whole < (kIsSigned<To> ? -kEnd : From(0))) return Limits<To>::kMin;
  return static_cast<To>(whole);
}

}  // namespace npp::conversion

namespace npp::cmath {

#define NPP_TO_INTEGER(name, From, To, mode, round)                             \
  template <class A>                                                            \
  requires(kIsReal<A>) NPP_FUNCTION To name##_##mode(A value) {                 \
    return conversion::saturated<To>(builtin::round(static_cast<From>(value))); \
  }
#define NPP_TO_INTEGERS(mode, round)                                  \
  NPP_TO_INTEGER(__float2int, float, int, mode, round)                \
  NPP_TO_INTEGER(__float2uint, float, unsigned, mode, round)          \
  NPP_TO_INTEGER(__float2ll, float, long long, mode, round)           \
  NPP_TO_INTEGER(__float2ull, float, unsigned long long, mode, round) \
  NPP_TO_INTEGER(__double2int, double, int, mode, round)              \
  NPP_TO_INTEGER(__double2uint, double, unsigned, mode, round)        \
  NPP_TO_INTEGER(__double2ll, double, long long, mode, round)         \
  NPP_TO_INTEGER(__double2ull, double, unsigned long long, mode, round)
NPP_TO_INTEGERS(rn, rint)
NPP_TO_INTEGERS(rz, trunc)
NPP_TO_INTEGERS(ru, ceil)
NPP_TO_INTEGERS(rd, floor)
#undef NPP_TO_INTEGER
#undef NPP_TO_INTEGERS

#define NPP_REINTERPRETED(name, From, To)              \
  template <class A>                                   \
  requires(kIsReal<A>) NPP_FUNCTION To name(A value) { \
    return bit_cast<To>(static_cast<From>(value));     \
  }
NPP_REINTERPRETED(__int_as_float, int, float)
NPP_REINTERPRETED(__uint_as_float, unsigned, float)
NPP_REINTERPRETED(__float_as_int, float, int)
NPP_REINTERPRETED(__float_as_uint, float, unsigned)
NPP_REINTERPRETED(__longlong_as_double, long long, double)
NPP_REINTERPRETED(__double_as_longlong, double, long long)
#undef NPP_REINTERPRETED

template <class T>
requires(kIsReal<T>) NPP_FUNCTION int __double2hiint(T value) {
  return static_cast<int>(bit_cast<uint64>(static_cast<double>(value)) >> 32);
}
template <class T>
requires(kIsReal<T>) NPP_FUNCTION int __double2loint(T value) {
  return static_cast<int>(bit_cast<uint64>(static_cast<double>(value)));
}
template <class A, class B>
requires(kIsReal<A>&& kIsReal<B>) NPP_FUNCTION double __hiloint2double(A high, B low) {
  return bit_cast<double>(uint64(static_cast<uint32>(high)) << 32 | static_cast<uint32>(low));
}

}  // namespace npp::cmath
#endif
