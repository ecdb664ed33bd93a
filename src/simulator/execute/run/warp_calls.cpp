// Calls, returns and exits of a warp's lanes.
#include <cstring>

#include "simulator/execute/checks/fault.hpp"
#include "simulator/execute/run/syscalls.hpp"
#include "simulator/execute/run/warp_run.hpp"
#include "simulator/execute/state/operands.hpp"
#include "simulator/execute/state/warp.hpp"

namespace numpy_plugin::sim {
namespace {

void check_list(const Warp& warp, const Instruction& call, LaneMask lanes,
                const FunctionCode& function) {
  const std::size_t n_expected = function.results.size() + function.parameters.size();
  if (call.n_list == n_expected) return;
  fail(warp, call, first_lane(lanes), CUDA_ERROR_LAUNCH_FAILED,
       format("'{}' has {} results and parameters, and is called with {}", function.name,
              n_expected, call.n_list));
}

}  // namespace

void WarpRun::call(Group& group, const FunctionCode& function) {
  check_list(*this, instruction(group), group.lanes, function);
  enter(group.frame);
  if (!function.is_syscall) return enter_function(group, function);
  carry_out_syscall(*this, instruction(group), function, group.lanes);
  ++group.pc;
  groups_.merge();
}

// Lanes that call another function than the first lane become separate groups with the call
// pending.
void WarpRun::call_indirect(Group& group) {
  const Instruction& here = instruction(group);
  enter(group.frame);
  const auto address = read_lane<std::uint64_t>(*this, here.a, first_lane(group.lanes));
  Group others = group;
  for_each_lane(group.lanes, [&](int lane) {
    if (read_lane<std::uint64_t>(*this, here.a, lane) == address) others.lanes &= ~lane_bit(lane);
  });
  group.lanes &= ~others.lanes;
  const std::uint64_t index = (address - kCodeBase) / kCodeStep;
  if ((address - kCodeBase) % kCodeStep != 0 || index >= program_.functions.size() ||
      program_.functions[index].is_entry) {
    fail(*this, here, first_lane(group.lanes), CUDA_ERROR_INVALID_PC,
         format("a call through {}, where no function begins", hex_text(address)));
  }
  call(group, program_.functions[index]);
  if (others.lanes != 0) groups_.add(others);
}

// Lanes with another index than the first lane become separate groups with the branch pending.
void WarpRun::branch_indexed(Group& group) {
  const Instruction& here = instruction(group);
  const auto index = read_lane<std::uint32_t>(*this, here.a, first_lane(group.lanes));
  Group others = group;
  for_each_lane(group.lanes, [&](int lane) {
    if (read_lane<std::uint32_t>(*this, here.a, lane) == index) others.lanes &= ~lane_bit(lane);
  });
  group.lanes &= ~others.lanes;
  if (index >= here.target) {
    fail(*this, here, first_lane(group.lanes), CUDA_ERROR_INVALID_PC,
         format("brx.idx with index {} of {} branch targets", index, here.target));
  }
  group.pc = static_cast<std::uint32_t>(program_.lists[here.list + index]);
  if (others.lanes != 0) {
    ++block->counters->divergent_branches;
    groups_.add(others);
  }
  groups_.merge();
}

void WarpRun::enter_function(Group& group, const FunctionCode& function) {
  Frame* const caller = group.frame;
  Frame* const called = frames_.take(function);
  called->caller = caller;
  called->lanes = group.lanes;
  called->return_to = group.pc + 1;
  called->depth = caller->depth + 1;
  called->local_offset = caller->local_offset + stack_bytes(*caller->function);
  if (caller->function->allocates_stack)
    called->local_offset += allocated_bytes(*caller, group.lanes);
  const std::uint64_t limit = block->launch->local_limit_bytes;
  if (called->local_offset + function.local_bytes > limit) {
    fail(*this, instruction(group), first_lane(group.lanes), CUDA_ERROR_HARDWARE_STACK_ERROR,
         format("stack overflow: the call of '{}', {} calls deep, needs more than the {} bytes of "
                "local memory that a thread has",
                function.name, called->depth, limit));
  }
  fill_special_registers(*this, threads_, *called);
  begin_frame_poison(*called);
  copy_parameters(group, *called);
  group.pc = function.first;
  group.frame = called;
}

void WarpRun::copy_parameters(const Group& group, const Frame& called) {
  const FunctionCode& function = *called.function;
  const Slot* places = program_.lists.data() + instruction(group).list + function.results.size();
  for (const ParameterPlace& parameter : function.parameters) {
    const auto from = static_cast<std::uint64_t>(*places++);
    for_each_lane(group.lanes, [&](int lane) {
      std::memcpy(local_memory(*this, called, lane) + parameter.offset,
                  local_memory(*this, *group.frame, lane) + from, parameter.n_bytes);
      if (poison != nullptr) {
        poison->copy_local(*this, lane, called.local_offset + parameter.offset,
                           group.frame->local_offset + from, parameter.n_bytes);
      }
    });
  }
}

void WarpRun::copy_results(const Frame& called, LaneMask lanes) {
  const Slot* places = program_.lists.data() + program_.code[called.return_to - 1].list;
  for (const ParameterPlace& result : called.function->results) {
    const auto to = static_cast<std::uint64_t>(*places++);
    for_each_lane(lanes, [&](int lane) {
      std::memcpy(local_memory(*this, *called.caller, lane) + to,
                  local_memory(*this, called, lane) + result.offset, result.n_bytes);
      if (poison != nullptr) {
        poison->copy_local(*this, lane, called.caller->local_offset + to,
                           called.local_offset + result.offset, result.n_bytes);
      }
    });
  }
}

void WarpRun::leave_function(Group& group) {
  Frame* const left = group.frame;
  if (left->caller == nullptr) return exit(group);
  copy_results(*left, group.lanes);
  group.pc = left->return_to;
  group.frame = left->caller;
  leave_frame(left, group.lanes);
  groups_.merge();
}

void WarpRun::leave_frame(Frame* left, LaneMask lanes) {
  left->lanes &= ~lanes;
  if (left->lanes == 0) frames_.give_back(left);
}

void WarpRun::exit(Group& group) {
  const LaneMask lanes = group.lanes;
  living &= ~lanes;
  for (Frame* each = group.frame; each != nullptr;) {
    Frame* const caller = each->caller;
    leave_frame(each, lanes);
    each = caller;
  }
  groups_.remove(&group);
  complete_syncs();
  barriers_->on_exit(*this);
}

}  // namespace numpy_plugin::sim
