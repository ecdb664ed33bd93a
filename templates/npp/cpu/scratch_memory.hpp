// Scratch memory on the CPU: from the calling thread's buffer in the library.
#pragma once

#include "npp/cpu/driver_pointer.hpp"

namespace npp {

class Scratch {
 public:
  struct State {
    char* top;
    char* end;
  };

  Scratch() { npp_driver->open_scratch(&memory_); }
  ~Scratch() { npp_driver->close_scratch(&memory_); }
  Scratch(const Scratch&) = delete;

  // Memory for an array, aligned; null where there is none.
  NPP_FUNCTION char* take(intp n_bytes) {
    if (n_bytes >= memory_.end - memory_.top) {
      if (!npp_driver->extend_scratch(&memory_, n_bytes)) return nullptr;
    }
    char* const taken = memory_.top;
    memory_.top += n_bytes + (-n_bytes & (kScratchAlignment - 1));
    return taken;
  }

  NPP_FUNCTION State now() const { return {memory_.top, memory_.end}; }
  NPP_FUNCTION void restore(const State& state) {
    memory_.top = state.top;
    memory_.end = state.end;
  }

  NPP_FUNCTION static constexpr intp item_bytes(intp n_bytes) { return n_bytes; }
  NPP_FUNCTION static constexpr intp extent(intp n_bytes) { return n_bytes; }
  NPP_FUNCTION static constexpr intp thread() { return 0; }
  NPP_FUNCTION static constexpr intp n_threads() { return 1; }

 private:
  ScratchMemory memory_;
};

}  // namespace npp
