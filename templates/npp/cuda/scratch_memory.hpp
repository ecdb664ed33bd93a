// Scratch memory on the device: from one buffer of the launch, with room for every thread. An array
// is interleaved: element i of all threads, then element i + 1. The host has computed the size.
#pragma once

#include "npp/core/prelude.hpp"

namespace npp {

class Scratch {
 public:
  using State = char*;

  NPP_FUNCTION explicit Scratch(char* memory) : top_(memory) {}
  Scratch(const Scratch&) = delete;

  // Memory for an array of each thread.
  NPP_FUNCTION char* take(intp n_bytes) {
    char* const taken = top_;
    top_ += extent(n_bytes + (-n_bytes & (kAlignment - 1)));
    return taken;
  }

  NPP_FUNCTION State now() const { return top_; }
  NPP_FUNCTION void restore(State state) { top_ = state; }

  NPP_FUNCTION static intp extent(intp n_bytes) { return n_bytes * n_threads(); }
  NPP_FUNCTION static intp thread() { return intp(blockIdx.x) * blockDim.x + threadIdx.x; }
  NPP_FUNCTION static intp n_threads() { return intp(gridDim.x) * blockDim.x; }

 private:
  static constexpr intp kAlignment = 16;  // as the host counts it, analysis::kScratchAlignment

  char* top_;
};

}  // namespace npp
