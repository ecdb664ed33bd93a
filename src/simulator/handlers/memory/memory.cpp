// Dispatch of memory instructions, and those with little effect.
#include "simulator/handlers/common/families.hpp"

#include "simulator/handlers/memory/memory_access.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

// Hints to caches. The bytes of discard keep their values, of which PTX says nothing.
void do_nothing(Warp&, const Instruction&) {}

// Ordered accesses are sequentially consistent in the host, so a fence needs no instruction there.
void fence(Warp& warp, const Instruction&) { release(warp, warp.active); }

// createpolicy: caches are not simulated, so that all policies are one.
void write_policy(Warp& warp, const Instruction& instruction) {
  write_lanes<std::uint64_t>(warp, instruction.result, [](int) { return std::uint64_t{0}; });
}

}  // namespace

Handler find_memory(const Instruction& instruction) {
  switch (instruction.operation.opcode) {
    case Opcode::kLd:
    case Opcode::kLdu:
      return find_load(instruction);
    case Opcode::kSt:
      return find_store(instruction);
    case Opcode::kCvta:
    case Opcode::kIsspacep:
    case Opcode::kMapa:
    case Opcode::kGetctarank:
      return find_address(instruction);
    case Opcode::kAlloca:
    case Opcode::kStacksave:
    case Opcode::kStackrestore:
      return find_stack(instruction);
    case Opcode::kApplypriority:
    case Opcode::kDiscard:
    case Opcode::kPrefetch:
    case Opcode::kPrefetchu:
      return do_nothing;
    case Opcode::kCreatepolicy:
      return write_policy;
    case Opcode::kMembar:
    case Opcode::kFence:
      return fence;
    case Opcode::kMbarrier:
      return run_mbarrier;
    case Opcode::kCp:
      return find_copy(instruction);
    default:
      return nullptr;
  }
}

}  // namespace numpy_plugin::sim::NPP_ISA
