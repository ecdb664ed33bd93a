// Operations that lanes of a warp carry out together: shuffles, votes, matches, reductions.
#pragma once

#include <array>

#include "simulator/execute/state/warp.hpp"

namespace numpy_plugin::sim {

// Lanes that came to the operation by one instruction of one call.
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

// The operand that names the lanes to wait for.
Slot lanes_slot(const Instruction& instruction);

// All parts are of one operation; together they have all living lanes of the mask.
void carry_out_sync(Warp& warp, const SyncParts& parts, LaneMask mask);

}  // namespace numpy_plugin::sim
