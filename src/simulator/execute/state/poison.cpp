// Records of poison: origins by instruction and warp, bits by register.
#include "simulator/execute/state/poison.hpp"

#include <algorithm>

#include "simulator/execute/state/operands.hpp"

namespace numpy_plugin::sim {
namespace {

std::size_t word_of(Slot slot) { return static_cast<std::size_t>(slot) / sizeof(LaneMask); }

}  // namespace

void BlockPoison::clear() {
  shared.clear();
  local.clear();
  origins_.clear();
  indices_.clear();
}

Origin BlockPoison::note(const Instruction& instruction, std::uint32_t warp, int lane,
                         const PoisonOrigin::Read& read) {
  const auto [found, is_new] =
      indices_.try_emplace({&instruction, warp}, static_cast<Origin>(origins_.size()));
  if (is_new) origins_.push_back({.instruction = &instruction, .warp = warp, .reads = {}});
  PoisonOrigin& origin = origins_[found->second];
  origin.lanes |= lane_bit(lane);
  origin.reads[static_cast<std::size_t>(lane)] = read;
  return found->second;
}

bool ElementBits::has_any(std::uint32_t n_bytes) const {
  return std::any_of(bytes.begin(), bytes.begin() + n_bytes,
                     [](std::uint8_t byte) { return byte != 0; });
}

FrameShadow::FrameShadow(const FunctionCode& function)
    : function_(function),
      bits_(function.register_bytes),
      lanes_(function.register_bytes / sizeof(LaneMask)),
      origins_(lanes_.size()) {}

std::uint32_t FrameShadow::element_bytes(Slot slot) const {
  return function_.element_bytes[static_cast<std::size_t>(slot) / kRegisterBoundary];
}

ElementBits FrameShadow::bits(Slot slot, int lane) const {
  ElementBits bits;
  if ((lanes(slot) & lane_bit(lane)) == 0) return bits;
  const std::uint32_t n_bytes = element_bytes(slot);
  std::memcpy(bits.bytes.data(), bits_.data() + slot + static_cast<std::uint32_t>(lane) * n_bytes,
              n_bytes);
  return bits;
}

void FrameShadow::set_bits(Slot slot, int lane, const ElementBits& bits, Origin origin) {
  const std::uint32_t n_bytes = element_bytes(slot);
  LaneMask& lanes = lanes_[word_of(slot)];
  if (!bits.has_any(n_bytes)) {
    lanes &= ~lane_bit(lane);
    return;
  }
  lanes |= lane_bit(lane);
  origins_[word_of(slot)] = origin;
  std::memcpy(bits_.data() + slot + static_cast<std::uint32_t>(lane) * n_bytes, bits.bytes.data(),
              n_bytes);
}

void FrameShadow::set_lanes(Slot slot, LaneMask changed, LaneMask poisoned, Origin origin) {
  LaneMask& lanes = lanes_[word_of(slot)];
  poisoned &= changed;
  lanes = (lanes & ~changed) | poisoned;
  if (poisoned == 0) return;
  origins_[word_of(slot)] = origin;
  const std::uint32_t n_bytes = element_bytes(slot);
  for_each_lane(poisoned, [&](int lane) {
    std::memset(bits_.data() + slot + static_cast<std::uint32_t>(lane) * n_bytes, 0xff, n_bytes);
  });
}

}  // namespace numpy_plugin::sim
