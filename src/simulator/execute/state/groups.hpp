// Groups of a warp: lanes at the same instruction of the same call.
#pragma once

#include <array>
#include <cstdint>

#include "simulator/execute/state/block.hpp"

namespace numpy_plugin::sim {

enum class Wait : std::uint8_t {
  kNothing,
  kLanes,    // at a .sync operation, for the lanes of `mask`
  kBarrier,  // of the block
};

struct Group {
  std::uint32_t pc = 0;  // the next instruction, or the one waited at
  LaneMask lanes = 0;
  Frame* frame = nullptr;
  Wait wait = Wait::kNothing;
  bool has_arrived = false;  // counted at the barrier
  std::uint8_t barrier = 0;  // of the block, by its number
  LaneMask mask = 0;
  std::uint64_t turn = 0;  // when it was last selected
};

// A group to run, and the instruction before which another one waits.
struct Choice {
  Group* group = nullptr;  // nullptr: none is ready
  std::uint32_t limit = UINT32_MAX;
  bool is_only = true;  // no other one is ready
};

// At most one group per lane, so that nothing is ever allocated.
class Groups {
 public:
  // One group, from now on.
  void restart(const Group& group) {
    groups_[0] = group;
    n_groups_ = 1;
  }
  // Merges ready groups at the same position. Pointers to groups stay valid.
  void add(const Group& group);
  // Removes the group; pointers to other groups may then refer to another one.
  void remove(Group* group) {
    const Group& last = groups_[--n_groups_];
    if (group != &last) *group = last;
  }
  // Call after groups have moved or stopped waiting; invalidates pointers like remove().
  void merge() {
    if (n_groups_ > 1) merge_all();
  }

  Group* begin() { return groups_.data(); }
  Group* end() { return groups_.data() + n_groups_; }
  const Group* begin() const { return groups_.data(); }
  const Group* end() const { return groups_.data() + n_groups_; }

  // Normal choice: deepest in calls, then lowest in the text, so that lanes reconverge.
  Choice lowest();
  // For fairness: the one that has waited longest for its turn.
  Choice longest_waiting();

 private:
  void merge_all();
  Choice choice(Group* group);

  std::array<Group, kWarpSize> groups_;
  std::uint32_t n_groups_ = 0;
};

}  // namespace numpy_plugin::sim
