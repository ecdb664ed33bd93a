// Comparisons and selections in loops that no compiler vectorizes: by the instructions for which a
// loop waits the shortest time, which compilers don't choose or replace by branches.
#pragma once

#include "npp/core/ops.hpp"

namespace npp {

// Of float32 and float64 numbers.
using builtin::scalar_less;
using builtin::scalar_less_equal;
template <class T>
NPP_FUNCTION bool scalar_equal(T a, T b) {
  return equal(a, b);
}
template <class T>
NPP_FUNCTION bool scalar_greater(T a, T b) {
  return scalar_less(b, a);
}
template <class T>
NPP_FUNCTION bool scalar_greater_equal(T a, T b) {
  return scalar_less_equal(b, a);
}

#if NPP_DEVICE || !defined(__AVX__)

// x where a condition holds, else y.
template <class T>
NPP_FUNCTION T scalar_choose(bool first, T x, T y) {
  return choose(first, x, y);
}

#define NPP_SCALAR_CHOICE(name, predicate, of_signed, of_unsigned) \
  template <class T, class U>                                      \
  NPP_FUNCTION U scalar_choose_##name(T a, T b, U x, U y) {        \
    if constexpr (kIsInteger<T>) {                                 \
      return choose(name(a, b), x, y);                             \
    } else {                                                       \
      return choose(scalar_##name(a, b), x, y);                    \
    }                                                              \
  }

#else

// Integers as registers hold them.
template <class T>
using Register =
    Conditional<(sizeof(T) < sizeof(int32)), Conditional<kIsSigned<T>, int32, uint32>, T>;

template <class T>
NPP_FUNCTION T scalar_choose(bool first, T x, T y) {
  if constexpr (kIsInteger<T>) {
    Register<T> chosen = y;
    __asm__("testb %1, %1\n\tcmovne %2, %0"
            : "+r"(chosen)
            : "q"(first), "r"(Register<T>(x))
            : "cc");
    return static_cast<T>(chosen);
  } else {
    return choose(first, x, y);
  }
}

// By a mask, with a predicate of the instruction that makes it.
template <int predicate, class T>
NPP_FUNCTION T choose_by_mask(T a, T b, T x, T y) {
  T mask;
  if constexpr (kIsSame<T, float>) {
    __asm__("vcmpss %5, %3, %2, %0\n\tvblendvps %0, %4, %1, %1"
            : "=&x"(mask), "+x"(y)
            : "x"(a), "x"(b), "x"(x), "i"(predicate));
  } else {
    __asm__("vcmpsd %5, %3, %2, %0\n\tvblendvpd %0, %4, %1, %1"
            : "=&x"(mask), "+x"(y)
            : "x"(a), "x"(b), "x"(x), "i"(predicate));
  }
  return y;
}

#define NPP_CONDITIONAL_MOVE(condition)                                   \
  __asm__("cmp %2, %1\n\tcmov" condition " %3, %0"                        \
          : "+&r"(chosen)                                                 \
          : "r"(Register<T>(a)), "r"(Register<T>(b)), "r"(Register<U>(x)) \
          : "cc")
#define NPP_SCALAR_CHOICE(name, predicate, of_signed, of_unsigned) \
  template <class T, class U>                                      \
  NPP_FUNCTION U scalar_choose_##name(T a, T b, U x, U y) {        \
    if constexpr (kIsOneOf<T, float, double> && kIsSame<T, U>) {   \
      return choose_by_mask<predicate>(a, b, x, y);                \
    } else if constexpr (kIsInteger<T> && kIsInteger<U>) {         \
      Register<U> chosen = y;                                      \
      if constexpr (kIsSigned<T>) {                                \
        NPP_CONDITIONAL_MOVE(of_signed);                           \
      } else {                                                     \
        NPP_CONDITIONAL_MOVE(of_unsigned);                         \
      }                                                            \
      return static_cast<U>(chosen);                               \
    } else if constexpr (kIsInteger<T>) {                          \
      return choose(name(a, b), x, y);                             \
    } else {                                                       \
      return scalar_choose(scalar_##name(a, b), x, y);             \
    }                                                              \
  }

#endif

// x where a is less than b, less than or equal to b, or equal to it; else y.
NPP_SCALAR_CHOICE(less, 17, "l", "b")
NPP_SCALAR_CHOICE(less_equal, 18, "le", "be")
NPP_SCALAR_CHOICE(equal, 0, "e", "e")
#undef NPP_SCALAR_CHOICE
#undef NPP_CONDITIONAL_MOVE

// a where it is less than b, else b; and a where it is greater. NPP_WITHOUT_NAN: by instructions
// that raise "invalid" for NaN.
#if NPP_WITHOUT_NAN && !NPP_DEVICE && defined(__AVX__)
#define NPP_SCALAR_EXTREMUM(name, instruction, ...)                               \
  template <class T>                                                              \
  NPP_FUNCTION T name(T a, T b) {                                                 \
    if constexpr (kIsOneOf<T, float, double>) {                                   \
      T result;                                                                   \
      if constexpr (kIsSame<T, float>) {                                          \
        __asm__("v" instruction "ss %2, %1, %0" : "=x"(result) : "x"(a), "x"(b)); \
      } else {                                                                    \
        __asm__("v" instruction "sd %2, %1, %0" : "=x"(result) : "x"(a), "x"(b)); \
      }                                                                           \
      return result;                                                              \
    } else {                                                                      \
      return scalar_choose_less(__VA_ARGS__, a, b);                               \
    }                                                                             \
  }
#else
#define NPP_SCALAR_EXTREMUM(name, instruction, ...) \
  template <class T>                                \
  NPP_FUNCTION T name(T a, T b) {                   \
    return scalar_choose_less(__VA_ARGS__, a, b);   \
  }
#endif
NPP_SCALAR_EXTREMUM(scalar_if_less, "min", a, b)
NPP_SCALAR_EXTREMUM(scalar_if_greater, "max", b, a)
#undef NPP_SCALAR_EXTREMUM

// Python's min and max.
template <class T>
NPP_FUNCTION T scalar_python_min(T a, T b) {
  return scalar_if_less(b, a);
}
template <class T>
NPP_FUNCTION T scalar_python_max(T a, T b) {
  return scalar_if_greater(b, a);
}

}  // namespace npp
