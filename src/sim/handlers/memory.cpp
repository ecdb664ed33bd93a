// The instructions of memory: which handler, and those that do little.
#include "numpy_plugin/sim/handlers/memory.hpp"

#include "numpy_plugin/sim/handlers/families.hpp"
#include "numpy_plugin/sim/handlers/memory_access.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

// Prefetches, and waits for copies that were done at once.
void do_nothing(Warp&, const Instruction&) {}

// Accesses that are ordered are sequentially consistent in the host, so that a fence has to do
// nothing there.
void fence(Warp& warp, const Instruction&) { release(warp, warp.active); }

// cp.async: copied at once; a program that is right can't tell.
void copy_to_shared(Warp& warp, const Instruction& instruction) {
  constexpr std::uint32_t kMostBytes = 16;
  if (warp.active == 0) return;
  const std::uint32_t n_bytes = *source<std::uint32_t>(warp, instruction.c);
  if (n_bytes != 4 && n_bytes != 8 && n_bytes != kMostBytes) {
    fail_copy_size(warp, instruction, n_bytes);
  }
  Addresses from;
  const auto* registers = source<std::uint64_t>(warp, instruction.b);
  for (int lane = 0; lane < kWarpSize; ++lane) from.of[lane] = registers[lane];
  LaneAccess read = lane_access(warp, instruction, from, n_bytes);
  read.space = Space::kGlobal;
  read.reads = true;
  std::byte* sources[kWarpSize];
  resolve(warp, instruction, read, sources);

  alignas(64) std::byte data[kWarpSize * kMostBytes];
  for_lanes(warp.active, [&](int lane) {
    __builtin_memcpy(data + static_cast<std::uint32_t>(lane) * n_bytes, sources[lane], n_bytes);
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

Handler find_memory(const Instruction& instruction) {
  switch (instruction.operation.opcode) {
    case Opcode::kLd:
      return find_load(instruction);
    case Opcode::kSt:
      return find_store(instruction);
    case Opcode::kCvta:
    case Opcode::kIsspacep:
      return find_address(instruction);
    case Opcode::kPrefetch:
      return do_nothing;
    case Opcode::kMembar:
    case Opcode::kFence:
      return fence;
    case Opcode::kCp:
      return instruction.operation.mode == Mode::kAsync ? copy_to_shared : do_nothing;
    default:
      return nullptr;
  }
}

}  // namespace numpy_plugin::sim::NPP_ISA
