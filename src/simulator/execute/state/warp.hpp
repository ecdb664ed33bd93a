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

}  // namespace numpy_plugin::sim
