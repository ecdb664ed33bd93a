// Warp-level operations: shuffles, votes, matches, reductions, matrix instructions.
#pragma once

#include <array>

#include "simulator/execute/state/block.hpp"

namespace numpy_plugin::sim {

// Lanes that arrived by one instruction of one call.
struct SyncPart {
  const Instruction* instruction;
  Frame* frame;
  LaneMask lanes;
};

// Makes operands refer to a part's frame.
inline void stand_in(Warp& warp, const SyncPart& part) {
  warp.frame = part.frame;
  warp.registers = part.frame->registers;
}

class SyncParts {
 public:
  void add(const SyncPart& part) { parts_[n_parts_++] = part; }
  const SyncPart* begin() const { return parts_.data(); }
  const SyncPart* end() const { return parts_.data() + n_parts_; }

 private:
  std::array<SyncPart, kWarpSize> parts_;
  std::size_t n_parts_ = 0;
};

// The source lane of shfl, or -1 where it is outside of the segment. The warp is in the lane's
// frame.
int shuffle_source(const Warp& warp, const Instruction& instruction, int lane);

// All parts belong to one operation; together they contain all live lanes of the mask.
void carry_out_sync(Warp& warp, const SyncParts& parts, LaneMask mask);

// Passes poison from all parts' sources to their results, before the operation itself. A shuffle
// moves its bits. Of a ballot the poisoned lanes' bits are poison; `any` and `all` are, unless a
// clean lane decides. The results of other operations are poison for all.
void follow_sync(Warp& warp, const SyncParts& parts);

}  // namespace numpy_plugin::sim
