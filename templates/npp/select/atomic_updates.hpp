// Updates of the elements that index arrays select by atomic operations, for those whose result
// does not depend on their order.
#pragma once

#include "npp/cuda/atomic.hpp"
#include "npp/select/indexed.hpp"

namespace npp {

// Replaces an element of 1 or 2 bytes by the result of `change`, as a part of the word of 4 bytes
// that contains it, retrying until no other thread has changed the word.
template <class T, class Change>
NPP_FUNCTION void change_part(T& where, const Change& change) {
  static_assert(sizeof(T) < sizeof(uint32));
  const uint64 address = bit_cast<uint64>(&where);
  uint32& word = *bit_cast<uint32*>(address & ~uint64(3));
  const int shift = int(address & 3) * 8;
  const uint32 mask = ((1u << 8 * sizeof(T)) - 1) << shift;
  atomic_change(word, [=](uint32 found) {
    return (found & ~mask) | (uint32(change(T(found >> shift))) << shift & mask);
  });
}

// Modulo the number of values, for integers of any size.
template <class T>
NPP_FUNCTION T multiplied(T left, T right) {
  return T(uint64(left) * uint64(right));
}
template <class T>
NPP_FUNCTION void atomic_multiply(T& where, T value) {
  atomic_change(where, [=](T found) { return multiplied(found, value); });
}

// `combined` is the new value of an element that was `found`.
#define NPP_ATOMIC_UPDATE(Name, function, combined)               \
  struct Name {                                                   \
    template <class T>                                            \
    NPP_FUNCTION static void run(T& where, T value) {             \
      if constexpr (sizeof(T) < sizeof(uint32))                   \
        change_part(where, [=](T found) { return T(combined); }); \
      else                                                        \
        function(where, value);                                   \
    }                                                             \
  };
NPP_ATOMIC_UPDATE(AtomicAdd, atomic_add, found + value)
NPP_ATOMIC_UPDATE(AtomicSubtract, atomic_sub, found - value)
NPP_ATOMIC_UPDATE(AtomicMultiply, atomic_multiply, multiplied(found, value))
NPP_ATOMIC_UPDATE(AtomicMinimum, atomic_min, found < value ? found : value)
NPP_ATOMIC_UPDATE(AtomicMaximum, atomic_max, found > value ? found : value)
NPP_ATOMIC_UPDATE(AtomicAnd, atomic_and, found& value)
NPP_ATOMIC_UPDATE(AtomicOr, atomic_or, found | value)
NPP_ATOMIC_UPDATE(AtomicXor, atomic_xor, found ^ value)
#undef NPP_ATOMIC_UPDATE

template <class Update, class T, class Arguments>
NPP_FUNCTION void update_places(const Arguments& arguments) {
  for_each_place(arguments, [&](const auto& offsets, const IndexedPlace& place) {
    char* const array = address<char>(arguments.call.operands[Arguments::kArray]);
    Update::run(
        *reinterpret_cast<T*>(array + place.offset),
        *element_address<const T>(arguments.call, Arguments::kValues, offsets[Arguments::kValues]));
  });
}

}  // namespace npp
