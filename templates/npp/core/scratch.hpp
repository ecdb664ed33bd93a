// Scratch arrays: arrays of a kernel whose sizes are known only at run time. A kernel with any has
// `using Scratch = npp::Scratch`, can raise, and hands one to its functions after the errors.
// Memory is taken from the front of one buffer, the thread's, and given back when a function
// returns.
#pragma once

#include "npp/core/array.hpp"
#include "npp/core/errors.hpp"
#if NPP_DEVICE
#include "npp/cuda/scratch_memory.hpp"
#else
#include "npp/cpu/scratch_memory.hpp"
#endif

namespace npp {

// Gives everything back that a function took.
class ScratchFrame {
 public:
  NPP_FUNCTION explicit ScratchFrame(Scratch& scratch)
      : scratch_(scratch), before_(scratch.now()) {}
  NPP_FUNCTION ~ScratchFrame() { scratch_.restore(before_); }
  ScratchFrame(const ScratchFrame&) = delete;

 private:
  Scratch& scratch_;
  const typename Scratch::State before_;
};

// An array in C order. On a device neighbouring threads have neighbouring elements, so that threads
// at the same element of their arrays access memory together.
template <class T, int rank>
NPP_FUNCTION View<T, rank> scratch_view(const Scratch& scratch, char* memory,
                                        const intp (&sizes)[rank]) {
  const intp item_bytes = scratch.item_bytes(sizeof(T));
  View<T, rank> result(memory + scratch.thread() * item_bytes);
  intp stride = scratch.n_threads() * item_bytes;
  for (int axis = rank - 1; axis >= 0; --axis) {
    result.set(axis, sizes[axis], stride);
    stride *= sizes[axis];
  }
  return result;
}

// The largest intp for arrays with more bytes than that, which no scratch memory has. On a device
// the host has computed them before the launch.
template <int rank>
NPP_FUNCTION intp scratch_bytes(const intp (&sizes)[rank], intp item_bytes) {
  intp n_bytes = item_bytes;
  for (int axis = 0; axis < rank; ++axis) {
#if NPP_DEVICE
    n_bytes *= sizes[axis];
#else
    if (__builtin_mul_overflow(n_bytes, sizes[axis], &n_bytes)) return intp(~uint64(0) >> 1);
#endif
  }
  return n_bytes;
}

// A new array; without memory for it, an exception with the number of bytes and an empty array.
template <uint32 exception, class T, class... Sizes>
NPP_FUNCTION View<T, sizeof...(Sizes)> new_array(Errors& errors, Scratch& scratch, Sizes... size) {
  const intp sizes[] = {intp(size)...};
  const intp n_bytes = scratch_bytes(sizes, scratch.item_bytes(sizeof(T)));
  char* const memory = scratch.take(n_bytes);
  if (memory != nullptr) return scratch_view<T>(scratch, memory, sizes);
  errors.report(exception, int64(n_bytes));
  return View<T, sizeof...(Sizes)>(nullptr);
}

// Memory of the arrays that one place in a loop makes, trip after trip: the array of an earlier
// trip is overwritten once no variable holds it.
template <int n>
struct ScratchSlots {
  char* memory[n] = {};
  intp n_bytes[n] = {};  // of one thread

  // A slot without any of the addresses; there is one more slot than addresses.
  template <class... Addresses>
  NPP_FUNCTION int unused(Addresses... held) const {
    static_assert(sizeof...(Addresses) + 1 == n);
    int slot = 0;
    for (; slot + 1 < n; ++slot) {
      const char* const first = memory[slot];
      const char* const end = first + Scratch::extent(n_bytes[slot]);
      if (first == nullptr || !((first <= held && held < end) || ...)) break;
    }
    return slot;
  }
};

// Likewise in a loop. An array larger than its slot takes twice that slot's memory, so that arrays
// that grow trip after trip take at most three times the memory of the last one.
template <uint32 exception, class T, int n, class... Sizes>
NPP_FUNCTION View<T, sizeof...(Sizes)> renewed_array(Errors& errors, Scratch& scratch,
                                                     ScratchSlots<n>& slots, int slot,
                                                     Sizes... size) {
  const intp sizes[] = {intp(size)...};
  const intp n_bytes = scratch_bytes(sizes, scratch.item_bytes(sizeof(T)));
  if (slots.memory[slot] == nullptr || slots.n_bytes[slot] < n_bytes) {
    const intp twice = 2 * slots.n_bytes[slot];
    char* memory = twice > n_bytes ? scratch.take(twice) : nullptr;
    slots.n_bytes[slot] = memory != nullptr ? twice : n_bytes;
    if (memory == nullptr) memory = scratch.take(n_bytes);
    slots.memory[slot] = memory;
    if (memory == nullptr) {
      errors.report(exception, int64(n_bytes));
      return View<T, sizeof...(Sizes)>(nullptr);
    }
  }
  return scratch_view<T>(scratch, slots.memory[slot], sizes);
}

}  // namespace npp
