// The interpreter loop.
//
// A spinning group must not starve its warp's other groups: where one may be spinning, the one that
// has waited longest gets a turn.
#include "simulator/execute/run/warp_run.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "numpy_plugin/base/error.hpp"
#include "simulator/execute/checks/access.hpp"
#include "simulator/execute/checks/launch_profile.hpp"
#include "simulator/execute/state/operands.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr std::uint64_t kStepsOfTurn = 1024;
constexpr std::uint32_t kTurnsOfLoads = 4;

LaneMask lanes_within(const Launch& launch, std::uint32_t warp) {
  const std::uint64_t n_threads =
      std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2] - warp * kWarpSize;
  return n_threads >= kWarpSize ? kAllLanes : lane_bit(static_cast<int>(n_threads)) - 1;
}

// Such registers must not have the last block's values.
void clear_early(const Frame& frame) {
  for (const Slot slot : frame.function->early) {
    const auto index = static_cast<std::size_t>(slot) / kRegisterBoundary;
    const std::size_t element = frame.function->element_bytes[index];
    std::memset(frame.registers + slot, static_cast<int>(kPoison),
                element == 0 ? sizeof(LaneMask) : element * kWarpSize);
  }
}

// Runs instructions that are each followed by the next one, for the active lanes.
void run_plain(Warp& warp, const Instruction* at, std::uint64_t n_instructions,
               std::uint64_t n_lanes) {
  Block& block = *warp.block;
  auto& lanes_by_class = block.counters->lanes_by_class;
  for (const Instruction* const end = at + n_instructions; at != end; ++at) {
    ++block.clock;
    lanes_by_class[static_cast<std::size_t>(at->category)] += n_lanes;
    at->handler(warp, *at);
  }
}

}  // namespace

WarpRun::WarpRun(const Launch& launch, std::uint32_t warp_number)
    : program_(*launch.program),
      frames_(*launch.program),
      threads_(thread_indices(launch, warp_number)),
      existing_lanes_(lanes_within(launch, warp_number)) {
  constants = program_.constants;
  number = warp_number;
}

void WarpRun::begin_block(Block& its_block, Barriers& barriers) {
  block = &its_block;
  barriers_ = &barriers;
  living = existing_lanes_;
  is_blocked_ = false;
  begin_turn();
  const FunctionCode& entry = *its_block.launch->entry;
  Frame* first = frames_.take(entry);
  first->lanes = living;
  if (its_block.launch->checks.uninitialized) clear_early(*first);
  fill_special_registers(*this, threads_, *first);
  own_poison_.reset();
  poison = nullptr;
  begin_frame_poison(*first);
  groups_.restart({.pc = entry.first, .lanes = living, .frame = first});
}

const Instruction& WarpRun::instruction(const Group& group) const {
  return program_.code[group.pc];
}

void WarpRun::enter(Frame* called) {
  frame = called;
  registers = called->registers;
}

WarpRun::Outcome WarpRun::run(std::uint64_t n_steps) {
  const std::uint64_t end = block->clock + n_steps;
  while (block->clock < end) {
    const Choice choice = choose();
    if (choice.group == nullptr) {
      if (has_ended()) return Outcome::kEnded;
      is_blocked_ = true;
      fail_if_only_lanes_are_waited_for();
      return Outcome::kBlocked;
    }
    const std::uint64_t begin = block->clock;
    if (poison != nullptr) {
      run_group<true>(choice, end);
    } else {
      run_group_until_poison(choice, end);
    }
    steps_to_turn_ -= std::min(steps_to_turn_, block->clock - begin);
    if (std::exchange(has_yielded_, false)) return Outcome::kStepsUsed;
  }
  return Outcome::kStepsUsed;
}

Choice WarpRun::choose() {
  Choice choice = groups_.lowest();
  if (choice.is_only) {
    begin_turn();
  } else if (steps_to_turn_ == 0) {
    if (may_be_spinning()) {
      choice = groups_.longest_waiting();
      begin_turn();
    }
    steps_to_turn_ = kStepsOfTurn;
  }
  if (choice.group != nullptr) choice.group->turn = block->clock;
  return choice;
}

void WarpRun::begin_turn() {
  const auto& lanes = block->counters->lanes_by_class;
  steps_to_turn_ = kStepsOfTurn;
  n_turns_ = 0;
  n_atomics_before_ = lanes[static_cast<std::size_t>(InstructionClass::kAtomic)];
  n_loads_before_ = lanes[static_cast<std::size_t>(InstructionClass::kGlobalLoad)] +
                    lanes[static_cast<std::size_t>(InstructionClass::kSharedAccess)];
}

// A lane that waits for another one reads memory, probably with atomics; a loop that only computes
// or reads data soon reconverges with the other lanes.
bool WarpRun::may_be_spinning() {
  const auto& lanes = block->counters->lanes_by_class;
  ++n_turns_;
  if (lanes[static_cast<std::size_t>(InstructionClass::kAtomic)] != n_atomics_before_) return true;
  const std::uint64_t n_loads = lanes[static_cast<std::size_t>(InstructionClass::kGlobalLoad)] +
                                lanes[static_cast<std::size_t>(InstructionClass::kSharedAccess)];
  return n_turns_ >= kTurnsOfLoads && n_loads != n_loads_before_;
}

LaneMask WarpRun::guarded(const Instruction& at, LaneMask lanes) const {
  const LaneMask guard = read_mask(*this, at.guard);
  return lanes & (at.is_guard_negated ? ~guard : guard);
}

void WarpRun::follow_poison() {
  own_poison_ = std::make_unique<WarpPoison>(*block->poison);
  poison = own_poison_.get();
}

InstructionProfile& WarpRun::profile_of(const Instruction& at) {
  return (*block->profile)[index_of(*this, at)];
}

WarpPoison::Poisoned WarpRun::observe(const Instruction& at, LaneMask lanes, LaneMask now) {
  if (block->profile != nullptr) {
    InstructionProfile& profile = profile_of(at);
    ++profile.warp_instructions;
    profile.lane_instructions += count_lanes(now);
    profile.divergent_branches += at.flow == Flow::kBranch && now != 0 && now != lanes;
  }
  return poison == nullptr ? WarpPoison::Poisoned() : poison->check(*this, at, lanes, now);
}

void WarpRun::run_observed(const Instruction& at) {
  std::optional<AccessProfile> access;
  if (block->profile != nullptr) access.emplace(*this, at);
  if (poison != nullptr) {
    poison->run(*this, at);
  } else {
    at.handler(*this, at);
  }
  if (access) access->add_to(profile_of(at));
}

// Registers that no instruction writes are poison from the begin.
void WarpRun::begin_frame_poison(const Frame& called) {
  if (poison == nullptr) {
    if (called.function->unwritten.empty() || !block->launch->checks.uninitialized) return;
    follow_poison();
  }
  poison->begin_frame(*this, called);
}

// The instruction that reads the first poison has had no effect: it is not counted, and runs again.
void WarpRun::run_group_until_poison(const Choice& choice, std::uint64_t end) {
  try {
    if (block->profile != nullptr) {
      run_group<true>(choice, end);
    } else {
      run_group<false>(choice, end);
    }
  } catch (const PoisonRead& read) {
    --block->clock;
    if (block->profile != nullptr) {
      --profile_of(*read.instruction).warp_instructions;
      profile_of(*read.instruction).lane_instructions -= count_lanes(active);
    }
    block->counters->lanes_by_class[static_cast<std::size_t>(read.instruction->category)] -=
        count_lanes(active);
    choice.group->pc = index_of(*this, *read.instruction);
    follow_poison();
  }
}

// Runs until the group diverges, jumps, meets another one or has used its steps.
template <bool kIsObserved>
void WarpRun::run_group(const Choice& choice, std::uint64_t end) {
  Group& group = *choice.group;
  const LaneMask lanes = group.lanes;
  const std::uint64_t n_lanes = count_lanes(lanes);
  const Instruction* const code = program_.code.data();
  auto& lanes_by_class = block->counters->lanes_by_class;
  if (!choice.is_only) end = std::min(end, block->clock + steps_to_turn_);
  enter(group.frame);
  std::uint32_t pc = group.pc;
  while (block->clock < end && pc < choice.limit) {
    const Instruction& at = code[pc];
    if (!kIsObserved && at.n_plain > 0) {
      const std::uint64_t n_instructions =
          std::min<std::uint64_t>({at.n_plain, end - block->clock, choice.limit - pc});
      active = lanes;
      run_plain(*this, &at, n_instructions, n_lanes);
      pc += static_cast<std::uint32_t>(n_instructions);
      continue;
    }
    ++block->clock;
    const LaneMask now = at.guard == kNoSlot ? lanes : guarded(at, lanes);
    lanes_by_class[static_cast<std::size_t>(at.category)] +=
        now == lanes ? n_lanes : count_lanes(now);
    WarpPoison::Poisoned undecided;
    if constexpr (kIsObserved) undecided = observe(at, lanes, now);
    if (now == 0) {
      ++pc;
    } else if (at.flow == Flow::kNext) {
      active = now;
      if constexpr (kIsObserved) {
        run_observed(at);
      } else {
        at.handler(*this, at);
      }
      ++pc;
    } else if (at.flow == Flow::kBranch && now == lanes) {
      pc = at.target;
    } else {
      group.pc = pc;
      return leave_straight_line(group, now);
    }
    if constexpr (kIsObserved) {
      if (poison != nullptr) poison->set_undecided(*this, at, undecided);
    }
  }
  group.pc = pc;
  if (pc == choice.limit) groups_.merge();
}

void WarpRun::split(Group& group, LaneMask lanes, std::uint32_t pc) {
  Group other = group;
  other.lanes = lanes;
  other.pc = pc;
  other.wait = Wait::kNothing;
  group.lanes &= ~lanes;
  groups_.add(other);
}

void WarpRun::leave_straight_line(Group& group, LaneMask active_lanes) {
  const Instruction& here = instruction(group);
  if (here.flow == Flow::kBranch) {
    ++block->counters->divergent_branches;
    split(group, active_lanes, here.target);
    ++group.pc;
    return groups_.merge();
  }
  if (active_lanes != group.lanes) split(group, group.lanes & ~active_lanes, group.pc + 1);
  switch (here.flow) {
    case Flow::kBranchIndexed:
      enter(group.frame);
      return branch_indexed(group);
    case Flow::kCall:
      return call(group, program_.functions[here.target]);
    case Flow::kCallIndirect:
      return call_indirect(group);
    case Flow::kReturn:
      return leave_function(group);
    case Flow::kExit:
      return exit(group);
    case Flow::kBarrier:
      return stand_at_barrier(group);
    case Flow::kWarpSync:
      return wait_for_lanes(group);
    case Flow::kYield:
      return yield(group, active_lanes);
    case Flow::kTrap:
      fail(*this, here, first_lane(active_lanes), CUDA_ERROR_LAUNCH_FAILED,
           "the kernel ended itself (trap)");
    default:
      NPP_ASSERT(false, std::to_string(here.line));
  }
}

// A wait for an mbarrier yields while some lanes' condition is false, nanosleep always does.
void WarpRun::yield(Group& group, LaneMask active_lanes) {
  const Instruction& here = instruction(group);
  active = active_lanes;
  here.handler(*this, here);
  const bool is_done =
      here.result != kNoSlot && (active_lanes & ~read_mask(*this, here.result)) == 0;
  ++group.pc;
  groups_.merge();
  if (is_done) return;
  has_yielded_ = true;
  steps_to_turn_ = 0;
}

}  // namespace numpy_plugin::sim
