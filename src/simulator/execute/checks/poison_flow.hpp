// Follows poison through a warp's instructions, as memcheck does: bit by bit where values only
// move, else the whole result of an operation with a poisoned source is poison. Fails where poison
// decides something: a branch, an address, what leaves the kernel.
//
// A warp has this from its first read of poison to the end of its block, and without it runs at
// full speed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "simulator/execute/state/poison.hpp"

namespace numpy_plugin::sim {

// Thrown by the access that reads unwritten bytes in a warp without WarpPoison, before it has any
// effect: the instruction runs again with it.
struct PoisonRead {
  const Instruction* instruction;
};

inline constexpr char kAddressUse[] = "is an address";

// Whether the poison of an access to a space is followed; other ones may not read unwritten bytes.
bool follows_poison(const Instruction& instruction, Space space);

class WarpPoison {
 public:
  // Lanes with poison in an operand.
  struct Poisoned {
    LaneMask lanes = 0;
    Origin origin = 0;
  };

  explicit WarpPoison(BlockPoison& block) : block_(block) {}

  FrameShadow& shadow(const Frame& frame);
  // For a call: its registers are clean, except those that no instruction writes.
  void begin_frame(const Warp& warp, const Frame& frame);

  // Before an instruction that `now` of the group's lanes execute: fails where poison decides the
  // flow. Returns lanes where a poisoned guard decides only whether a result is written; after the
  // instruction, it is poison there.
  Poisoned check(const Warp& warp, const Instruction& instruction, LaneMask lanes, LaneMask now);
  void set_undecided(const Warp& warp, const Instruction& instruction, const Poisoned& undecided) {
    if (undecided.lanes != 0) set_results(warp, instruction, undecided.lanes, undecided);
  }
  // Runs an instruction that has a handler, for the warp's active lanes.
  void run(Warp& warp, const Instruction& instruction);
  // Before the engine reads local memory: the arguments of a function that it provides.
  void check_local(const Warp& warp, const Instruction& instruction, int lane, std::uint64_t offset,
                   std::uint32_t n_bytes, const std::string& use);
  // Copies the poison of an argument or a result between frames.
  void copy_local(const Warp& warp, int lane, std::uint64_t to, std::uint64_t from,
                  std::uint32_t n_bytes);

 private:
  using Bytes = std::array<std::uint8_t, 32>;  // of an access by one lane: 1 for poison
  // An atomic operation of a lane: where, and the poison of its operands.
  struct AtomicLane {
    Space space = Space::kGlobal;
    std::uint64_t address = 0;
    bool has_old = false;
    Bytes old = {};  // of memory, before the warp's operation
    Bytes operand = {};
    bool is_compared_poison = false;
    std::array<std::byte, 16> compared = {};  // the value that compare-and-swap expects
    Origin origin = 0;
  };

  Poisoned undecided(const Warp& warp, const Instruction& instruction, LaneMask lanes);
  void check_flow(const Warp& warp, const Instruction& instruction, LaneMask lanes);
  Poisoned sources(const Warp& warp, const Instruction& instruction);
  void set_results(const Warp& warp, const Instruction& instruction, LaneMask changed,
                   const Poisoned& poisoned);
  void follow(Warp& warp, const Instruction& instruction);
  void follow_move(Warp& warp, const Instruction& instruction, std::uint32_t data_operands);
  void follow_bitwise(const Warp& warp, const Instruction& instruction);
  void follow_parts(const Warp& warp, const Instruction& instruction);
  void require_clean(const Warp& warp, const Instruction& instruction, Slot slot, LaneMask lanes,
                     const char* use);

  void load(Warp& warp, const Instruction& instruction);
  void store(Warp& warp, const Instruction& instruction);
  void change(Warp& warp, const Instruction& instruction);
  // Of one lane, before and after the handler, which overwrites registers and memory.
  AtomicLane before_atomic(Warp& warp, const Instruction& instruction, int lane);
  Bytes after_atomic(Warp& warp, const Instruction& instruction, int lane, AtomicLane& atomic);
  void copy_to_shared(Warp& warp, const Instruction& instruction);
  // The poisoned bytes at a lane's address; false: none.
  bool find_bytes(Warp& warp, const Instruction& instruction, int lane, Space space,
                  std::uint64_t address, std::uint32_t n_bytes, Bytes* poisoned, Origin* origin);
  // Sets the poison of bytes of shared or local memory.
  void set_bytes(const Warp& warp, int lane, Space space, std::uint64_t offset,
                 std::uint32_t n_bytes, const Bytes& poisoned, Origin origin);

  BlockPoison& block_;
  std::unordered_map<const Frame*, std::unique_ptr<FrameShadow>> shadows_;
};

// `use`: "decides a branch", "is written to global memory".
[[noreturn]] void fail_poison(const Warp& warp, const Instruction& instruction, int lane,
                              const std::string& use, Origin origin);

}  // namespace numpy_plugin::sim
