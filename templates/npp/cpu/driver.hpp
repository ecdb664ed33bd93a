// The contract between a loop's compiled kernel and the part of the loop that is the
// same for every kernel, which lives in the library (src/load/elementwise_driver.cpp): compiled
// with each kernel it would cost more time than the kernel.
#pragma once

#include "npp/core/errors.hpp"

namespace npp {

// Description of a kernel for the driver. All steps are in bytes.
struct LoopShape {
  // Contiguous operands, `n` a multiple of `block`, elements in any order and several at a time.
  void (*run)(char* const* operands, long n);
  // Any strides, one element after the other. Where flags are searched it raises exactly the flags
  // of the text; its values are `run`'s where block is 1.
  void (*in_order)(char* const* operands, const long* steps, long n);
  // operands[0] is the accumulator and operands[1] `n` elements; null where types forbid it.
  void (*reduce)(char* const* operands, long step, long n);
  const unsigned char* sizes;  // of each operand's element, in bytes
  int n_inputs, n_operands;
  int block;            // 1 where `run` takes any number; at most kLargestBlock
  bool searches_flags;  // `run` may raise flags that the kernel's text does not
};

inline constexpr int kMaxOperands = 64;
inline constexpr int kLargestBlock = 64;

struct ElementwiseDriver {
  void (*call)(const LoopShape& shape, char* const* operands, const long* steps, long n);
  // Of the first element of a piece of work that raised; it ends that piece.
  void (*report)(const Errors& errors);
};

}  // namespace npp
