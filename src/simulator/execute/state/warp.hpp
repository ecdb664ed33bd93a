// The state that instructions work on: a warp, its frames, its block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "simulator/execute/state/launch.hpp"

namespace numpy_plugin::sim {

class RaceDetector;
struct Warp;

// A function's registers and local memory for the lanes that are in one call of it.
struct Frame {
  const FunctionCode* function = nullptr;
  Frame* caller = nullptr;
  std::byte* registers = nullptr;  // 64-byte aligned
  std::uint64_t local_offset = 0;  // of its variables in each thread's local memory
  std::uint32_t return_to = 0;     // instruction of the caller
  std::uint32_t depth = 0;
  LaneMask lanes = 0;  // that have not returned
};

// A block while it runs, on one core.
struct Block {
  const Launch* launch = nullptr;
  std::uint32_t index[3] = {0, 0, 0};
  std::uint32_t n_threads = 0;
  std::byte* shared = nullptr;             // static, then dynamic
  std::uint8_t* shared_written = nullptr;  // one a byte, 0 until written; nullptr: not checked
  std::uint32_t shared_bytes = 0;
  // Local memory: `local_bytes` a thread, one thread after another; what is beyond is no memory of
  // the thread. At most launch->local_limit_bytes and a little, less where that is enough.
  std::byte* local = nullptr;
  std::uint64_t local_bytes = 0;
  RaceDetector* races = nullptr;  // nullptr: not checked
  Counters* counters = nullptr;
  std::string* printed = nullptr;  // by the kernel's printf
  std::uint64_t clock = 0;         // warp instructions so far: %clock64
  // The last one that each instruction of the program hit, by the instruction's index.
  std::vector<Extent>* extents = nullptr;
};

// Handlers are called for instructions of Flow::kNext only; the engine carries out the others.
struct Warp {
  // State that handlers read. Lanes outside `active` keep what they have.
  std::byte* registers = nullptr;
  const std::byte* constants = nullptr;
  LaneMask active = 0;

  Frame* frame = nullptr;
  Block* block = nullptr;
  std::uint32_t number = 0;  // in the block
  LaneMask living = 0;       // lanes that have not exited
};

// Ends the kernel: kernel, block, thread of a lane and line of the PTX are put before the text.
[[noreturn]] void fail(const Warp& warp, const Instruction& instruction, int lane, CUresult code,
                       const std::string& text);

}  // namespace numpy_plugin::sim
