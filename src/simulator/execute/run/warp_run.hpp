// A running warp: its groups take turns until all lanes have exited or wait for others.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "simulator/execute/checks/poison_flow.hpp"
#include "simulator/execute/run/barriers.hpp"
#include "simulator/execute/state/frames.hpp"
#include "simulator/execute/state/groups.hpp"

namespace numpy_plugin::sim {

class WarpRun : public Warp {
 public:
  enum class Outcome : std::uint8_t { kEnded, kStepsUsed, kBlocked };

  WarpRun(const Launch& launch, std::uint32_t number);
  WarpRun(const WarpRun&) = delete;
  WarpRun& operator=(const WarpRun&) = delete;

  void begin_block(Block& block, Barriers& barriers);
  // Blocked: all live lanes wait, some of them at a barrier of the block.
  Outcome run(std::uint64_t n_steps);
  // Requires that lanes waiting at barriers have arrived together; throws KernelFault otherwise.
  void arrive_at_barriers();
  // Releases the lanes waiting at the barrier.
  void release(std::uint32_t barrier, const BarrierResult& result);

  bool has_ended() const { return living == 0; }
  bool is_blocked() const { return is_blocked_; }
  const Groups& groups() const { return groups_; }
  const Instruction& instruction(const Group& group) const;
  // Makes handlers and operands refer to a call's frame.
  void enter(Frame* called);

 private:
  Choice choose();
  void begin_turn();
  bool may_be_spinning();
  // kIsObserved: follows poison and profiles, where the warp and its block do.
  template <bool kIsObserved>
  void run_group(const Choice& choice, std::uint64_t end);
  void run_group_until_poison(const Choice& choice, std::uint64_t end);
  void follow_poison();
  WarpPoison::Poisoned observe(const Instruction& at, LaneMask lanes, LaneMask now);
  void run_observed(const Instruction& at);
  InstructionProfile& profile_of(const Instruction& at);
  void begin_frame_poison(const Frame& called);
  LaneMask guarded(const Instruction& instruction, LaneMask lanes) const;
  // Splits lanes off into a group of their own.
  void split(Group& group, LaneMask lanes, std::uint32_t pc);
  void leave_straight_line(Group& group, LaneMask active_lanes);
  void yield(Group& group, LaneMask active_lanes);

  void branch_indexed(Group& group);
  void call(Group& group, const FunctionCode& function);
  void call_indirect(Group& group);
  void enter_function(Group& group, const FunctionCode& function);
  void copy_parameters(const Group& group, const Frame& called);
  void copy_results(const Frame& called, LaneMask lanes);
  void leave_function(Group& group);
  void exit(Group& group);
  void leave_frame(Frame* left, LaneMask lanes);

  void wait_for_lanes(Group& group);
  void complete_syncs();
  bool complete_sync(const Group& group);
  void stand_at_barrier(Group& group);
  void fail_if_only_lanes_are_waited_for() const;

  const Program& program_;
  FramePool frames_;
  ThreadIndices threads_;
  LaneMask existing_lanes_ = 0;
  Groups groups_;
  Barriers* barriers_ = nullptr;
  std::uint64_t steps_to_turn_ = 0;
  std::uint32_t n_turns_ = 0;  // without switching groups
  std::uint64_t n_atomics_before_ = 0;
  std::uint64_t n_loads_before_ = 0;
  bool is_blocked_ = false;
  bool has_yielded_ = false;
  std::unique_ptr<WarpPoison> own_poison_;
};

// Descriptions of waiting threads and their positions.

// "shfl.sync.idx.b32", "bar.sync": the mnemonic of an instruction at which lanes wait, as written.
const std::string& wait_name(const Warp& warp, const Instruction& instruction);

// "0x0000ffff"
std::string mask_text(LaneMask mask);

// "threads (0,0,0) to (15,0,0) wait at bar.sync on line 20; thread (16,0,0) ..." for the live lanes
// of a warp.
std::string waiting_text(const WarpRun& warp);

// Ends the kernel where some lanes of a warp are at an aligned barrier (bar, .aligned) and others
// wait elsewhere.
void fail_if_apart(const WarpRun& warp);

}  // namespace numpy_plugin::sim
