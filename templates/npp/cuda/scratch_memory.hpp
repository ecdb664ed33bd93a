// Scratch memory on the device: from one buffer of the launch, with room for every thread. It is
// interleaved: element i of all threads, then element i + 1. All elements take the bytes of the
// kernel's largest one, so that threads that make different arrays do not share memory. The host
// has computed the size.
#pragma once

#include "npp/core/prelude.hpp"

namespace npp {

class Scratch {
 public:
  using State = char*;

  NPP_FUNCTION Scratch(char* memory, int item_bytes) : top_(memory), item_bytes_(item_bytes) {}
  Scratch(const Scratch&) = delete;

  // Memory for an array of each thread.
  NPP_FUNCTION char* take(intp n_bytes) {
    char* const taken = top_;
    top_ += extent(n_bytes);
    return taken;
  }

  NPP_FUNCTION State now() const { return top_; }
  NPP_FUNCTION void restore(State state) { top_ = state; }

  // Between an element of a thread and that of the next one.
  NPP_FUNCTION intp item_bytes(intp) const { return item_bytes_; }
  NPP_FUNCTION static intp extent(intp n_bytes) { return n_bytes * n_threads(); }
  NPP_FUNCTION static intp thread() { return intp(blockIdx.x) * blockDim.x + threadIdx.x; }
  NPP_FUNCTION static intp n_threads() { return intp(gridDim.x) * blockDim.x; }

 private:
  char* top_;
  const int item_bytes_;
};

}  // namespace npp
