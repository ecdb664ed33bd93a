// cp.async.bulk, cp.reduce.async.bulk: carried out synchronously, which correct programs can't
// observe, in pieces of 16 bytes.
#include "simulator/handlers/common/families.hpp"
#include "simulator/handlers/memory/atomic_functions.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

constexpr std::uint32_t kPieceBytes = 16;

// The bytes of a piece, for one lane.
struct Piece {
  Warp& warp;
  const Instruction& instruction;
  int lane;

  LaneAccess access(const Addresses& addresses, Space space) const {
    LaneAccess access = lane_access(warp, instruction, addresses, kPieceBytes);
    access.space = space;
    access.lanes = LaneMask{1} << lane;
    return access;
  }
  std::byte* find(const LaneAccess& access) const {
    std::byte* pointers[kWarpSize];
    resolve(warp, instruction, access, pointers);
    return pointers[lane];
  }
};

struct Copy {
  static LaneAccess access(LaneAccess access, const std::byte* source) {
    access.writes = true;
    // Of the only lane, where lanes before it would have theirs.
    access.data = source - static_cast<std::size_t>(__builtin_ctz(access.lanes)) * kPieceBytes;
    return access;
  }
  static void run(Warp&, std::byte* target, const std::byte* source) {
    __builtin_memmove(target, source, kPieceBytes);
  }
};

template <class Function, class T>
struct Reduce {
  static LaneAccess access(LaneAccess access, const std::byte*) {
    access.reads = true;
    access.writes = true;
    access.is_atomic = true;
    return access;
  }
  static void run(Warp& warp, std::byte* target, const std::byte* source) {
    for (std::uint32_t offset = 0; offset < kPieceBytes; offset += sizeof(T)) {
      T value;
      __builtin_memcpy(&value, source + offset, sizeof value);
      Function::apply(warp, target + offset, value, value);
    }
  }
};

// Of addresses in b and sizes in c; with a mbarrier in d where it completes bytes.
template <class Action>
void run_lanes(Warp& warp, const Instruction& instruction, Space from_space) {
  Addresses to;
  read_addresses(warp, instruction, &to);
  Addresses from;
  const auto* sources = source<std::uint64_t>(warp, instruction.b);
  const auto* sizes = source<std::uint32_t>(warp, instruction.c);
  for (int lane = 0; lane < kWarpSize; ++lane) from.of[lane] = sources[lane];
  for_lanes(warp.active, [&](int lane) {
    const Piece piece{warp, instruction, lane};
    if (sizes[lane] % kPieceBytes != 0) fail_bulk_size(warp, instruction, lane, sizes[lane]);
    for (std::uint32_t offset = 0; offset < sizes[lane]; offset += kPieceBytes) {
      LaneAccess read = piece.access(from, from_space);
      read.reads = true;
      const std::byte* data = piece.find(read);
      const LaneAccess change = piece.access(to, instruction.operation.space);
      Action::run(warp, piece.find(Action::access(change, data)), data);
      from.of[lane] += kPieceBytes;
      to.of[lane] += kPieceBytes;
    }
    if (!instruction.operation.completes_bytes) return;
    const auto* mbarriers = source<std::uint64_t>(warp, instruction.d);
    complete_bytes(warp, instruction, lane, mbarriers[lane], sizes[lane]);
  });
}

template <Space kFrom>
void copy_in_bulk(Warp& warp, const Instruction& instruction) {
  run_lanes<Copy>(warp, instruction, kFrom);
}

struct BulkReduction {
  template <class Function, class T>
  static void run(Warp& warp, const Instruction& instruction) {
    run_lanes<Reduce<Function, T>>(warp, instruction, Space::kShared);
  }
};

}  // namespace

Handler find_bulk_copy(const Instruction& instruction) {
  switch (instruction.operation.mode) {
    case Mode::kBulkFromGlobal:
      return copy_in_bulk<Space::kGlobal>;
    case Mode::kBulkFromShared:
      return copy_in_bulk<Space::kShared>;
    default:
      return find_reduction<BulkReduction>(instruction.operation);
  }
}

}  // namespace numpy_plugin::sim::NPP_ISA
