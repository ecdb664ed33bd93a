// cp.async: copied synchronously, which correct programs can't observe.
#include "simulator/handlers/common/families.hpp"
#include "simulator/handlers/memory/memory_access.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

// Waits for copies, which have ended, and prefetches.
void skip(Warp&, const Instruction&) {}

constexpr std::uint32_t kMostCopiedBytes =
    16;  // per lane of cp.async, and per piece of a bulk copy

// Reads the first n_bytes[lane] bytes at the addresses, in pieces aligned like the addresses.
void read_copied(Warp& warp, const Instruction& instruction, const Addresses& from,
                 const std::uint32_t* n_bytes, std::byte* data) {
  for (std::uint32_t piece = kMostCopiedBytes; piece != 0; piece /= 2) {
    Addresses places;
    std::uint32_t offsets[kWarpSize] = {};
    LaneMask lanes = 0;
    for_lanes(warp.active, [&](int lane) {
      offsets[lane] = n_bytes[lane] & ~(2 * piece - 1);
      places.of[lane] = from.of[lane] + offsets[lane];
      if ((n_bytes[lane] & piece) != 0) lanes |= LaneMask{1} << lane;
    });
    if (lanes == 0) continue;
    LaneAccess read = lane_access(warp, instruction, places, piece);
    read.space = Space::kGlobal;
    read.lanes = lanes;
    read.reads = true;
    std::byte* sources[kWarpSize];
    resolve(warp, instruction, read, sources);
    for_lanes(lanes, [&](int lane) {
      __builtin_memcpy(data + static_cast<std::uint32_t>(lane) * kMostCopiedBytes + offsets[lane],
                       sources[lane], piece);
    });
  }
}

// Number of source bytes per lane of a cp.async: n_bytes by default.
void read_copied_sizes(Warp& warp, const Instruction& instruction, std::uint32_t n_bytes,
                       std::uint32_t* sizes) {
  const bool is_said = instruction.d != kNoSlot;
  const auto* said = is_said ? source<std::uint32_t>(warp, instruction.d) : nullptr;
  for_lanes(warp.active, [&](int lane) {
    sizes[lane] = is_said ? said[lane] : n_bytes;
    if (sizes[lane] > n_bytes) fail_copy_size(warp, instruction, sizes[lane]);
  });
}

void copy_to_shared(Warp& warp, const Instruction& instruction) {
  if (warp.active == 0) return;
  const std::uint32_t n_bytes = *source<std::uint32_t>(warp, instruction.c);
  if (n_bytes != 4 && n_bytes != 8 && n_bytes != kMostCopiedBytes) {
    fail_copy_size(warp, instruction, n_bytes);
  }
  std::uint32_t sizes[kWarpSize] = {};
  read_copied_sizes(warp, instruction, n_bytes, sizes);
  Addresses from;
  const auto* registers = source<std::uint64_t>(warp, instruction.b);
  for (int lane = 0; lane < kWarpSize; ++lane) from.of[lane] = registers[lane];
  // Elements not read are zero.
  alignas(64) std::byte data[kWarpSize * kMostCopiedBytes] = {};
  read_copied(warp, instruction, from, sizes, data);
  // The lanes' bytes, contiguous.
  for_lanes(warp.active, [&](int lane) {
    __builtin_memmove(data + static_cast<std::uint32_t>(lane) * n_bytes,
                      data + static_cast<std::uint32_t>(lane) * kMostCopiedBytes, n_bytes);
  });
  Addresses to;
  read_addresses(warp, instruction, &to);
  LaneAccess write = lane_access(warp, instruction, to, n_bytes);
  write.space = Space::kShared;
  write.writes = true;
  write.data = data;
  std::byte* targets[kWarpSize];
  resolve(warp, instruction, write, targets);
  for_lanes(warp.active, [&](int lane) {
    __builtin_memcpy(targets[lane], data + static_cast<std::uint32_t>(lane) * n_bytes, n_bytes);
  });
}

}  // namespace

Handler find_copy(const Instruction& instruction) {
  switch (instruction.operation.mode) {
    case Mode::kAsync:
      return copy_to_shared;
    case Mode::kArriveForCopies:
    case Mode::kArriveNoIncrement:
      return arrive_for_copies;
    case Mode::kCommitGroup:
    case Mode::kWaitGroup:
    case Mode::kWaitAll:
    case Mode::kBulkPrefetch:
      return skip;
    default:
      return find_bulk_copy(instruction);
  }
}

}  // namespace numpy_plugin::sim::NPP_ISA
