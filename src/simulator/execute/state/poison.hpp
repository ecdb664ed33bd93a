// Poison: values that come from memory never written, or from registers never written. This is the
// state of a block that has met some; the rules by which it moves are in checks/poison_flow.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "simulator/execute/state/block.hpp"

namespace numpy_plugin::sim {

// Index in BlockPoison::origins.
using Origin = std::uint32_t;

// The most recent read of unwritten bytes by an instruction of a warp, for each of its lanes.
struct PoisonOrigin {
  struct Read {
    Space space = Space::kGlobal;
    std::uint64_t address = 0;  // in the space
    std::uint32_t n_bytes = 0;  // 0: a register that no instruction writes
    std::uint32_t n_unwritten = 0;
  };

  const Instruction* instruction = nullptr;
  std::uint32_t warp = 0;
  LaneMask lanes = 0;
  std::array<Read, kWarpSize> reads;
};

class BlockPoison {
 public:
  void clear();
  // Notes a read, and returns its origin.
  Origin note(const Instruction& instruction, std::uint32_t warp, int lane,
              const PoisonOrigin::Read& read);
  const PoisonOrigin& at(Origin origin) const { return origins_[origin]; }

  // Origins of bytes that stores of poison left unwritten again: of shared memory, by offset, and
  // of local memory, by index in Block::local. Local memory has no other record of such bytes.
  std::unordered_map<std::uint64_t, Origin> shared;
  std::unordered_map<std::uint64_t, Origin> local;

 private:
  std::vector<PoisonOrigin> origins_;
  std::map<std::pair<const Instruction*, std::uint32_t>, Origin> indices_;
};

// One bit per bit of an element, 1: poison.
struct ElementBits {
  std::array<std::uint8_t, 16> bytes = {};

  void fill(std::uint32_t n_bytes) { std::memset(bytes.data(), 0xff, n_bytes); }
  bool has_any(std::uint32_t n_bytes) const;
};

// The poison of a frame's registers.
class FrameShadow {
 public:
  explicit FrameShadow(const FunctionCode& function);

  // Lanes of an operand with poison; of a predicate, its poisoned bits.
  LaneMask lanes(Slot slot) const {
    return slot < 0 || slot == kNoSlot ? 0
                                       : lanes_[static_cast<std::size_t>(slot) / sizeof(LaneMask)];
  }
  Origin origin(Slot slot) const {
    return origins_[static_cast<std::size_t>(slot) / sizeof(LaneMask)];
  }
  // Bytes of an element of a register; 0: a predicate.
  std::uint32_t element_bytes(Slot slot) const;

  ElementBits bits(Slot slot, int lane) const;
  void set_bits(Slot slot, int lane, const ElementBits& bits, Origin origin);
  // Sets the lanes of `changed`: those of `poisoned` wholly, the others clean.
  void set_lanes(Slot slot, LaneMask changed, LaneMask poisoned, Origin origin);

 private:
  const FunctionCode& function_;
  std::vector<std::byte> bits_;  // like the registers; valid for lanes with poison
  std::vector<LaneMask> lanes_;  // by slot / 4
  std::vector<Origin> origins_;  // likewise
};

}  // namespace numpy_plugin::sim
