// Atomic operations of device kernels: each returns the previous value. Operations without a CUDA
// instruction are implemented by compare and swap.
#pragma once

#include "npp/core/ops.hpp"

namespace npp {

// CUDA's type for one of npp's types: the same bits under another name.
template <class T>
struct AtomicType {
  using Type = T;
};
template <>
struct AtomicType<uint64> {
  using Type = unsigned long long;
};
template <>
struct AtomicType<int64> {
  using Type = long long;
};
template <class T>
using Atomic = typename AtomicType<T>::Type;

// An unsigned integer of the same size.
template <class T>
using AtomicWord = Conditional<sizeof(T) == 8, unsigned long long, unsigned int>;

template <class T>
NPP_FUNCTION AtomicWord<T>* atomic_word(T& where) {
  return reinterpret_cast<AtomicWord<T>*>(&where);
}
template <class T>
NPP_FUNCTION Atomic<T>* atomic_pointer(T& where) {
  return reinterpret_cast<Atomic<T>*>(&where);
}

// Replaces the value by the result of `change`, retrying until no other thread interfered.
template <class T, class Change>
NPP_FUNCTION T atomic_change(T& where, const Change& change) {
  using Word = AtomicWord<T>;
  Word found = *const_cast<volatile Word*>(atomic_word(where));
  while (true) {
    const Word expected = found;
    const Word wanted = bit_cast<Word>(change(bit_cast<T>(expected)));
    found = atomicCAS(atomic_word(where), expected, wanted);
    if (found == expected) return bit_cast<T>(expected);
  }
}

template <class T>
NPP_FUNCTION T atomic_add(T& where, T value) {
  if constexpr (kIsFloating<T>)
    return atomicAdd(&where, value);
  else
    return T(atomicAdd(atomic_word(where), AtomicWord<T>(value)));
}
template <class T>
NPP_FUNCTION T atomic_sub(T& where, T value) {
  return atomic_add(where, negative(value));
}

// With NumPy's order: NaN persists and propagates.
template <class T>
NPP_FUNCTION T atomic_max(T& where, T value) {
  if constexpr (kIsFloating<T>)
    return atomic_change(where, [value](T found) { return maximum(found, value); });
  else
    return T(atomicMax(atomic_pointer(where), Atomic<T>(value)));
}
template <class T>
NPP_FUNCTION T atomic_min(T& where, T value) {
  if constexpr (kIsFloating<T>)
    return atomic_change(where, [value](T found) { return minimum(found, value); });
  else
    return T(atomicMin(atomic_pointer(where), Atomic<T>(value)));
}

// NaN counts as a missing value: any number replaces it, and it replaces none.
template <class T>
NPP_FUNCTION T atomic_nanmax(T& where, T value) {
  if constexpr (kIsFloating<T>)
    return atomic_change(where, [value](T found) { return fmax(found, value); });
  else
    return atomic_max(where, value);
}
template <class T>
NPP_FUNCTION T atomic_nanmin(T& where, T value) {
  if constexpr (kIsFloating<T>)
    return atomic_change(where, [value](T found) { return fmin(found, value); });
  else
    return atomic_min(where, value);
}

// Numba's maximum and minimum: NaN is not stored, and nothing replaces it.
template <class T>
NPP_FUNCTION T atomic_larger(T& where, T value) {
  if constexpr (kIsFloating<T>)
    return atomic_change(where, [value](T found) { return value > found ? value : found; });
  else
    return atomic_max(where, value);
}
template <class T>
NPP_FUNCTION T atomic_smaller(T& where, T value) {
  if constexpr (kIsFloating<T>)
    return atomic_change(where, [value](T found) { return value < found ? value : found; });
  else
    return atomic_min(where, value);
}

template <class T>
NPP_FUNCTION T atomic_and(T& where, T value) {
  return T(atomicAnd(atomic_word(where), AtomicWord<T>(value)));
}
template <class T>
NPP_FUNCTION T atomic_or(T& where, T value) {
  return T(atomicOr(atomic_word(where), AtomicWord<T>(value)));
}
template <class T>
NPP_FUNCTION T atomic_xor(T& where, T value) {
  return T(atomicXor(atomic_word(where), AtomicWord<T>(value)));
}

template <class T>
NPP_FUNCTION T atomic_exch(T& where, T value) {
  return bit_cast<T>(atomicExch(atomic_word(where), bit_cast<AtomicWord<T>>(value)));
}
template <class T>
NPP_FUNCTION T atomic_cas(T& where, T expected, T value) {
  return bit_cast<T>(atomicCAS(atomic_word(where), bit_cast<AtomicWord<T>>(expected),
                               bit_cast<AtomicWord<T>>(value)));
}

// Counts up to a limit and wraps to 0; counts down to 0 and wraps to the limit.
template <class T>
NPP_FUNCTION T atomic_inc(T& where, T limit) {
  return atomic_change(where, [limit](T found) { return found >= limit ? T(0) : T(found + 1); });
}
template <class T>
NPP_FUNCTION T atomic_dec(T& where, T limit) {
  return atomic_change(
      where, [limit](T found) { return found == T(0) || found > limit ? limit : T(found - 1); });
}

}  // namespace npp
