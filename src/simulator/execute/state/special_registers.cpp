// Values of the special registers.
#include "simulator/execute/state/frames.hpp"

#include <algorithm>
#include <cstring>

#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr std::uint32_t kWarpsOfMultiprocessor = 64;

using Lanes = std::array<std::uint32_t, kWarpSize>;

Lanes lanes_of(std::uint32_t value) {
  Lanes lanes;
  lanes.fill(value);
  return lanes;
}

// value(lane) for all lanes.
template <class Value>
Lanes lanes_by(const Value& value) {
  Lanes lanes;
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) lanes[lane] = value(lane);
  return lanes;
}

// The others are the same in all blocks of a launch that a warp runs.
bool differs_between_blocks(SpecialRegister name) {
  using enum SpecialRegister;
  return name == kCtaidX || name == kCtaidY || name == kCtaidZ || name == kSmid;
}

LaneMask lanes_below(std::uint32_t lane) { return (LaneMask{1} << lane) - 1; }

std::uint32_t multiprocessor(const Block& block) {
  const auto& grid = block.launch->grid;
  const std::uint64_t number =
      (std::uint64_t{block.index[2]} * grid[1] + block.index[1]) * grid[0] + block.index[0];
  return static_cast<std::uint32_t>(number % block.launch->n_multiprocessors);
}

Lanes values(SpecialRegister name, const Warp& warp, const ThreadIndices& threads) {
  const Block& block = *warp.block;
  const Launch& launch = *block.launch;
  using enum SpecialRegister;
  switch (name) {
    case kTidX:
      return threads.axes[0];
    case kTidY:
      return threads.axes[1];
    case kTidZ:
      return threads.axes[2];
    case kNtidX:
      return lanes_of(launch.block[0]);
    case kNtidY:
      return lanes_of(launch.block[1]);
    case kNtidZ:
      return lanes_of(launch.block[2]);
    case kCtaidX:
      return lanes_of(block.index[0]);
    case kCtaidY:
      return lanes_of(block.index[1]);
    case kCtaidZ:
      return lanes_of(block.index[2]);
    case kNctaidX:
      return lanes_of(launch.grid[0]);
    case kNctaidY:
      return lanes_of(launch.grid[1]);
    case kNctaidZ:
      return lanes_of(launch.grid[2]);
    case kLaneid:
      return lanes_by([](std::uint32_t lane) { return lane; });
    case kWarpid:
      return lanes_of(warp.number);
    case kNwarpid:
      return lanes_of(kWarpsOfMultiprocessor);
    case kSmid:
      return lanes_of(multiprocessor(block));
    case kNsmid:
      return lanes_of(launch.n_multiprocessors);
    case kLanemaskEq:
      return lanes_by([](std::uint32_t lane) { return LaneMask{1} << lane; });
    case kLanemaskLt:
      return lanes_by(lanes_below);
    case kLanemaskLe:
      return lanes_by([](std::uint32_t lane) { return lanes_below(lane) | LaneMask{1} << lane; });
    case kLanemaskGt:
      return lanes_by(
          [](std::uint32_t lane) { return ~lanes_below(lane) & ~(LaneMask{1} << lane); });
    case kLanemaskGe:
      return lanes_by([](std::uint32_t lane) { return ~lanes_below(lane); });
    case kClusterCtarank:
      return lanes_of(0);
    case kClusterNctarank:
      return lanes_of(1);
    case kEnvreg1:
      return lanes_of(static_cast<std::uint32_t>(launch.grid_workspace >> 32));
    case kEnvreg2:
      return lanes_of(static_cast<std::uint32_t>(launch.grid_workspace));
    case kTotalSmemSize:
      return lanes_of(block.shared_bytes - launch.entry->reserved_shared_bytes);
    case kAggrSmemSize:
      return lanes_of(block.shared_bytes);
    case kDynamicSmemSize:
      return lanes_of(launch.dynamic_shared_bytes);
    default:
      NPP_ASSERT(false, std::to_string(static_cast<int>(name)));
  }
}

}  // namespace

ThreadIndices thread_indices(const Launch& launch, std::uint32_t warp) {
  ThreadIndices indices;
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    const std::uint32_t thread = warp * kWarpSize + lane;
    indices.axes[0][lane] = thread % launch.block[0];
    indices.axes[1][lane] = thread / launch.block[0] % launch.block[1];
    indices.axes[2][lane] = thread / launch.block[0] / launch.block[1];
  }
  return indices;
}

void fill_special_registers(const Warp& warp, const ThreadIndices& threads, Frame& frame) {
  for (const FilledRegister& filled : frame.function->filled) {
    if (frame.is_filled && !differs_between_blocks(filled.name)) continue;
    std::byte* const to = frame.registers + filled.slot;
    if (filled.name == SpecialRegister::kGridid) {
      std::array<std::uint64_t, kWarpSize> numbers;
      numbers.fill(warp.block->launch->number);
      std::memcpy(to, numbers.data(), sizeof(numbers));
    } else {
      const Lanes lanes = values(filled.name, warp, threads);
      std::memcpy(to, lanes.data(), sizeof(lanes));
    }
  }
  frame.is_filled = true;
}

}  // namespace numpy_plugin::sim
