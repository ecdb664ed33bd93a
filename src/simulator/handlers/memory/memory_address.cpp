// cvta, isspacep: conversions between generic addresses and those of a space. mapa, getctarank: a
// cluster has one block, whose shared memory has the same addresses in the cluster.
#include "simulator/handlers/common/families.hpp"
#include "simulator/handlers/memory/memory_access.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

// Offset from an address in a space to the generic one.
constexpr std::uint64_t window_of(Space space) {
  if (space == Space::kShared) return kSharedWindow;
  if (space == Space::kLocal) return kLocalWindow;
  if (space == Space::kParam) return kParamWindow;
  return 0;
}

inline Space target_space(Mode mode) {
  if (mode == Mode::kToShared) return Space::kShared;
  if (mode == Mode::kToLocal) return Space::kLocal;
  if (mode == Mode::kToParam) return Space::kParam;
  return Space::kGlobal;
}

void convert_address(Warp& warp, const Instruction& instruction) {
  const Operation& operation = instruction.operation;
  const std::uint64_t difference = operation.mode == Mode::kNone
                                       ? window_of(operation.space)
                                       : 0 - window_of(target_space(operation.mode));
  const auto* addresses = source<std::uint64_t>(warp, instruction.a);
  write_lanes<std::uint64_t>(warp, instruction.result,
                             [=](int lane) { return addresses[lane] + difference; });
}

void test_space(Warp& warp, const Instruction& instruction) {
  const auto* addresses = source<std::uint64_t>(warp, instruction.a);
  LaneMask mask = 0;
  for_lanes(warp.active, [&](int lane) {
    if (space_of(warp, addresses[lane]) == instruction.operation.space) mask |= kLaneBit.of[lane];
  });
  write_mask(warp, instruction.result, mask);
}

template <class T>
void map_to_block(Warp& warp, const Instruction& instruction) {
  const auto* ranks = source<std::uint32_t>(warp, instruction.b);
  for_lanes(warp.active, [&](int lane) {
    if (ranks[lane] != 0) fail_rank(warp, instruction, lane, ranks[lane]);
  });
  const T* addresses = source<T>(warp, instruction.a);
  write_lanes<T>(warp, instruction.result, [=](int lane) { return addresses[lane]; });
}

void write_rank(Warp& warp, const Instruction& instruction) {
  write_lanes<std::uint32_t>(warp, instruction.result, [](int) { return 0u; });
}

}  // namespace

Handler find_address(const Instruction& instruction) {
  const Operation& operation = instruction.operation;
  if (operation.opcode == Opcode::kCvta) return convert_address;
  if (operation.opcode == Opcode::kGetctarank) return write_rank;
  if (operation.opcode == Opcode::kIsspacep) return test_space;
  return operation.type == Type::kU32 ? map_to_block<std::uint32_t> : map_to_block<std::uint64_t>;
}

}  // namespace numpy_plugin::sim::NPP_ISA
