// Frames of a warp: registers for each active call, and local memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "simulator/execute/state/block.hpp"
#include "simulator/execute/state/warp.hpp"

namespace numpy_plugin::sim {

// Initial contents of registers: NaN in every floating-point type.
constexpr std::byte kPoison{0xff};

// Frames are reused; calls of one function by different lanes end in any order.
class FramePool {
 public:
  explicit FramePool(const Program& program);

  Frame* take(const FunctionCode& function);
  void give_back(Frame* frame);

 private:
  struct Freer {
    void operator()(std::byte* registers) const;
  };
  using Registers = std::unique_ptr<std::byte, Freer>;

  static Registers make_registers(const FunctionCode& function);

  const Program& program_;
  std::deque<Frame> frames_;
  std::vector<Registers> registers_;
  std::vector<std::vector<Frame*>> free_;  // by function
};

// Bytes of a frame on a thread's stack: its local memory, plus a fixed amount so that every
// recursion terminates.
std::uint64_t stack_bytes(const FunctionCode& function);

// Local memory per thread of a launch: that of the deepest chain of calls, or the maximum with
// recursion or indirect calls.
std::uint64_t local_bytes_needed(const Program& program, const FunctionCode& entry,
                                 std::uint64_t limit_bytes);

// Special registers that are constant while a warp runs.

// %tid of the lanes of a warp.
struct ThreadIndices {
  std::array<std::array<std::uint32_t, kWarpSize>, 3> axes;
};

ThreadIndices thread_indices(const Launch& launch, std::uint32_t warp);

// Fills the special registers that a function's frame reads. A frame is always of one warp.
void fill_special_registers(const Warp& warp, const ThreadIndices& threads, Frame& frame);

// Local memory that a frame takes while it runs: alloca, stacksave, stackrestore (ISA, "Stack
// Manipulation Instructions"). Addresses are those of .local space and increase.

// Ends the kernel with a stack overflow where the thread's local memory is too small.
std::uint64_t allocate_on_stack(Warp& warp, const Instruction& instruction, int lane,
                                std::uint64_t n_bytes, std::uint32_t alignment);
// Address of the first byte that is not taken.
std::uint64_t stack_top(const Warp& warp, int lane);
// Frees what was taken since stack_top() was `top`; ends the kernel for any other address.
void restore_stack(Warp& warp, const Instruction& instruction, int lane, std::uint64_t top);

// Bytes that the frame has taken in any of the lanes.
std::uint64_t allocated_bytes(const Frame& frame, LaneMask lanes);

}  // namespace numpy_plugin::sim
