// Functions that both compilers provide as instructions, under one name for float and double.
#pragma once

#include "npp/core/opaque.hpp"

namespace npp::builtin {

#if NPP_DEVICE
#define NPP_INSTRUCTION(name)    \
  template <class T>             \
  NPP_FUNCTION T name(T value) { \
    return ::name(value);        \
  }
#else
#define NPP_INSTRUCTION(name)            \
  template <class T>                     \
  NPP_FUNCTION T name(T value) {         \
    if constexpr (kIsSame<T, float>) {   \
      return __builtin_##name##f(value); \
    } else {                             \
      return __builtin_##name(value);    \
    }                                    \
  }
#endif
NPP_INSTRUCTION(fabs)
NPP_INSTRUCTION(floor)
NPP_INSTRUCTION(ceil)
NPP_INSTRUCTION(trunc)
NPP_INSTRUCTION(rint)
NPP_INSTRUCTION(sqrt)
#undef NPP_INSTRUCTION

// Evaluates both sides: a branch would prevent vectorization.
NPP_FUNCTION bool either(bool a, bool b) {
  return (static_cast<int>(a) | static_cast<int>(b)) != 0;
}
NPP_FUNCTION bool both(bool a, bool b) { return (static_cast<int>(a) & static_cast<int>(b)) != 0; }

// Test for infinities: with -fno-trapping-math g++ compiles `value == infinity` to an instruction
// that raises "invalid" for NaN.
template <class T>
NPP_FUNCTION bool same_bits(T value, T infinity) {
  return bit_cast<Unsigned<T>>(value) == bit_cast<Unsigned<T>>(infinity);
}

template <class T>
NPP_FUNCTION bool is_constant_infinity([[maybe_unused]] T value) {
#if NPP_DEVICE
  return false;
#else
  return __builtin_constant_p(value) && same_bits(builtin::fabs(value), Limits<T>::kInfinity);
#endif
}

template <class T>
NPP_FUNCTION bool equal(T a, T b) {
  return is_constant_infinity(a) || is_constant_infinity(b) ? same_bits(a, b) : a == b;
}

// Comparisons that raise no flag for NaN; devices have no flags. g++ and clang use instructions
// that raise "invalid", fold the builtins for quiet comparisons into them and see through selects,
// but not through masked bits: where either operand is NaN, two zeros are compared.
template <class T>
NPP_FUNCTION bool less(T a, T b) {
#if NPP_DEVICE
  return a < b;
#else
  using Bits = Unsigned<T>;
  const Bits kept = (Bits(0) - Bits(a == a)) & (Bits(0) - Bits(b == b));
  return bit_cast<T>(bit_cast<Bits>(a) & kept) < bit_cast<T>(bit_cast<Bits>(b) & kept);
#endif
}

template <class T>
NPP_FUNCTION bool less_equal(T a, T b) {
#if NPP_DEVICE
  return a <= b;
#else
  return either(less(a, b), equal(a, b));
#endif
}

// Likewise by one instruction, which compilers do not vectorize.
#if NPP_DEVICE || !defined(__GCC_ASM_FLAG_OUTPUTS__)
#define NPP_SCALAR_COMPARISON(name, x86_flags, arm_flags) \
  template <class T>                                      \
  NPP_FUNCTION bool scalar_##name(T a, T b) {             \
    return name(a, b);                                    \
  }
#elif defined(__aarch64__)
#define NPP_SCALAR_COMPARISON(name, x86_flags, arm_flags)                 \
  NPP_FUNCTION bool scalar_##name(float a, float b) {                     \
    bool result;                                                          \
    __asm__("fcmp %s1, %s2" : "=@cc" arm_flags(result) : "w"(a), "w"(b)); \
    return result;                                                        \
  }                                                                       \
  NPP_FUNCTION bool scalar_##name(double a, double b) {                   \
    bool result;                                                          \
    __asm__("fcmp %d1, %d2" : "=@cc" arm_flags(result) : "w"(a), "w"(b)); \
    return result;                                                        \
  }
#else
#ifdef __AVX__
#define NPP_UNORDERED_COMPARISON "vucomis"
#else
#define NPP_UNORDERED_COMPARISON "ucomis"
#endif
// The instruction compares b with a: above, or equal to it.
#define NPP_SCALAR_COMPARISON(name, x86_flags, arm_flags)                                     \
  NPP_FUNCTION bool scalar_##name(float a, float b) {                                         \
    bool result;                                                                              \
    __asm__(NPP_UNORDERED_COMPARISON "s %1, %2" : "=@cc" x86_flags(result) : "x"(a), "x"(b)); \
    return result;                                                                            \
  }                                                                                           \
  NPP_FUNCTION bool scalar_##name(double a, double b) {                                       \
    bool result;                                                                              \
    __asm__(NPP_UNORDERED_COMPARISON "d %1, %2" : "=@cc" x86_flags(result) : "x"(a), "x"(b)); \
    return result;                                                                            \
  }
#endif
NPP_SCALAR_COMPARISON(less, "a", "mi")
NPP_SCALAR_COMPARISON(less_equal, "ae", "ls")
#undef NPP_SCALAR_COMPARISON
#undef NPP_UNORDERED_COMPARISON

// By the bits on the host: a comparison would raise "invalid" for a signalling NaN.
template <class T>
NPP_FUNCTION bool isnan(T value) {
#if NPP_DEVICE
  return value != value;
#else
  return bit_cast<Unsigned<T>>(builtin::fabs(value)) > bit_cast<Unsigned<T>>(Limits<T>::kInfinity);
#endif
}

// The value, or zero: with a selection of constants compilers would fold the division by zero,
// which raises no flag.
template <class T>
NPP_FUNCTION T only_if(bool condition, T value) {
  using Bits = Unsigned<T>;
  return bit_cast<T>(Bits(bit_cast<Bits>(value) & mask_where<Bits>(condition)));
}

template <class T>
inline constexpr Unsigned<T> kSignMask = Unsigned<T>(Unsigned<T>(1) << (sizeof(T) * 8 - 1));

template <class T>
NPP_FUNCTION T copysign(T magnitude, T sign) {
  using Bits = Unsigned<T>;
  return bit_cast<T>(Bits((bit_cast<Bits>(magnitude) & Bits(~kSignMask<T>)) |
                          (bit_cast<Bits>(sign) & kSignMask<T>)));
}

template <class T>
NPP_FUNCTION bool signbit(T value) {
  return (bit_cast<Unsigned<T>>(value) & kSignMask<T>) != 0;
}

}  // namespace npp::builtin
