// Mathematical functions of kernels, for float and double; 16-bit types go through float. On the
// host they are glibc's. With NPP_VECTOR_MATH each declaration announces a vector variant in
// libmvec, so that loops call it for eight or sixteen elements at a time; otherwise they remain
// scalar.
#pragma once

#include "npp/core/builtin.hpp"
#include "npp/vector/native.hpp"

// NPP_FUNCTIONS: the namespace of the functions that operations call.
#ifndef NPP_FUNCTIONS
#define NPP_FUNCTIONS library
#endif

// One row per function: row(name, vector variant for double, for float), the variant being the
// minor version of glibc 2 that introduced it, or 0 for none (or none accurate enough).
// clang-format off
#define NPP_MATH_OF_ONE(row) \
  row(exp, 22, 22)           \
  row(exp2, 35, 35)          \
  row(expm1, 35, 35)         \
  row(log, 22, 22)           \
  row(log2, 35, 35)          \
  row(log10, 35, 35)         \
  row(log1p, 35, 35)         \
  row(sin, 22, 22)           \
  row(cos, 22, 22)           \
  row(tan, 35, 35)           \
  row(asin, 35, 35)          \
  row(acos, 35, 35)          \
  row(atan, 35, 35)          \
  row(sinh, 35, 35)          \
  row(cosh, 35, 35)          \
  row(tanh, 35, 35)          \
  row(asinh, 35, 35)         \
  row(acosh, 35, 35)         \
  row(atanh, 35, 35)         \
  row(cbrt, 35, 35)          \
  row(erf, 35, 35)           \
  row(erfc, 35, 35)          \
  row(logb, 0, 0)
#define NPP_MATH_OF_TWO(row) \
  row(pow, 22, 22)           \
  row(atan2, 35, 35)         \
  row(hypot, 35, 35)         \
  row(fmod, 0, 0)            \
  row(remainder, 0, 0)
// clang-format on

// ---- declarations

#if !NPP_DEVICE
#define NPP_SCALAR __attribute__((const, nothrow, leaf))
#define NPP_VECTOR __attribute__((simd("notinbranch"), const, nothrow, leaf))
#define NPP_SINCE_0 NPP_SCALAR
#if defined(NPP_VECTOR_MATH) && !defined(__clang__) && NPP_LIBMVEC >= 22
#define NPP_SINCE_22 NPP_VECTOR
#else
#define NPP_SINCE_22 NPP_SCALAR
#endif
#if defined(NPP_VECTOR_MATH) && !defined(__clang__) && NPP_LIBMVEC >= 35
#define NPP_SINCE_35 NPP_VECTOR
#else
#define NPP_SINCE_35 NPP_SCALAR
#endif

#if defined(__clang__)
// clang finds vector variants (-fveclib) only under the library's own names.
#define NPP_DECLARE_ONE(name, since, since_float)                            \
  NPP_FUNCTION double name(double value) { return __builtin_##name(value); } \
  NPP_FUNCTION float name(float value) { return __builtin_##name##f(value); }
#define NPP_DECLARE_TWO(name, since, since_float)                                 \
  NPP_FUNCTION double name(double a, double b) { return __builtin_##name(a, b); } \
  NPP_FUNCTION float name(float a, float b) { return __builtin_##name##f(a, b); }
#else
// Overloads for the library's symbols: g++ would merge its sin and cos into one call without a
// vector variant, and fold others.
#define NPP_DECLARE_ONE(name, since, since_float)       \
  double name(double) __asm__(#name) NPP_SINCE_##since; \
  float name(float) __asm__(#name "f") NPP_SINCE_##since_float;
#define NPP_DECLARE_TWO(name, since, since_float)               \
  double name(double, double) __asm__(#name) NPP_SINCE_##since; \
  float name(float, float) __asm__(#name "f") NPP_SINCE_##since_float;
#endif
#else
#define NPP_DECLARE_ONE(name, since, since_float) \
  template <class T>                              \
  NPP_FUNCTION T name(T value) {                  \
    return ::name(value);                         \
  }
#define NPP_DECLARE_TWO(name, since, since_float) \
  template <class T>                              \
  NPP_FUNCTION T name(T a, T b) {                 \
    return ::name(a, b);                          \
  }
#endif

namespace npp::library {

NPP_MATH_OF_ONE(NPP_DECLARE_ONE)
NPP_MATH_OF_TWO(NPP_DECLARE_TWO)

#if NPP_DEVICE
// CUDA's powers and roots of integers are inexact: these are products and roots that are exact, or
// rounded once.
template <class T>
NPP_FUNCTION T exact_pow(T base, T exponent) {
  constexpr T kMost = kIsSame<T, float> ? T(127) : T(1023);
  const T size = builtin::fabs(exponent);
  if (exponent == T(0.5) && base > 0) return builtin::sqrt(base);
  if (!(size > 0 && size <= kMost && builtin::trunc(size) == size && builtin::trunc(base) == base))
    return ::pow(base, exponent);
  T power = 1, factor = base, residue = 0;
  for (int rest = static_cast<int>(size); residue == 0; rest >>= 1) {
    if ((rest & 1) != 0) {
      const T next = power * factor;
      residue = ::fma(power, factor, -next);
      power = next;
    }
    if (rest == 1 || residue != 0) break;
    const T square = factor * factor;
    residue = ::fma(factor, factor, -square);
    factor = square;
  }
  if (residue != 0) return ::pow(base, exponent);
  return exponent < 0 ? 1 / power : power;
}
template <>
NPP_FUNCTION double pow(double base, double exponent) {
  return exact_pow(base, exponent);
}
template <>
NPP_FUNCTION float pow(float base, float exponent) {
  return exact_pow(base, exponent);
}
#endif

// The powers that kernels call, this package's where it has variants for vectors.
#if NPP_OWN_POW
double loop_pow(double, double) __asm__("npp_pow") NPP_VECTOR;
#else
NPP_FUNCTION double loop_pow(double a, double b) { return library::pow(a, b); }
#endif
#if NPP_OWN_POWF
float loop_pow(float, float) __asm__("npp_powf") NPP_VECTOR;
#else
NPP_FUNCTION float loop_pow(float a, float b) { return library::pow(a, b); }
#endif

#if NPP_DEVICE
template <class T>
NPP_FUNCTION T system_lgamma(T value) {
  return ::lgamma(value);
}
// CUDA's function is inexact for powers of 2.
template <>
NPP_FUNCTION double log2(double value) {
  const uint64 bits = bit_cast<uint64>(value), exponent = bits >> 52;
  const bool is_power = (bits & 0xfffffffffffffu) == 0 && exponent - 1 < 0x7feu;
  return is_power ? static_cast<double>(static_cast<int>(exponent) - 1023) : ::log2(value);
}
template <>
NPP_FUNCTION float log10(float value) {
  const float logarithm = ::log10(value), nearest = builtin::rint(logarithm);
  if (!(logarithm != nearest && nearest > 0 && nearest <= 10)) return logarithm;
  float power = 1;
  for (int k = 0; k < static_cast<int>(nearest); ++k) power *= 10;
  return power == value ? nearest : logarithm;
}
// CUDA's hypot returns infinity for numbers near the largest one, and is inexact for integers.
template <class T>
NPP_FUNCTION T scaled_hypot(T a, T b, T large) {
  const T x = builtin::fabs(a), y = builtin::fabs(b);
  constexpr T kExact = kIsSame<T, float> ? T(0x1p11) : T(0x1p26);  // whose squares have a sum
  if (x < kExact && y < kExact && builtin::trunc(x) == x && builtin::trunc(y) == y) {
    return builtin::sqrt(x * x + y * y);
  }
  if (!(x > large || y > large)) return ::hypot(a, b);
  constexpr T kNothing = kIsSame<T, float> ? T(0x1p-13) : T(0x1p-27);
  if (y < x * kNothing) return x;
  if (x < y * kNothing) return y;
  return ::hypot(x * T(0.25), y * T(0.25)) * T(4);
}
template <>
NPP_FUNCTION double hypot(double a, double b) {
  return scaled_hypot(a, b, 0x1p1000);
}
template <>
NPP_FUNCTION float hypot(float a, float b) {
  return scaled_hypot(a, b, 0x1p100f);
}
template <class T>
NPP_FUNCTION T scalar_hypot(T a, T b) {
  return library::hypot(a, b);
}
template <class T>
NPP_FUNCTION T fma(T a, T b, T c) {
  return ::fma(a, b, c);
}
#else
// lgamma itself writes to a global variable.
double lgamma(double, int*) __asm__("lgamma_r") __attribute__((nothrow, leaf));
float lgamma(float, int*) __asm__("lgammaf_r") __attribute__((nothrow, leaf));
NPP_FUNCTION double system_lgamma(double value) {
  int sign;
  return lgamma(value, &sign);
}
NPP_FUNCTION float system_lgamma(float value) {
  int sign;
  return lgamma(value, &sign);
}

// For operations whose results must be identical in every mode.
double scalar_hypot(double, double) __asm__("hypot") NPP_SCALAR;
float scalar_hypot(float, float) __asm__("hypotf") NPP_SCALAR;

NPP_FUNCTION double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
NPP_FUNCTION float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
#endif

}  // namespace npp::library

#undef NPP_DECLARE_ONE
#undef NPP_DECLARE_TWO
