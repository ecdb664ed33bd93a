// <cuda_fp16.h> and <cuda_bf16.h>: the types of float16 and bfloat16 operands under CUDA's names,
// and its scalar functions. Results are those of CUDA: rounded once.
#pragma once

#include "npp/body/names.hpp"

namespace npp::cmath {

using half = float16;
using __half = float16;
using __nv_bfloat16 = bfloat16;

// ---- conversions

#define NPP_HALF_FROM(name, From, To) \
  NPP_FUNCTION To name(From value) { return To(value); }
#define NPP_HALF_BITS(name, To)                                                               \
  NPP_FUNCTION To __short_as_##name(short bits) {                                             \
    return To::from_bits(static_cast<uint16>(bits));                                          \
  }                                                                                           \
  NPP_FUNCTION To __ushort_as_##name(unsigned short bits) { return To::from_bits(bits); }     \
  NPP_FUNCTION short __##name##_as_short(To value) { return static_cast<short>(value.bits); } \
  NPP_FUNCTION unsigned short __##name##_as_ushort(To value) { return value.bits; }
NPP_HALF_FROM(__float2half, float, float16)
NPP_HALF_FROM(__float2half_rn, float, float16)
NPP_HALF_FROM(__double2half, double, float16)
NPP_HALF_FROM(__int2half_rn, int, float16)
NPP_HALF_FROM(__uint2half_rn, unsigned, float16)
NPP_HALF_FROM(__float2bfloat16, float, bfloat16)
NPP_HALF_FROM(__float2bfloat16_rn, float, bfloat16)
NPP_HALF_FROM(__double2bfloat16, double, bfloat16)
NPP_HALF_FROM(__half2float, float16, float)
NPP_HALF_FROM(__bfloat162float, bfloat16, float)
NPP_HALF_BITS(half, float16)
NPP_HALF_BITS(bfloat16, bfloat16)
#undef NPP_HALF_FROM
#undef NPP_HALF_BITS

// ---- arithmetic, by the types of the arguments

template <class T>
concept Half = kIsHalf<T>;

#define NPP_HALF_ONE(name, ...)                \
  template <Half T>                            \
  NPP_FUNCTION T name(T value) {               \
    const float a = static_cast<float>(value); \
    return T(__VA_ARGS__);                     \
  }
#define NPP_HALF_TWO(name, Result, ...)                                        \
  template <Half T>                                                            \
  NPP_FUNCTION Result name(T first, WithoutConst<T> second) {                  \
    const float a = static_cast<float>(first), b = static_cast<float>(second); \
    return Result(__VA_ARGS__);                                                \
  }
NPP_HALF_TWO(__hadd, T, a + b)
NPP_HALF_TWO(__hsub, T, a - b)
NPP_HALF_TWO(__hmul, T, a* b)
NPP_HALF_TWO(__hdiv, T, a / b)
NPP_HALF_TWO(__hmin, T, cmath::fmin(a, b))
NPP_HALF_TWO(__hmax, T, cmath::fmax(a, b))
NPP_HALF_TWO(__heq, bool, a == b)
NPP_HALF_TWO(__hne, bool, a<b || a> b)
NPP_HALF_TWO(__hlt, bool, a < b)
NPP_HALF_TWO(__hle, bool, a <= b)
NPP_HALF_TWO(__hgt, bool, a > b)
NPP_HALF_TWO(__hge, bool, a >= b)
NPP_HALF_ONE(__hneg, -a)
NPP_HALF_ONE(__habs, builtin::fabs(a))
NPP_HALF_ONE(hsqrt, builtin::sqrt(a))
NPP_HALF_ONE(hrsqrt, cmath::rsqrt(double(a)))
NPP_HALF_ONE(hrcp, 1.0f / a)
NPP_HALF_ONE(hexp, library::exp(double(a)))
NPP_HALF_ONE(hexp2, library::exp2(double(a)))
NPP_HALF_ONE(hexp10, cmath::exp10(double(a)))
NPP_HALF_ONE(hlog, library::log(double(a)))
NPP_HALF_ONE(hlog2, library::log2(double(a)))
NPP_HALF_ONE(hlog10, library::log10(double(a)))
NPP_HALF_ONE(hsin, library::sin(double(a)))
NPP_HALF_ONE(hcos, library::cos(double(a)))
NPP_HALF_ONE(hfloor, builtin::floor(a))
NPP_HALF_ONE(hceil, builtin::ceil(a))
NPP_HALF_ONE(htrunc, builtin::trunc(a))
NPP_HALF_ONE(hrint, builtin::rint(a))
#undef NPP_HALF_ONE
#undef NPP_HALF_TWO

// a + b, rounded to odd, so that rounding it again is rounding the exact sum.
NPP_FUNCTION double sum_to_odd(double a, double b) {
  const double sum = a + b, part = sum - a, rest = (a - (sum - part)) + (b - part);
  const uint64 bits = bit_cast<uint64>(sum);
  if (rest == 0 || (bits & 1) != 0 || !npp::isfinite(sum)) return sum;
  return bit_cast<double>((rest > 0) == (sum > 0) ? bits + 1 : bits - 1);
}
// The product of two such numbers is exact in double.
template <Half T>
NPP_FUNCTION T __hfma(T a, WithoutConst<T> b, WithoutConst<T> c) {
  return T(sum_to_odd(double(float(a)) * double(float(b)), double(float(c))));
}
template <Half T>
NPP_FUNCTION bool __hisnan(T value) {
  return npp::isnan(value);
}
// 1, -1, or 0 for finite numbers.
template <Half T>
NPP_FUNCTION int __hisinf(T value) {
  return npp::isinf(value) ? (npp::signbit(value) ? -1 : 1) : 0;
}

}  // namespace npp::cmath
