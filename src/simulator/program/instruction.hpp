// An instruction as handlers get it: plain data. All handlers include this, so it includes little.
#pragma once

#include <cstdint>

#include "simulator/assembly/types.hpp"
#include "simulator/program/operation.hpp"

namespace numpy_plugin::sim {

constexpr int kWarpSize = 32;
using LaneMask = std::uint32_t;
constexpr LaneMask kAllLanes = 0xffffffffu;

// Location of a value's 32 lanes: a byte offset into the frame's registers or, with kConstantSlot
// added, into the program's constants. A predicate is one LaneMask; every other value is 32
// elements of its register's size, on a 64-byte boundary. kNoSlot: no such operand.
using Slot = std::int32_t;
constexpr Slot kNoSlot = INT32_MAX;
constexpr Slot kConstantSlot = INT32_MIN;
constexpr Slot kSlotOffset = INT32_MAX;  // the bits of an offset
constexpr std::uint32_t kRegisterBoundary = 64;

// Action of the warp's loop for an instruction: for kNext, only its handler.
enum class Flow : std::uint8_t {
  kNext,
  kBranch,
  kBranchIndexed,
  kCall,
  kCallIndirect,
  kReturn,
  kExit,
  kTrap,
  kBarrier,  // bar, barrier.cta
  // shfl, vote, match, redux, bar.warp.sync: wait for the lanes of their mask; matrix instructions:
  // for all lanes, whose handlers then run once.
  kWarpSync,
  kYield,  // nanosleep, mbarrier.try_wait: the handler, then a turn of other lanes and warps
};

// Classes of instructions that the counters distinguish.
enum class InstructionClass : std::uint8_t {
  kInteger,
  kFloat32,
  kFloat64,
  kHalf,
  kSpecialFunction,
  kConversion,
  kMove,
  kControl,
  kGlobalLoad,
  kGlobalStore,
  kSharedAccess,
  kLocalAccess,
  kAtomic,
  kWarpOperation,
  kBarrier
};
constexpr int kInstructionClasses = 15;

struct Warp;
struct Instruction;
using Handler = void (*)(Warp&, const Instruction&);

// Operands. Results come first in PTX; the sources are a, b, c, d, e in the order
// written.
// - ld: result or list; address in a. st: address in a; data in b or list.
// - atom: result, address in a, then b and c; vectors: list of the results, then of the sources.
// - setp, vote: a predicate as result, setp p|q: another as second_result. selp, setp.and, set.and
//   and the like: a predicate in c. lop3 d|p: result, second_result; a predicate in e.
// - shfl d|p: result, second_result; a, b, c and the mask of lanes in d.
// - match, redux: result (second_result), a, mask in b. bar.warp.sync: mask in a.
// - bar: result of .red, barrier in a, number of threads in b, predicate in c.
// - add.cc and similar: the carry written is second_result. addc, madc: the carry read is d.
// - mov: packing has its sources in the list; unpacking has its results there and the source in a;
//   a clock has neither list nor a: `target` is the SpecialRegister.
// - cp.async: shared address in a, global address in b, bytes in c; in d how many of them are read
//   (the rest is zero), or kNoSlot: all.
// - brx.idx: the index in a, `target` instructions in the lists from `list`.
// - alloca: size in a, alignment in b, or kNoSlot: 8.
// - video instructions: c may be missing, or is the value that a mask's unset parts come from; the
//   mask is in d, or kNoSlot: all parts.
// - mma, wmma: the list has the registers of the fragments in the order written. ldmatrix,
//   wmma.load: address in a, stride in b. stmatrix, wmma.store: address in a, stride in c.
// - call: the list has, for each result and then each parameter, the location of the caller's
//   variable in its frame's local memory. kCallIndirect: the function's address in a.
// Immediates and addresses of symbols are constants, 32 equal lanes of the operand's type. A
// negated source predicate is negated by a preceding instruction. `_` is kNoSlot.
struct Instruction {
  Handler handler = nullptr;  // nullptr where `flow` is sufficient
  Operation operation;
  Flow flow = Flow::kNext;
  InstructionClass category = InstructionClass::kMove;
  bool is_guard_negated = false;
  std::uint8_t result_bytes = 0;    // of the register written (ld, cvt: may be wider than the type)
  std::uint8_t source_bytes = 0;    // of the first data source's register (st, cvt: likewise)
  std::uint8_t address_bytes = 8;   // of the register with an address in a: 4 or 8
  std::uint8_t n_list = 0;          // slots in Program::lists from `list`
  std::uint8_t n_list_results = 0;  // of them: the first ones; the others are sources
  bool is_absolute = false;         // access: `offset` is the address in its space, a is kNoSlot
  bool is_probe = false;            // ld: a first look before an atomic operation, races with none
  // A constant or absolute address of a variable in the frame: relative to its local_offset.
  bool is_in_frame = false;
  Slot guard = kNoSlot;
  Slot result = kNoSlot;
  Slot second_result = kNoSlot;
  Slot a = kNoSlot;
  Slot b = kNoSlot;
  Slot c = kNoSlot;
  Slot d = kNoSlot;
  Slot e = kNoSlot;
  std::uint32_t list = 0;
  std::uint32_t target = 0;  // kBranch: instruction; kCall: function
  std::int64_t offset = 0;   // added to an address
  // Instructions from this one on that a group of lanes executes one after the other: without a
  // guard, of Flow::kNext.
  std::uint32_t n_plain = 0;
  int line = 0;                          // in the PTX
  std::uint32_t location = kNoLocation;  // of Program::locations
};

enum class SpecialRegister : std::uint8_t {
#define NPP_PTX_SPECIAL_REGISTER(enumerator, spelling, type) enumerator,
#include "simulator/program/special_registers.def"
};

}  // namespace numpy_plugin::sim
