// A frame's allocations follow its variables; frames of its calls follow both.
#include "simulator/execute/state/warp.hpp"

#include <algorithm>
#include <string>

#include "simulator/execute/state/frames.hpp"
#include "simulator/execute/state/operands.hpp"

namespace numpy_plugin::sim {
namespace {

// Frames of calls begin at such multiples: more than any variable's alignment.
constexpr std::uint64_t kAllocatedMultiple = 256;

std::uint64_t stack_base(const Frame& frame) {
  return frame.local_offset + stack_bytes(*frame.function);
}

}  // namespace

std::uint64_t stack_top(const Warp& warp, int lane) {
  const Frame& frame = *warp.frame;
  return stack_base(frame) + frame.allocated_bytes[static_cast<std::size_t>(lane)];
}

std::uint64_t allocate_on_stack(Warp& warp, const Instruction& instruction, int lane,
                                std::uint64_t n_bytes, std::uint32_t alignment) {
  const std::uint64_t address =
      (stack_top(warp, lane) + alignment - 1) / alignment * std::uint64_t{alignment};
  const std::uint64_t limit = warp.block->launch->local_limit_bytes;
  if (address > limit || n_bytes > limit - address) {
    fail(warp, instruction, lane, CUDA_ERROR_HARDWARE_STACK_ERROR,
         format("stack overflow: an alloca of {} bytes needs more than the {} bytes of local "
                "memory that a thread has",
                n_bytes, limit));
  }
  warp.frame->allocated_bytes[static_cast<std::size_t>(lane)] =
      static_cast<std::uint32_t>(address + n_bytes - stack_base(*warp.frame));
  return address;
}

void restore_stack(Warp& warp, const Instruction& instruction, int lane, std::uint64_t top) {
  const std::uint64_t base = stack_base(*warp.frame);
  if (top < base || top > stack_top(warp, lane)) {
    fail(warp, instruction, lane, CUDA_ERROR_LAUNCH_FAILED,
         format("stackrestore of {}, the result of no earlier stacksave of this call whose stack "
                "still exists",
                top));
  }
  warp.frame->allocated_bytes[static_cast<std::size_t>(lane)] =
      static_cast<std::uint32_t>(top - base);
}

std::uint64_t allocated_bytes(const Frame& frame, LaneMask lanes) {
  std::uint32_t most = 0;
  for_each_lane(lanes, [&](int lane) {
    most = std::max(most, frame.allocated_bytes[static_cast<std::size_t>(lane)]);
  });
  return (most + kAllocatedMultiple - 1) / kAllocatedMultiple * kAllocatedMultiple;
}

}  // namespace numpy_plugin::sim
