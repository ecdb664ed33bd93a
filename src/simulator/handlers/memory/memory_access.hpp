// Addresses of a memory instruction's lanes. Coalesced lanes (consecutive, or all at one address)
// are checked together here; other accesses are left to the engine, lane by lane.
#pragma once

#include "simulator/execute/checks/access.hpp"
#include "simulator/execute/checks/mbarriers.hpp"
#include "simulator/execute/state/block.hpp"
#include "simulator/handlers/common/lanes.hpp"

namespace numpy_plugin::sim::NPP_ISA {

constexpr std::uint64_t kSectorBytes = 32;

struct Addresses {
  alignas(64) std::uint64_t of[kWarpSize];
};

// Addresses of an operand in its space, for all lanes.
inline void read_addresses(const Warp& warp, const Instruction& instruction, Addresses* addresses) {
  if (instruction.is_absolute) {
    const std::uint64_t frame = instruction.is_in_frame ? warp.frame->local_offset : 0;
    const std::uint64_t address = static_cast<std::uint64_t>(instruction.offset) + frame;
    for (int lane = 0; lane < kWarpSize; ++lane) addresses->of[lane] = address;
  } else if (instruction.address_bytes == 4) {
    const auto* registers = source<std::uint32_t>(warp, instruction.a);
    const auto offset = static_cast<std::uint32_t>(instruction.offset);
    for (int lane = 0; lane < kWarpSize; ++lane) addresses->of[lane] = registers[lane] + offset;
  } else {
    const auto* registers = source<std::uint64_t>(warp, instruction.a);
    const auto offset = static_cast<std::uint64_t>(instruction.offset);
    for (int lane = 0; lane < kWarpSize; ++lane) addresses->of[lane] = registers[lane] + offset;
  }
}

inline LaneAccess lane_access(const Warp& warp, const Instruction& instruction,
                              const Addresses& addresses, std::uint32_t n_bytes) {
  LaneAccess access;
  access.addresses = addresses.of;
  access.space = instruction.operation.space;
  access.lanes = warp.active;
  access.n_bytes = n_bytes;
  return access;
}

// Slot of a vector's element; `scalar` for instructions without a vector.
inline Slot element_slot(const Warp& warp, const Instruction& instruction, Slot scalar,
                         int element) {
  if (instruction.n_list == 0) return scalar;
  const Slot* lists = warp.block->launch->program->lists.data();
  return lists[instruction.list + static_cast<std::uint32_t>(element)];
}

// Coalesced lanes.
struct CoalescedLanes {
  enum class Kind { kNone, kRow, kSame };
  Kind kind = Kind::kNone;
  int first = 0;  // lane
  int n_lanes = 0;
  std::byte* data = nullptr;  // of lane `first`
};

// Whether the active lanes are one run, kBytes apart.
template <std::uint64_t kBytes>
inline bool is_row(const Addresses& addresses, LaneMask lanes, int first) {
  const LaneMask low = lanes >> first;
  if ((low & (low + 1)) != 0) return false;
  const std::uint64_t begin = addresses.of[first] - static_cast<std::uint64_t>(first) * kBytes;
  const LaneMask in_row = collect_lanes([&](int lane) {
    return addresses.of[lane] == begin + static_cast<std::uint64_t>(lane) * kBytes;
  });
  return (in_row & lanes) == lanes;
}

inline bool is_same(const Addresses& addresses, LaneMask lanes, int first) {
  const std::uint64_t begin = addresses.of[first];
  const LaneMask same = collect_lanes([&](int lane) { return addresses.of[lane] == begin; });
  return (same & lanes) == lanes;
}

// Bytes of a run of all lanes.
template <std::uint64_t kBytes>
constexpr std::uint64_t kRowBytes = std::uint64_t{kWarpSize} * kBytes;

inline bool all_written(const std::uint8_t* written, std::uint64_t n_bytes) {
  constexpr std::uint64_t kOnes = 0x0101'0101'0101'0101;
  std::uint64_t all = kOnes;
  std::uint64_t index = 0;
  for (; index + 8 <= n_bytes; index += 8) {
    std::uint64_t eight;
    __builtin_memcpy(&eight, written + index, sizeof eight);
    all &= eight;
  }
  if (all != kOnes) return false;
  for (; index < n_bytes; ++index) {
    if (written[index] == 0) return false;
  }
  return true;
}

// Whether a run of lanes may be accessed by its record of written bytes, which a store completes.
// The usual size is a constant here, so that the loops are unrolled.
template <std::uint64_t kBytes>
inline bool use_written(std::uint8_t* written, std::uint64_t n_bytes, bool is_store,
                        bool is_checked) {
  const bool is_whole = n_bytes == kRowBytes<kBytes>;
  if (is_store) {
    if (is_whole) {
      __builtin_memset(written, 1, kRowBytes<kBytes>);
    } else {
      __builtin_memset(written, 1, n_bytes);
    }
    return true;
  }
  if (!is_checked) return true;
  return is_whole ? all_written(written, kRowBytes<kBytes>) : all_written(written, n_bytes);
}

inline void count_global(Block& block, const LaneAccess& access, std::uint64_t begin,
                         std::uint64_t n_bytes, int n_lanes) {
  Counters& counters = *block.counters;
  const std::uint64_t asked = static_cast<std::uint64_t>(n_lanes) * access.n_bytes;
  if (access.writes) {
    counters.global_store_bytes += asked;
  } else {
    counters.global_load_bytes += asked;
  }
  counters.global_transactions += (begin + n_bytes - 1) / kSectorBytes - begin / kSectorBytes + 1;
}

// The bytes of a run in global memory, checked, marked and counted; nullptr where the engine has to
// check in detail.
template <std::uint64_t kBytes>
inline std::byte* global_bytes(Warp& warp, const Instruction& instruction, const LaneAccess& access,
                               std::uint64_t begin, std::uint64_t n_bytes) {
  Block& block = *warp.block;
  const auto index = &instruction - block.launch->program->code.data();
  const Extent* extent = block.extents->data() + index;
  if (!extent->holds(begin, n_bytes)) [[unlikely]] {
    extent = find_extent(warp, instruction, begin, n_bytes);
    if (extent == nullptr) return nullptr;
  }
  if (access.writes && extent->is_read_only) return nullptr;
  if (block.global_races != nullptr && extent->races != nullptr) {
    check_row_races(warp, instruction, access, *extent, begin, n_bytes);
  }
  const std::uint64_t offset = begin - extent->begin;
  if (extent->written != nullptr &&
      !use_written<kBytes>(extent->written + offset, n_bytes, access.writes,
                           block.launch->checks.uninitialized)) {
    return nullptr;
  }
  return extent->data + offset;
}

template <std::uint64_t kBytes>
inline std::byte* shared_bytes(Warp& warp, const Instruction& instruction, const LaneAccess& access,
                               std::uint64_t begin, std::uint64_t n_bytes) {
  Block& block = *warp.block;
  if (n_bytes > block.shared_bytes || begin > block.shared_bytes - n_bytes) return nullptr;
  if (block.shared_written != nullptr &&
      !use_written<kBytes>(block.shared_written + begin, n_bytes, access.writes, true)) {
    return nullptr;
  }
  if (block.races != nullptr) check_races(warp, instruction, access);
  return block.shared + begin;
}

// Lanes of a plain access of kBytes each that are coalesced in global or shared memory. Loads may
// all be from one address.
template <std::uint64_t kBytes>
inline CoalescedLanes find_together(Warp& warp, const Instruction& instruction,
                                    const LaneAccess& access, const Addresses& addresses) {
  Block& block = *warp.block;
  const LaneMask lanes = access.lanes;
  CoalescedLanes together;
  together.first = __builtin_ctz(lanes);
  together.n_lanes = __builtin_popcount(lanes);
  std::uint64_t n_bytes = kBytes;
  if (is_row<kBytes>(addresses, lanes, together.first)) {
    n_bytes *= static_cast<std::uint64_t>(together.n_lanes);
    together.kind = CoalescedLanes::Kind::kRow;
  } else if (!access.writes && is_same(addresses, lanes, together.first)) {
    together.kind = CoalescedLanes::Kind::kSame;
  } else {
    return together;
  }
  const std::uint64_t begin = addresses.of[together.first];
  if (begin % kBytes != 0 && block.launch->checks.alignment) return {};
  const bool is_shared = access.space == Space::kShared;
  together.data = is_shared ? shared_bytes<kBytes>(warp, instruction, access, begin, n_bytes)
                            : global_bytes<kBytes>(warp, instruction, access, begin, n_bytes);
  if (together.data == nullptr) return {};
  if (!is_shared) count_global(block, access, begin, n_bytes, together.n_lanes);
  return together;
}

// Local memory of the lanes, where they all use the same address in their own; false: check in
// detail.
template <std::uint64_t kBytes>
inline bool find_local(Warp& warp, const LaneAccess& access, const Addresses& addresses,
                       std::byte** pointers) {
  const Block& block = *warp.block;
  const int first = __builtin_ctz(access.lanes);
  const std::uint64_t address = addresses.of[first];
  if (!is_same(addresses, access.lanes, first)) return false;
  if (kBytes > block.local_bytes || address > block.local_bytes - kBytes) return false;
  if (address % kBytes != 0 && block.launch->checks.alignment) return false;
  std::byte* data = block.local + warp.number * kWarpSize * block.local_bytes + address;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    pointers[lane] = data + static_cast<std::uint64_t>(lane) * block.local_bytes;
  }
  return true;
}

// Whether coalescing applies to a space, with its windows and allocations.
inline bool can_coalesce(Space space) {
  return space == Space::kGlobal || space == Space::kShared || space == Space::kConst ||
         space == Space::kGeneric;
}

// Checked memory of each lane.
template <std::uint64_t kBytes>
inline void find_each(Warp& warp, const Instruction& instruction, const LaneAccess& access,
                      const Addresses& addresses, std::byte** pointers) {
  if (access.space == Space::kLocal && find_local<kBytes>(warp, access, addresses, pointers)) {
    return;
  }
  resolve(warp, instruction, access, pointers);
}

// Calls visit(lane) for the lanes of a mask in order.
template <class Visit>
inline void for_lanes(LaneMask lanes, const Visit& visit) {
  for (; lanes != 0; lanes &= lanes - 1) visit(__builtin_ctz(lanes));
}

// st.async, red.async: tells each lane's mbarrier, in c, that its bytes are stored.
inline void complete_lanes(Warp& warp, const Instruction& instruction, std::uint32_t n_bytes) {
  const auto* mbarriers = source<std::uint64_t>(warp, instruction.c);
  for_lanes(warp.active,
            [&](int lane) { complete_bytes(warp, instruction, lane, mbarriers[lane], n_bytes); });
}

// Access::run<element, elements per lane> as the handler for a type's size and a vector's length.
template <class Access, class T>
Handler pick_elements(std::uint32_t n_elements) {
  if (n_elements == 1) return &Access::template run<T, 1>;
  if (n_elements == 2) return &Access::template run<T, 2>;
  if (n_elements == 4) return &Access::template run<T, 4>;
  if constexpr (sizeof(T) == 4) {
    if (n_elements == 8) return &Access::template run<T, 8>;
  }
  return nullptr;
}

template <class Access>
Handler pick(std::uint32_t n_bytes, std::uint32_t n_elements) {
  if (n_bytes == 1) return pick_elements<Access, std::uint8_t>(n_elements);
  if (n_bytes == 2) return pick_elements<Access, std::uint16_t>(n_elements);
  if (n_bytes == 4) return pick_elements<Access, std::uint32_t>(n_elements);
  if (n_bytes == 8) return pick_elements<Access, std::uint64_t>(n_elements);
  return n_bytes == 16 && n_elements == 1 ? &Access::template run<Bits128, 1> : nullptr;
}

}  // namespace numpy_plugin::sim::NPP_ISA
