// Frames of a warp: registers for each active call.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "simulator/execute/state/block.hpp"

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

}  // namespace numpy_plugin::sim
