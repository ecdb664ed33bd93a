// Warp-level operations: shuffles, votes, matches, reductions, matrix instructions.
#pragma once

#include <array>

#include "simulator/execute/state/warp.hpp"

namespace numpy_plugin::sim {

// Lanes that arrived by one instruction of one call.
struct SyncPart {
  const Instruction* instruction;
  Frame* frame;
  LaneMask lanes;
};

class SyncParts {
 public:
  void add(const SyncPart& part) { parts_[n_parts_++] = part; }
  const SyncPart* begin() const { return parts_.data(); }
  const SyncPart* end() const { return parts_.data() + n_parts_; }

 private:
  std::array<SyncPart, kWarpSize> parts_;
  std::size_t n_parts_ = 0;
};

// The operand with the mask of participating lanes; kNoSlot: all of them.
Slot lanes_slot(const Instruction& instruction);

// All parts belong to one operation; together they contain all live lanes of the mask.
void carry_out_sync(Warp& warp, const SyncParts& parts, LaneMask mask);

}  // namespace numpy_plugin::sim
