// An instruction without its operands: its mnemonic as fields.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "simulator/assembly/types.hpp"

namespace numpy_plugin::sim {

enum class Opcode : std::uint8_t {
#define NPP_PTX_OPCODE(name, spelling, ...) name,
#include "simulator/program/opcodes.def"
};

// .rn .rz .rm .rp .rna (ties away from zero), and those to integers: .rni .rzi .rmi .rpi
enum class Rounding : std::uint8_t {
  kNone,
  kNearest,
  kZero,
  kDown,
  kUp,
  kNearestAway,
  kNearestInteger,
  kZeroInteger,
  kDownInteger,
  kUpInteger
};

enum class Comparison : std::uint8_t {
  kNone,
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kEqu,
  kNeu,
  kLtu,
  kLeu,
  kGtu,
  kGeu,  // true where an operand is NaN
  kNum,
  kNan
};

// Part of a product, or words of dp2a.
enum class Part : std::uint8_t { kNone, kLow, kHigh, kWide };

// Modifiers specific to one opcode.
enum class Mode : std::uint8_t {
  kNone,
  kAdd,
  kMin,
  kMax,
  kAnd,
  kOr,
  kXor,
  kInc,
  kDec,
  kExchange,
  kCompareAndSwap,
  kPopulation,  // atom, redux, the reductions of bar.red
  kUp,
  kDown,
  kButterfly,
  kIndex,  // shfl
  kAll,
  kAny,
  kBallot,  // vote, match
  kLeftClamp,
  kLeftWrap,
  kRightClamp,
  kRightWrap,  // shf
  kSync,
  kArrive,
  kWarpSync,
  kClusterArrive,
  kClusterWait,  // bar, barrier
  kToGlobal,
  kToShared,
  kToLocal,
  kToConst,
  kToParam,  // cvta.to
  kAsync,
  kCommitGroup,
  kWaitGroup,
  kWaitAll,  // cp.async
  kLaunchDependents,
  kWait,         // griddepcontrol
  kShiftAmount,  // bfind
  kUniform,      // vote
  kInit,
  kInvalidate,
  kExpectTx,
  kCompleteTx,
  kArriveNoComplete,
  kArriveExpectTx,
  kArriveDrop,
  kArriveDropNoComplete,
  kArriveDropExpectTx,
  kTestWait,
  kTestWaitParity,
  kPendingCount,  // mbarrier
  kArriveForCopies,
  kArriveNoIncrement,  // cp.async.mbarrier.arrive
  kBulkFromGlobal,
  kBulkFromShared,
  kBulkPrefetch,  // cp.async.bulk
  kClamp,
  kWrap,  // bmsk, szext
  kForward4,
  kBackward4,
  kReplicate8,
  kEdgeLeft,
  kEdgeRight,
  kReplicate16,  // prmt
  kFinite,
  kInfinite,
  kNumber,
  kNotANumber,
  kNormal,
  kSubnormal,  // testp
  kPackU2,
  kPackS2,
  kPackU4,
  kPackS4,
  kPackU8,
  kPackS8,
  kPackU16,
  kPackS16,  // cvt.pack: the type of its parts
  kPlusOne,
  kNegatedProduct,
  kNegatedAddend,  // vmad
  kLoadA,
  kLoadB,
  kLoadC,
  kStoreD,
  kMultiply  // wmma
};

// Memory ordering of an access; scopes beyond the block are equivalent here.
enum class Ordering : std::uint8_t {
  kWeak,
  kVolatile,
  kRelaxed,
  kAcquire,
  kRelease,
  kAcquireRelease
};

// Of matrix instructions: the product of an m x k and a k x n matrix.
struct MatrixShape {
  std::uint8_t m = 0;
  std::uint8_t n = 0;
  std::uint16_t k = 0;

  friend bool operator==(const MatrixShape&, const MatrixShape&) = default;
};

struct Operation {
  Opcode opcode = {};
  Type type = Type::kNone;    // the first or only type: of the result, of the data
  Type source = Type::kNone;  // the second type: of a cvt's, set's, dp4a's operands
  Type third = Type::kNone;   // the third and fourth: of the operands of a matrix instruction
  Type fourth = Type::kNone;
  MatrixShape shape = {};
  Rounding rounding = Rounding::kNone;
  Comparison comparison = Comparison::kNone;
  Part part = Part::kNone;
  Mode mode = Mode::kNone;
  Mode secondary = Mode::kNone;  // video instructions: what is done with c and the result
  Space space = Space::kGeneric;
  Ordering ordering = Ordering::kWeak;
  std::uint8_t n_elements = 1;   // .v2 .v4 .v8
  std::uint8_t right_shift = 0;  // vmad's .shr7 .shr15
  bool flush = false;            // .ftz
  bool saturate = false;         // .sat, a matrix instruction's .satfinite
  bool saturate_finite = false;  // .satfinite of conversions
  bool relu = false;
  bool propagate_nan = false;    // .NaN
  bool carry = false;            // .cc: writes the carry flag
  bool approximate = false;      // .approx
  bool full = false;             // div.full
  bool has_policy = false;       // .L2::cache_hint
  bool completes_bytes = false;  // .mbarrier::complete_tx::bytes
  bool is_absolute = false;      // .abs
  bool is_aligned = false;       // barriers: a warp's threads execute the same instruction
  bool xor_sign = false;         // .xorsign.abs of min and max
  bool by_columns = false;       // .col of wmma's memory and mma's A, .trans of ldmatrix, stmatrix
  bool b_by_rows = false;        // .row of mma's B

  friend bool operator==(const Operation&, const Operation&) = default;
};

// Number of parts of a word that a video instruction works on: 1, 2 or 4; 0 for other opcodes.
constexpr int n_video_parts(Opcode opcode) {
  switch (opcode) {
    case Opcode::kVabsdiff:
    case Opcode::kVadd:
    case Opcode::kVmad:
    case Opcode::kVmax:
    case Opcode::kVmin:
    case Opcode::kVset:
    case Opcode::kVshl:
    case Opcode::kVshr:
    case Opcode::kVsub:
      return 1;
    case Opcode::kVabsdiff2:
    case Opcode::kVadd2:
    case Opcode::kVavrg2:
    case Opcode::kVmax2:
    case Opcode::kVmin2:
    case Opcode::kVset2:
    case Opcode::kVsub2:
      return 2;
    case Opcode::kVabsdiff4:
    case Opcode::kVadd4:
    case Opcode::kVavrg4:
    case Opcode::kVmax4:
    case Opcode::kVmin4:
    case Opcode::kVset4:
    case Opcode::kVsub4:
      return 4;
    default:
      return 0;
  }
}

constexpr bool is_video(Opcode opcode) { return n_video_parts(opcode) != 0; }

// nullopt for a mnemonic that is not in the table or has an invalid modifier.
std::optional<Operation> decode_mnemonic(std::string_view mnemonic);

}  // namespace numpy_plugin::sim
