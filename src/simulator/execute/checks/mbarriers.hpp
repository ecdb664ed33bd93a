// mbarriers: objects in shared memory that count arrivals and bytes of asynchronous copies by
// phases. Kernels see an opaque 64-bit word. A copy of each word is kept here, so that uses before
// mbarrier.init, and of words that something else has overwritten, are found.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "simulator/execute/state/block.hpp"

namespace numpy_plugin::sim {

// Lanes of a warp that found a phase incomplete when they tested it last.
struct MbarrierWait {
  std::uint32_t warp = 0;
  std::uint64_t offset = 0;  // of the mbarrier in shared memory
  LaneMask lanes = 0;
  const Instruction* instruction = nullptr;
  std::uint64_t clock = 0;  // of the block at that time
};

// The initialized mbarriers of a block, and who waits for them.
struct Mbarriers {
  std::unordered_map<std::uint64_t, std::uint64_t> words;  // by offset in shared memory
  std::vector<MbarrierWait> waits;                         // one per warp and mbarrier

  void clear() {
    words.clear();
    waits.clear();
  }
};

// Handlers, lane by lane.
void run_mbarrier(Warp& warp, const Instruction& instruction);
// cp.async.mbarrier.arrive: earlier copies of the thread are complete already.
void arrive_for_copies(Warp& warp, const Instruction& instruction);

// "wait at mbarrier.try_wait on model.py:12 for the mbarrier at offset 0 of shared memory, whose
// phase of parity 0 has 1 of 2 arrivals and 16 pending bytes": lanes that have tested one mbarrier
// lately and in vain. Empty for others.
std::string mbarrier_wait_text(const Warp& warp, LaneMask lanes);

// The end of a lane's asynchronous copy: what follows a wait for the mbarrier at that offset sees
// the copied bytes.
void complete_bytes(Warp& warp, const Instruction& instruction, int lane, std::uint64_t offset,
                    std::uint32_t n_bytes);

}  // namespace numpy_plugin::sim
