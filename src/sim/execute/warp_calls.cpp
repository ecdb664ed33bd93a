// How lanes of a warp enter and leave functions, and end.
#include <cstring>

#include "numpy_plugin/sim/execute/fault.hpp"
#include "numpy_plugin/sim/execute/operands.hpp"
#include "numpy_plugin/sim/execute/syscalls.hpp"
#include "numpy_plugin/sim/execute/warp_run.hpp"

namespace numpy_plugin::sim {
namespace {

void check_list(const Warp& warp, const Instruction& call, LaneMask lanes,
                const FunctionCode& function) {
  const std::size_t n_expected = function.results.size() + function.parameters.size();
  if (call.n_list == n_expected) return;
  fail(warp, call, first_lane(lanes), CUDA_ERROR_LAUNCH_FAILED,
       "'" + function.name + "' has " + std::to_string(n_expected) +
           " results and parameters, and is called with " + std::to_string(call.n_list));
}

}  // namespace

void WarpRun::call(const Group& group, const FunctionCode& function) {
  check_list(*this, instruction(group), group.lanes, function);
  enter(group.frame);
  if (function.is_syscall) {
    carry_out_syscall(*this, instruction(group), function, group.lanes);
    go_on(group);
  } else {
    enter_function(group, function);
  }
}

void WarpRun::call_indirect(const Group& group) {
  const Instruction& here = instruction(group);
  enter(group.frame);
  for (LaneMask left = group.lanes; left != 0;) {
    const auto address = read_lane<std::uint64_t>(*this, here.a, first_lane(left));
    Group same = group;
    same.lanes = 0;
    for_each_lane(left, [&](int lane) {
      if (read_lane<std::uint64_t>(*this, here.a, lane) == address) same.lanes |= lane_bit(lane);
    });
    left &= ~same.lanes;
    const std::uint64_t index = (address - kCodeBase) / kCodeStep;
    if ((address - kCodeBase) % kCodeStep != 0 || index >= program_.functions.size() ||
        program_.functions[index].is_entry) {
      fail(*this, here, first_lane(same.lanes), CUDA_ERROR_INVALID_PC,
           "a call through " + hex_text(address) + ", where no function begins");
    }
    call(same, program_.functions[index]);
    enter(group.frame);
  }
}

void WarpRun::enter_function(const Group& group, const FunctionCode& function) {
  Frame* const caller = group.frame;
  Frame* const called = frames_.take(function);
  called->caller = caller;
  called->lanes = group.lanes;
  called->return_to = group.pc + 1;
  called->depth = caller->depth + 1;
  called->local_offset = caller->local_offset + stack_bytes(*caller->function);
  const std::uint64_t limit = block->launch->local_limit_bytes;
  if (called->local_offset + function.local_bytes > limit) {
    fail(*this, instruction(group), first_lane(group.lanes), CUDA_ERROR_HARDWARE_STACK_ERROR,
         "stack overflow: the call of '" + function.name + "', " + std::to_string(called->depth) +
             " calls deep, needs more than the " + std::to_string(limit) +
             " bytes of local memory that a thread has");
  }
  fill_special_registers(*this, threads_, *called);
  copy_parameters(group, *called);
  groups_.add({.pc = function.first, .lanes = group.lanes, .frame = called, .turn = group.turn});
}

void WarpRun::copy_parameters(const Group& group, const Frame& called) {
  const FunctionCode& function = *called.function;
  const Slot* places = program_.lists.data() + instruction(group).list + function.results.size();
  for (const ParameterPlace& parameter : function.parameters) {
    const auto from = static_cast<std::uint64_t>(*places++);
    for_each_lane(group.lanes, [&](int lane) {
      std::memcpy(local_memory(*this, called, lane) + parameter.offset,
                  local_memory(*this, *group.frame, lane) + from, parameter.n_bytes);
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
    });
  }
}

void WarpRun::leave_function(const Group& group) {
  Frame* const left = group.frame;
  if (left->caller == nullptr) return exit(group);
  copy_results(*left, group.lanes);
  groups_.add(
      {.pc = left->return_to, .lanes = group.lanes, .frame = left->caller, .turn = group.turn});
  leave_frame(left, group.lanes);
}

void WarpRun::leave_frame(Frame* left, LaneMask lanes) {
  left->lanes &= ~lanes;
  if (left->lanes == 0) frames_.give_back(left);
}

void WarpRun::exit(const Group& group) {
  living &= ~group.lanes;
  for (Frame* each = group.frame; each != nullptr;) {
    Frame* const caller = each->caller;
    leave_frame(each, group.lanes);
    each = caller;
  }
  complete_syncs();
  barriers_->recheck();
}

}  // namespace numpy_plugin::sim
