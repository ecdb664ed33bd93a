// What warps share and return to: the block that they are part of, the frames of their calls.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "simulator/device/extent.hpp"
#include "simulator/execute/state/launch.hpp"
#include "simulator/execute/state/warp.hpp"

namespace numpy_plugin::sim {

class BlockPoison;
class BlockRaces;
class RaceDetector;
struct Mbarriers;

// Registers and local memory of a function for the lanes in one call of it.
struct Frame {
  const FunctionCode* function = nullptr;
  Frame* caller = nullptr;
  std::byte* registers = nullptr;  // 64-byte aligned
  std::uint64_t local_offset = 0;  // of its variables in each thread's local memory
  std::uint32_t return_to = 0;     // instruction of the caller
  std::uint32_t depth = 0;
  bool is_filled = false;  // has special registers of an earlier call or block
  LaneMask lanes = 0;      // not returned yet
  std::array<std::uint32_t, kWarpSize> allocated_bytes = {};  // by alloca, per lane
};

// A running block, on one core.
struct Block {
  const Launch* launch = nullptr;
  std::uint32_t index[3] = {0, 0, 0};
  std::uint32_t n_threads = 0;
  std::byte* shared = nullptr;             // static, then dynamic
  std::uint8_t* shared_written = nullptr;  // per byte, 0 until written; nullptr: unchecked
  std::uint32_t shared_bytes = 0;
  std::uint32_t shared_storage_bytes = 0;  // with those after its end that vectors may read
  // Local memory: `local_bytes` per thread, contiguous; accesses beyond are invalid. Slightly over
  // launch->local_limit_bytes at most, less where that is enough.
  std::byte* local = nullptr;
  std::uint64_t local_bytes = 0;
  RaceDetector* races = nullptr;       // on shared memory; nullptr: unchecked
  BlockRaces* global_races = nullptr;  // likewise on global memory
  Mbarriers* mbarriers = nullptr;
  BlockPoison* poison = nullptr;
  Counters* counters = nullptr;
  Profile* profile = nullptr;      // nullptr: not kept
  std::string* printed = nullptr;  // output of the kernel's printf
  std::uint64_t clock = 0;         // warp instructions so far: %clock64
  // The extent hit last, per instruction index of the program.
  std::vector<Extent>* extents = nullptr;
};

// Ends the kernel: prefixes the text with kernel, block, thread of a lane and line of the PTX.
[[noreturn]] void fail(const Warp& warp, const Instruction& instruction, int lane, CUresult code,
                       const std::string& text);

}  // namespace numpy_plugin::sim
