// Poison in atomic operations. Those on shared and local memory are followed as memcheck does: the
// old value has the poison of memory; what is stored has that of the old value and of the operands.
#include <algorithm>
#include <cstring>

#include "simulator/execute/checks/lane_address.hpp"
#include "simulator/execute/checks/poison_flow.hpp"

namespace numpy_plugin::sim {
namespace {

const std::byte* element_at(const Warp& warp, Slot slot, std::uint32_t n_bytes, int lane) {
  return operand(warp, slot) + static_cast<std::uint32_t>(lane) * n_bytes;
}

bool is_bitwise(Mode mode) { return mode == Mode::kAnd || mode == Mode::kOr || mode == Mode::kXor; }

// Whether a compare-and-swap stored its value; assumed where the old value is not kept.
bool has_swapped(const Warp& warp, const Instruction& instruction, int lane,
                 const std::byte* compared) {
  if (instruction.result == kNoSlot) return true;
  const std::uint32_t n_bytes = access_bytes(instruction.operation);
  return std::memcmp(element_at(warp, instruction.result, n_bytes, lane), compared, n_bytes) == 0;
}

}  // namespace

WarpPoison::AtomicLane WarpPoison::before_atomic(Warp& warp, const Instruction& instruction,
                                                 int lane) {
  const std::uint32_t n_bytes = access_bytes(instruction.operation);
  AtomicLane atomic;
  atomic.address = address_of(warp, instruction, lane);
  atomic.space = locate(instruction, &atomic.address);
  const Poisoned found = sources(warp, instruction);
  atomic.origin = found.origin;
  if (atomic.space == Space::kGlobal && (found.lanes & lane_bit(lane)) != 0) {
    fail_poison(warp, instruction, lane, "is used in an atomic operation", found.origin);
  }
  atomic.has_old = find_bytes(warp, instruction, lane, atomic.space, atomic.address, n_bytes,
                              &atomic.old, &atomic.origin);
  if (instruction.n_list > 0) return atomic;  // vectors are in global memory
  const FrameShadow& registers = shadow(*warp.frame);
  const bool is_swap = instruction.operation.mode == Mode::kCompareAndSwap;
  const ElementBits bits = registers.bits(is_swap ? instruction.c : instruction.b, lane);
  for (std::uint32_t index = 0; index < n_bytes; ++index) {
    atomic.operand[index] = bits.bytes[index] != 0;
  }
  if (!is_swap) return atomic;
  atomic.is_compared_poison = registers.bits(instruction.b, lane).has_any(n_bytes);
  std::memcpy(atomic.compared.data(), element_at(warp, instruction.b, n_bytes, lane), n_bytes);
  return atomic;
}

// Sets the poison of the bytes that are stored, and returns that of the old value.
WarpPoison::Bytes WarpPoison::after_atomic(Warp& warp, const Instruction& instruction, int lane,
                                           AtomicLane& atomic) {
  const std::uint32_t n_bytes = access_bytes(instruction.operation);
  Bytes old = {};
  const bool has_old = find_bytes(warp, instruction, lane, atomic.space, atomic.address, n_bytes,
                                  &old, &atomic.origin);
  Bytes all = {};
  std::fill_n(all.begin(), n_bytes, std::uint8_t{1});
  Bytes stored = atomic.operand;
  const Mode mode = instruction.operation.mode;
  if (mode == Mode::kCompareAndSwap) {
    if (atomic.is_compared_poison || has_old) {
      old = stored = all;
    } else if (!has_swapped(warp, instruction, lane, atomic.compared.data())) {
      stored = {};
    }
  } else if (is_bitwise(mode)) {
    for (std::uint32_t index = 0; index < n_bytes; ++index) stored[index] |= old[index];
  } else if (mode != Mode::kExchange && (has_old || stored != Bytes{})) {
    stored = all;
  }
  set_bytes(warp, lane, atomic.space, atomic.address, n_bytes, stored, atomic.origin);
  return old;
}

void WarpPoison::change(Warp& warp, const Instruction& instruction) {
  require_clean(warp, instruction, instruction.a, warp.active, kAddressUse);
  if (instruction.operation.completes_bytes) {
    require_clean(warp, instruction, instruction.c, warp.active, kAddressUse);
  }
  std::array<AtomicLane, kWarpSize> lanes;
  for_each_lane(warp.active, [&](int lane) {
    lanes[static_cast<std::size_t>(lane)] = before_atomic(warp, instruction, lane);
  });
  instruction.handler(warp, instruction);
  set_results(warp, instruction, warp.active, {});
  const std::uint32_t n_bytes = access_bytes(instruction.operation);
  // The handler took all bytes for written.
  for_each_lane(warp.active, [&](int lane) {
    const AtomicLane& atomic = lanes[static_cast<std::size_t>(lane)];
    if (!atomic.has_old || atomic.space == Space::kGlobal) return;
    set_bytes(warp, lane, atomic.space, atomic.address, n_bytes, atomic.old, atomic.origin);
  });
  // In the order of lanes: the old value of one is what another one stored.
  for_each_lane(warp.active, [&](int lane) {
    AtomicLane& atomic = lanes[static_cast<std::size_t>(lane)];
    const Bytes old =
        atomic.space == Space::kGlobal ? atomic.old : after_atomic(warp, instruction, lane, atomic);
    if (instruction.n_list > 0 || instruction.result == kNoSlot) return;
    ElementBits bits;
    for (std::uint32_t index = 0; index < n_bytes; ++index) {
      bits.bytes[index] = old[index] != 0 ? 0xff : 0;
    }
    shadow(*warp.frame).set_bits(instruction.result, lane, bits, atomic.origin);
  });
}

}  // namespace numpy_plugin::sim
