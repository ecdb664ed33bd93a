// Updates of the elements that index arrays select by atomic operations, for those whose result
// does not depend on their order.
#pragma once

#include "npp/cuda/atomic.hpp"
#include "npp/select/indexed.hpp"

namespace npp {

#define NPP_ATOMIC_UPDATE(Name, function)             \
  struct Name {                                       \
    template <class T>                                \
    NPP_FUNCTION static void run(T& where, T value) { \
      function(where, value);                         \
    }                                                 \
  };
NPP_ATOMIC_UPDATE(AtomicAdd, atomic_add)
NPP_ATOMIC_UPDATE(AtomicSubtract, atomic_sub)
NPP_ATOMIC_UPDATE(AtomicMinimum, atomic_min)
NPP_ATOMIC_UPDATE(AtomicMaximum, atomic_max)
NPP_ATOMIC_UPDATE(AtomicAnd, atomic_and)
NPP_ATOMIC_UPDATE(AtomicOr, atomic_or)
NPP_ATOMIC_UPDATE(AtomicXor, atomic_xor)
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
