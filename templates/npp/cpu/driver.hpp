// Interface between a loop's compiled kernel and the kernel-independent part of the loop in the
// library (run/cpu/elementwise_driver.cpp), which would take longer to compile than the kernel.
#pragma once

#include "npp/core/errors.hpp"

namespace npp {

// Kernels whose reductions the library computes, or may combine in any order: a single operation on
// both operands. kSum: of floating-point numbers, added pairwise. kLeast, kGreatest: likewise, with
// the results of one by one. kOperation: other operations, which are exact in any order or which
// the compiler may regroup.
enum class Reduction : uint8 { kNone, kSum, kComplexSum, kLeast, kGreatest, kOperation };

// Description of a kernel for the driver. All strides are in bytes.
struct LoopShape {
  // For contiguous operands and `n` a multiple of `block`; elements in any order, several at a
  // time.
  void (*run)(char* const* operands, long n);
  // For any strides, one element at a time. Where flags are verified it raises exactly the flags of
  // the source; its values equal those of `run` where block is 1.
  void (*in_order)(char* const* operands, const long* steps, long n);
  // operands[0] is the accumulator and operands[1] has `n` elements; null where types prevent it,
  // and for reductions that the library computes.
  void (*reduce)(char* const* operands, long step, long n);
  const unsigned char* sizes;  // of each operand's element, in bytes
  int n_inputs, n_operands;
  int block;            // 1 where `run` takes any number; at most kLargestBlock
  bool searches_flags;  // whether `run` may raise spurious flags
  Reduction reduction = Reduction::kNone;
};

// Scratch memory of one loop: what is left of its current piece. Opened before the first element
// and closed after the last; run/cpu/scratch_memory.cpp in the library.
struct ScratchMemory {
  char* top = nullptr;  // a multiple of kScratchAlignment, as is `end`
  char* end = nullptr;
  void* owner = nullptr;
};
inline constexpr long kScratchAlignment = 64;

inline constexpr int kMaxOperands = 64;
inline constexpr int kLargestBlock = 64;
// Of an operand in the widest block of lanes: 4 vectors of AVX-512.
inline constexpr int kLargestBlockBytes = 256;

// Numbers that the library sorts; in the order of run/cpu/elementwise_driver.hpp.
enum class SortedNumbers : uint8 { kInt8, kInt16, kInt32, kInt64, kUInt64, kFloat64 };
inline constexpr int kNumberOfSorts = 6;

struct ElementwiseDriver {
  void (*call)(const LoopShape& shape, char* const* operands, const long* steps, long n);
  // Runs a block of `length` elements of contiguous operands that have fewer, the last of which
  // fills the rest.
  void (*run_short_block)(const LoopShape& shape, char* const* operands, long n, long length);
  // Reports the first element of a piece of work that raised, which ends the piece.
  void (*report)(const Errors& errors);
  // Shows a line of `print`, a text with marks and its numbers.
  void (*print)(const char* text, const uint64* bits, int n_bits);
  void (*open_scratch)(ScratchMemory* memory);
  // Goes on to a piece with more than `n_bytes`; false where there is no memory for it.
  bool (*extend_scratch)(ScratchMemory* memory, long n_bytes);
  void (*close_scratch)(ScratchMemory* memory);
  // Whether an interrupt (Ctrl-C) ends the call, from a loop within an element.
  bool (*is_interrupted)();
  // NumPy's sort of the indices of numbers side by side, which begin as 0, 1, ...; not stable.
  // False where NumPy has none.
  bool (*argsort)(const void* numbers, void* indices, long n, SortedNumbers kind);
  // NumPy's sorts of numbers side by side; null where it has none. They return 0.
  int (*sorts[kNumberOfSorts])(void* numbers, intp n, void* array);
};

}  // namespace npp
