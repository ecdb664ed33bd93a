// The state of a warp that instructions operate on. All handlers include this, so it includes
// little.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simulator/program/instruction.hpp"

namespace numpy_plugin::sim {

struct Block;
struct Frame;
class WarpPoison;

// Handlers are called for instructions of Flow::kNext only; the engine executes the others.
struct Warp {
  // State read by handlers. Lanes outside `active` are unchanged.
  std::byte* registers = nullptr;
  const std::byte* constants = nullptr;
  LaneMask active = 0;

  Frame* frame = nullptr;
  Block* block = nullptr;
  std::uint32_t number = 0;      // in the block
  LaneMask living = 0;           // lanes that have not exited
  WarpPoison* poison = nullptr;  // nullptr: the warp has met none
};

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
