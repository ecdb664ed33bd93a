// CUDA's atomic functions for the host, for threads of one process: each returns the previous
// value.
#pragma once

#include "npp/core/prelude.hpp"

#if !NPP_DEVICE
namespace npp::cmath {

// Replaces a value by a function of it and retries until no other thread interferes.
template <class T, class Change>
NPP_FUNCTION T replace_atomically(T* where, const Change& change) {
  auto* const word = reinterpret_cast<Unsigned<T>*>(where);
  Unsigned<T> found = __atomic_load_n(word, __ATOMIC_RELAXED);
  while (true) {
    const Unsigned<T> wanted = bit_cast<Unsigned<T>>(static_cast<T>(change(bit_cast<T>(found))));
    if (__atomic_compare_exchange_n(word, &found, wanted, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED)) {
      return bit_cast<T>(found);
    }
  }
}

#define NPP_ATOMIC(name, ...)                                                     \
  template <class T>                                                              \
  requires(kIsReal<T>) NPP_FUNCTION T name(T* where, WithoutConst<T> operand) {   \
    return replace_atomically(where, [operand](T value) { return __VA_ARGS__; }); \
  }
NPP_ATOMIC(atomicAdd, static_cast<T>(value + operand))
NPP_ATOMIC(atomicSub, static_cast<T>(value - operand))
NPP_ATOMIC(atomicExch, ((void)value, operand))
NPP_ATOMIC(atomicMin, operand < value ? operand : value)
NPP_ATOMIC(atomicMax, value < operand ? operand : value)
NPP_ATOMIC(atomicInc, value >= operand ? T(0) : static_cast<T>(value + 1))
NPP_ATOMIC(atomicDec, value == 0 || value > operand ? operand : static_cast<T>(value - 1))
NPP_ATOMIC(atomicAnd, static_cast<T>(value& operand))
NPP_ATOMIC(atomicOr, static_cast<T>(value | operand))
NPP_ATOMIC(atomicXor, static_cast<T>(value ^ operand))
#undef NPP_ATOMIC

template <class T>
requires(kIsReal<T>) NPP_FUNCTION T
    atomicCAS(T* where, WithoutConst<T> expected, WithoutConst<T> wanted) {
  return replace_atomically(where, [=](T value) { return value == expected ? wanted : value; });
}

}  // namespace npp::cmath
#endif
