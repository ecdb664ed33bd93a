// Instructions on AArch64's vectors of 8 and 16 bytes that operators do not have, for float and
// double. Assembly: the names of builtins differ between compilers and their versions.
#pragma once

#include "npp/vector/native.hpp"

#if NPP_NEON

namespace npp::neon {

#define NPP_OF_ONE(shape) " %0." shape ", %1." shape
#define NPP_OF_TWO(shape) " %0." shape ", %1." shape ", %2." shape
#define NPP_BY_SHAPE(V, instruction, operands, ...)           \
  static_assert(sizeof(V) <= 16, "one register is expected"); \
  if constexpr (sizeof(V) == 8) {                             \
    asm(instruction operands("2s") : __VA_ARGS__);            \
  } else if constexpr (sizeof(V{}[0]) == 4) {                 \
    asm(instruction operands("4s") : __VA_ARGS__);            \
  } else {                                                    \
    asm(instruction operands("2d") : __VA_ARGS__);            \
  }

#define NPP_INSTRUCTION(name, instruction)                              \
  template <class V>                                                    \
  NPP_FUNCTION V name(V value) {                                        \
    V result;                                                           \
    NPP_BY_SHAPE(V, instruction, NPP_OF_ONE, "=w"(result) : "w"(value)) \
    return result;                                                      \
  }
NPP_INSTRUCTION(floor, "frintm")
NPP_INSTRUCTION(ceil, "frintp")
NPP_INSTRUCTION(trunc, "frintz")
NPP_INSTRUCTION(rint, "frinti")
NPP_INSTRUCTION(sqrt, "fsqrt")
#undef NPP_INSTRUCTION

// NaN where either is, without a flag unless one signals.
template <class V>
NPP_FUNCTION V smaller(V a, V b) {
  V result;
  NPP_BY_SHAPE(V, "fmin", NPP_OF_TWO, "=w"(result) : "w"(a), "w"(b))
  return result;
}

// a * b + c, rounded once.
template <class V>
NPP_FUNCTION V fma(V a, V b, V c) {
  NPP_BY_SHAPE(V, "fmla", NPP_OF_TWO, "+w"(c) : "w"(a), "w"(b))
  return c;
}

// Of numbers times 2**32: out of the range of 32 bits are those that raise the flag.
NPP_FUNCTION auto shifted_integers(double __attribute__((vector_size(16))) numbers) {
  long __attribute__((vector_size(16))) result;
  asm("fcvtzs %0.2d, %1.2d, #32" : "=w"(result) : "w"(numbers));
  return result;
}

#undef NPP_BY_SHAPE
#undef NPP_OF_TWO
#undef NPP_OF_ONE

}  // namespace npp::neon

#endif
