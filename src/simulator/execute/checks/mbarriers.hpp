// mbarriers: objects in shared memory that count arrivals and bytes of asynchronous copies by
// phases. Kernels see an opaque 64-bit word. A copy of each word is kept here, so that uses before
// mbarrier.init, and of words that something else has overwritten, are found.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "simulator/execute/state/warp.hpp"

namespace numpy_plugin::sim {

// The initialized mbarriers of a block.
struct Mbarriers {
  std::unordered_map<std::uint64_t, std::uint64_t> words;  // by offset in shared memory
};

// Handlers, lane by lane.
void run_mbarrier(Warp& warp, const Instruction& instruction);
// cp.async.mbarrier.arrive: earlier copies of the thread are complete already.
void arrive_for_copies(Warp& warp, const Instruction& instruction);

// The end of a lane's asynchronous copy: what follows a wait for the mbarrier at that offset sees
// the copied bytes.
void complete_bytes(Warp& warp, const Instruction& instruction, int lane, std::uint64_t offset,
                    std::uint32_t n_bytes);

}  // namespace numpy_plugin::sim
