// alloca, stacksave, stackrestore: lane by lane, as each has its own stack.
#include "simulator/execute/state/warp.hpp"

#include "simulator/handlers/common/families.hpp"
#include "simulator/handlers/memory/memory_access.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

constexpr std::uint32_t kDefaultAlignment = 8;

template <class T>
void allocate_stack(Warp& warp, const Instruction& instruction) {
  const auto* sizes = source<T>(warp, instruction.a);
  const std::uint32_t alignment =
      instruction.b == kNoSlot ? kDefaultAlignment : *source<std::uint32_t>(warp, instruction.b);
  T addresses[kWarpSize] = {};
  for_lanes(warp.active, [&](int lane) {
    addresses[lane] =
        static_cast<T>(allocate_on_stack(warp, instruction, lane, sizes[lane], alignment));
  });
  write_lanes<T>(warp, instruction.result, [&](int lane) { return addresses[lane]; });
}

template <class T>
void save_stack(Warp& warp, const Instruction& instruction) {
  T addresses[kWarpSize] = {};
  for_lanes(warp.active,
            [&](int lane) { addresses[lane] = static_cast<T>(stack_top(warp, lane)); });
  write_lanes<T>(warp, instruction.result, [&](int lane) { return addresses[lane]; });
}

template <class T>
void take_back_stack(Warp& warp, const Instruction& instruction) {
  const auto* tops = source<T>(warp, instruction.a);
  for_lanes(warp.active, [&](int lane) { restore_stack(warp, instruction, lane, tops[lane]); });
}

template <class T>
Handler find_stack_of(Opcode opcode) {
  if (opcode == Opcode::kAlloca) return allocate_stack<T>;
  return opcode == Opcode::kStacksave ? save_stack<T> : take_back_stack<T>;
}

}  // namespace

Handler find_stack(const Instruction& instruction) {
  const Opcode opcode = instruction.operation.opcode;
  return size_bytes(instruction.operation.type) == sizeof(std::uint64_t)
             ? find_stack_of<std::uint64_t>(opcode)
             : find_stack_of<std::uint32_t>(opcode);
}

}  // namespace numpy_plugin::sim::NPP_ISA
