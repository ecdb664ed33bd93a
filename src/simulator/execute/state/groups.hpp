// The groups of a warp: lanes that are at the same instruction of the same call.
#pragma once

#include <array>
#include <cstdint>

#include "simulator/execute/state/warp.hpp"

namespace numpy_plugin::sim {

enum class Wait : std::uint8_t {
  kNothing,
  kLanes,    // at a .sync operation, for the lanes of `mask`
  kBarrier,  // of the block
};

struct Group {
  std::uint32_t pc = 0;  // the next instruction; the one waited at
  LaneMask lanes = 0;
  Frame* frame = nullptr;
  Wait wait = Wait::kNothing;
  bool has_arrived = false;  // at the barrier: is counted there
  std::uint8_t barrier = 0;  // of the block, by its number
  LaneMask mask = 0;
  std::uint64_t turn = 0;  // when it was last chosen
};

// A group to run, and the instruction before which another one waits.
struct Choice {
  Group* group = nullptr;  // nullptr: none can run
  std::uint32_t limit = UINT32_MAX;
  bool is_only = true;  // no other one can run
};

// At most one group a lane, so that nothing is ever allocated.
class Groups {
 public:
  void clear() { n_groups_ = 0; }
  // Groups that wait for nothing and meet at one place become one. Pointers to groups stay right.
  void add(const Group& group);
  // The group is then no more; pointers to other groups may point to another one.
  void remove(Group* group) { *group = groups_[--n_groups_]; }
  // After groups have moved or stopped to wait; as remove for pointers.
  void merge() {
    if (n_groups_ > 1) merge_all();
  }

  Group* begin() { return groups_.data(); }
  Group* end() { return groups_.data() + n_groups_; }
  const Group* begin() const { return groups_.data(); }
  const Group* end() const { return groups_.data() + n_groups_; }

  // The rule: deepest in calls, then lowest in the text, so that lanes meet again.
  Choice lowest();
  // The exception: the one that has waited longest for its turn.
  Choice longest_waiting();

 private:
  void merge_all();
  Choice choice(Group* group);

  std::array<Group, kWarpSize> groups_;
  std::uint32_t n_groups_ = 0;
};

}  // namespace numpy_plugin::sim
