// Poison in memory: loads, stores, copies to shared memory.
#include <algorithm>
#include <string>

#include "simulator/execute/checks/lane_address.hpp"
#include "simulator/execute/checks/poison_flow.hpp"

namespace numpy_plugin::sim {
namespace {

std::uint64_t local_index(const Warp& warp, int lane, std::uint64_t offset) {
  const std::uint64_t thread = warp.number * kWarpSize + static_cast<std::uint32_t>(lane);
  return thread * warp.block->local_bytes + offset;
}

bool is_signed(Type type) { return kind(type) == TypeKind::kSigned; }

Slot slot_of(const Warp& warp, const Instruction& instruction, Slot scalar, std::uint32_t element) {
  if (instruction.n_list == 0) return scalar;
  return warp.block->launch->program->lists[instruction.list + element];
}

}  // namespace

// An atomic operation on global memory is a store that leaves the kernel, except that an exchange
// overwrites what was never written.
bool follows_poison(const Instruction& instruction, Space space) {
  switch (instruction.operation.opcode) {
    case Opcode::kLd:
      return true;
    case Opcode::kCp:
      return instruction.operation.mode == Mode::kAsync;
    case Opcode::kAtom:
    case Opcode::kRed:
      return space != Space::kGlobal || instruction.operation.mode == Mode::kExchange;
    default:
      return false;
  }
}

bool WarpPoison::find_bytes(Warp& warp, const Instruction& instruction, int lane, Space space,
                            std::uint64_t address, std::uint32_t n_bytes, Bytes* poisoned,
                            Origin* origin) {
  const std::uint8_t* written = nullptr;
  const Block& block = *warp.block;
  if (space == Space::kLocal) {
    if (block_.local.empty()) return false;
    bool has_any = false;
    for (std::uint32_t index = 0; index < n_bytes; ++index) {
      const auto found = block_.local.find(local_index(warp, lane, address + index));
      (*poisoned)[index] = found != block_.local.end();
      if (found == block_.local.end()) continue;
      has_any = true;
      *origin = found->second;
    }
    return has_any;
  }
  if (space == Space::kShared) {
    const std::uint64_t end = block.shared_storage_bytes;
    if (n_bytes <= end && address <= end - n_bytes) written = block.shared_written + address;
  } else if (space != Space::kParam) {
    const Extent* const extent = find_extent(warp, instruction, address, n_bytes);
    if (extent != nullptr && extent->written != nullptr) {
      written = extent->written + (address - extent->begin);
    }
  }
  // An invalid access fails in its handler.
  if (written == nullptr) return false;
  std::uint32_t n_unwritten = 0;
  for (std::uint32_t index = 0; index < n_bytes; ++index) {
    const bool is_poison = __atomic_load_n(written + index, __ATOMIC_RELAXED) == 0;
    (*poisoned)[index] = is_poison;
    n_unwritten += is_poison;
  }
  if (n_unwritten == 0) return false;
  if (space == Space::kShared) {
    const auto first = std::find(poisoned->begin(), poisoned->end(), std::uint8_t{1});
    const auto index = static_cast<std::uint64_t>(first - poisoned->begin());
    if (const auto stored = block_.shared.find(address + index); stored != block_.shared.end()) {
      *origin = stored->second;
      return true;
    }
  }
  *origin = block_.note(instruction, warp.number, lane, {space, address, n_bytes, n_unwritten});
  return true;
}

void WarpPoison::set_bytes(const Warp& warp, int lane, Space space, std::uint64_t offset,
                           std::uint32_t n_bytes, const Bytes& poisoned, Origin origin) {
  for (std::uint32_t index = 0; index < n_bytes; ++index) {
    const bool is_poison = poisoned[index] != 0;
    if (space == Space::kLocal) {
      const std::uint64_t at = local_index(warp, lane, offset + index);
      if (is_poison) {
        block_.local[at] = origin;
      } else if (!block_.local.empty()) {
        block_.local.erase(at);
      }
    } else {
      warp.block->shared_written[offset + index] = is_poison ? 0 : 1;
      if (is_poison) {
        block_.shared[offset + index] = origin;
      } else if (!block_.shared.empty()) {
        block_.shared.erase(offset + index);
      }
    }
  }
}

void WarpPoison::load(Warp& warp, const Instruction& instruction) {
  FrameShadow& registers = shadow(*warp.frame);
  require_clean(warp, instruction, instruction.a, warp.active, kAddressUse);
  const Operation& operation = instruction.operation;
  const std::uint32_t n_bytes = size_bytes(operation.type);
  set_results(warp, instruction, warp.active, {});
  // The addresses are read before the handler overwrites them.
  std::uint64_t addresses[kWarpSize] = {};
  for_each_lane(warp.active,
                [&](int lane) { addresses[lane] = address_of(warp, instruction, lane); });
  instruction.handler(warp, instruction);
  for_each_lane(warp.active, [&](int lane) {
    Bytes bytes = {};
    Origin origin = 0;
    std::uint64_t address = addresses[lane];
    const Space space = locate(instruction, &address);
    if (!find_bytes(warp, instruction, lane, space, address, access_bytes(operation), &bytes,
                    &origin)) {
      return;
    }
    for (std::uint32_t element = 0; element < operation.n_elements; ++element) {
      const Slot slot = slot_of(warp, instruction, instruction.result, element);
      if (slot == kNoSlot) continue;
      ElementBits bits;
      for (std::uint32_t index = 0; index < registers.element_bytes(slot); ++index) {
        const bool is_extension = index >= n_bytes;
        if (is_extension && !is_signed(operation.type)) break;
        const bool is_poison = bytes[element * n_bytes + std::min(index, n_bytes - 1)] != 0;
        bits.bytes[index] = is_poison ? 0xff : 0;
      }
      registers.set_bits(slot, lane, bits, origin);
    }
  });
}

void WarpPoison::store(Warp& warp, const Instruction& instruction) {
  FrameShadow& registers = shadow(*warp.frame);
  require_clean(warp, instruction, instruction.a, warp.active, kAddressUse);
  const Poisoned found = sources(warp, instruction);
  const bool is_clean = (found.lanes & warp.active) == 0;
  const Operation& operation = instruction.operation;
  const std::uint32_t n_bytes = size_bytes(operation.type);
  if (is_clean && block_.local.empty() && block_.shared.empty()) {
    return instruction.handler(warp, instruction);
  }
  const auto poisoned_bytes = [&](int lane) {
    Bytes bytes = {};
    for (std::uint32_t element = 0; element < operation.n_elements; ++element) {
      const Slot slot = slot_of(warp, instruction, instruction.b, element);
      const ElementBits bits = registers.bits(slot, lane);
      for (std::uint32_t index = 0; index < n_bytes; ++index) {
        bytes[element * n_bytes + index] = bits.bytes[index] != 0;
      }
    }
    return bytes;
  };
  const auto is_global = [](Space space) {
    return space != Space::kLocal && space != Space::kShared;
  };
  for_each_lane(warp.active, [&](int lane) {
    std::uint64_t address = address_of(warp, instruction, lane);
    if (!is_global(locate(instruction, &address))) return;
    const Bytes bytes = poisoned_bytes(lane);
    if (std::find(bytes.begin(), bytes.end(), 1) == bytes.end()) return;
    fail_poison(warp, instruction, lane, "is written to global memory", found.origin);
  });
  instruction.handler(warp, instruction);
  for_each_lane(warp.active, [&](int lane) {
    std::uint64_t address = address_of(warp, instruction, lane);
    const Space space = locate(instruction, &address);
    if (is_global(space)) return;
    set_bytes(warp, lane, space, address, access_bytes(operation), poisoned_bytes(lane),
              found.origin);
  });
}

// cp.async. The bytes that it does not read are zero.
void WarpPoison::copy_to_shared(Warp& warp, const Instruction& instruction) {
  if (instruction.operation.mode != Mode::kAsync) return instruction.handler(warp, instruction);
  for (const Slot slot : {instruction.a, instruction.b, instruction.d}) {
    require_clean(warp, instruction, slot, warp.active, kAddressUse);
  }
  instruction.handler(warp, instruction);
  const auto n_bytes = read_lane<std::uint32_t>(warp, instruction.c, 0);
  for_each_lane(warp.active, [&](int lane) {
    Bytes bytes = {};
    Origin origin = 0;
    const auto n_read =
        instruction.d == kNoSlot ? n_bytes : read_lane<std::uint32_t>(warp, instruction.d, lane);
    const auto from = read_lane<std::uint64_t>(warp, instruction.b, lane);
    if (find_bytes(warp, instruction, lane, Space::kGlobal, from, n_read, &bytes, &origin)) {
      set_bytes(warp, lane, Space::kShared, address_of(warp, instruction, lane), n_bytes, bytes,
                origin);
    }
  });
}

void WarpPoison::check_local(const Warp& warp, const Instruction& instruction, int lane,
                             std::uint64_t offset, std::uint32_t n_bytes, const std::string& use) {
  for (std::uint32_t index = 0; index < n_bytes && !block_.local.empty(); ++index) {
    const auto found = block_.local.find(local_index(warp, lane, offset + index));
    if (found != block_.local.end()) fail_poison(warp, instruction, lane, use, found->second);
  }
}

void WarpPoison::copy_local(const Warp& warp, int lane, std::uint64_t to, std::uint64_t from,
                            std::uint32_t n_bytes) {
  if (block_.local.empty()) return;
  for (std::uint32_t index = 0; index < n_bytes; ++index) {
    const auto found = block_.local.find(local_index(warp, lane, from + index));
    const std::uint64_t target = local_index(warp, lane, to + index);
    if (found == block_.local.end()) {
      block_.local.erase(target);
    } else {
      block_.local[target] = found->second;
    }
  }
}

}  // namespace numpy_plugin::sim
