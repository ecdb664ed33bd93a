// CUDA's arithmetic and conversions in a given rounding mode, such as __fadd_rz, for the host. To
// nearest they are the operators; the other modes set the processor's.
#pragma once

#include "npp/body/float_functions.hpp"

#if !NPP_DEVICE
namespace npp::rounding {

#if defined(__x86_64__)
enum Mode : int { rn = 0, rd = 0x400, ru = 0x800, rz = 0xc00 };
#else
enum Mode : int { rn = 0, ru = 0x400000, rd = 0x800000, rz = 0xc00000 };
#endif
int set_mode(int) __asm__("fesetround");

// Computes with operands that compilers can neither fold nor move out of the mode.
template <int mode, class Result, class Function, class... Operands>
__attribute__((noinline)) Result apply(Function function, Operands... operands) {
  if constexpr (mode == rn) return function(operands...);
  set_mode(mode);
  volatile Result result = [function](const volatile Operands&... each) {
    return function(static_cast<Operands>(each)...);
  }(operands...);
  set_mode(rn);
  return result;
}

}  // namespace npp::rounding

namespace npp::cmath {

#define NPP_ROUNDED_ONE(name, Number, mode, ...)                                         \
  template <class A>                                                                     \
  requires(kIsReal<A>) NPP_FUNCTION Number name##_##mode(A first) {                      \
    return rounding::apply<rounding::mode, Number>([](Number a) { return __VA_ARGS__; }, \
                                                   static_cast<Number>(first));          \
  }
#define NPP_ROUNDED_TWO(name, Number, mode, ...)                                                   \
  template <class A, class B>                                                                      \
  requires(kIsReal<A> && kIsReal<B>) NPP_FUNCTION Number name##_##mode(A first, B second) {        \
    return rounding::apply<rounding::mode, Number>([](Number a, Number b) { return __VA_ARGS__; }, \
                                                   static_cast<Number>(first),                     \
                                                   static_cast<Number>(second));                   \
  }
#define NPP_ROUNDED_THREE(name, Number, mode, ...)                                            \
  template <class A, class B, class C>                                                        \
  requires(kIsReal<A> && kIsReal<B> && kIsReal<C>)                                            \
      NPP_FUNCTION Number name##_##mode(A first, B second, C third) {                         \
    return rounding::apply<rounding::mode, Number>(                                           \
        [](Number a, Number b, Number c) { return __VA_ARGS__; }, static_cast<Number>(first), \
        static_cast<Number>(second), static_cast<Number>(third));                             \
  }
#define NPP_ROUNDED_SET(letter, Number, mode)                   \
  NPP_ROUNDED_TWO(__##letter##add, Number, mode, a + b)         \
  NPP_ROUNDED_TWO(__##letter##sub, Number, mode, a - b)         \
  NPP_ROUNDED_TWO(__##letter##mul, Number, mode, a* b)          \
  NPP_ROUNDED_TWO(__##letter##div, Number, mode, a / b)         \
  NPP_ROUNDED_ONE(__##letter##rcp, Number, mode, Number(1) / a) \
  NPP_ROUNDED_ONE(__##letter##sqrt, Number, mode, builtin::sqrt(a))
#define NPP_ROUNDED_MODE(mode)                                  \
  NPP_ROUNDED_SET(f, float, mode)                               \
  NPP_ROUNDED_SET(d, double, mode)                              \
  NPP_ROUNDED_THREE(__fmaf, float, mode, library::fma(a, b, c)) \
  NPP_ROUNDED_THREE(__fma, double, mode, library::fma(a, b, c))
NPP_ROUNDED_MODE(rn)
NPP_ROUNDED_MODE(rz)
NPP_ROUNDED_MODE(ru)
NPP_ROUNDED_MODE(rd)
NPP_ROUNDED_ONE(__frsqrt, float, rn, static_cast<float>(1.0 / builtin::sqrt(double(a))))

// ---- integers and double to a floating-point type

#define NPP_CONVERTED(name, From, To, mode)                                               \
  template <class A>                                                                      \
  requires(kIsReal<A>) NPP_FUNCTION To name##_##mode(A value) {                           \
    return rounding::apply<rounding::mode, To>([](From a) { return static_cast<To>(a); }, \
                                               static_cast<From>(value));                 \
  }
#define NPP_CONVERTED_MODE(mode)                                \
  NPP_CONVERTED(__int2float, int, float, mode)                  \
  NPP_CONVERTED(__uint2float, unsigned, float, mode)            \
  NPP_CONVERTED(__ll2float, long long, float, mode)             \
  NPP_CONVERTED(__ull2float, unsigned long long, float, mode)   \
  NPP_CONVERTED(__ll2double, long long, double, mode)           \
  NPP_CONVERTED(__ull2double, unsigned long long, double, mode) \
  NPP_CONVERTED(__double2float, double, float, mode)
NPP_CONVERTED_MODE(rn)
NPP_CONVERTED_MODE(rz)
NPP_CONVERTED_MODE(ru)
NPP_CONVERTED_MODE(rd)
NPP_CONVERTED(__int2double, int, double, rn)
NPP_CONVERTED(__uint2double, unsigned, double, rn)
#undef NPP_ROUNDED_ONE
#undef NPP_ROUNDED_TWO
#undef NPP_ROUNDED_THREE
#undef NPP_ROUNDED_SET
#undef NPP_ROUNDED_MODE
#undef NPP_CONVERTED
#undef NPP_CONVERTED_MODE

}  // namespace npp::cmath
#endif
