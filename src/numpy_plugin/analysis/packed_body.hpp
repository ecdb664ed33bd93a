// Kernels whose body can be computed on all narrow integers of a 32-bit word at once.
#pragma once

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::emit {

// An operation on all elements of a word.
struct PackedOperation {
  declare::Operation operation;
  const char* infix;     // C++'s operator, where it has no carries; else
  const char* function;  // in templates
};

// nullptr for an operation that elements of a word can't be computed with at once.
const PackedOperation* find_packed_operation(declare::Operation operation);

// Whether the kernel, written in Python, only returns an expression of + - & | ^ ~ over parameters
// and constants, all of one integer type of 8 or 16 bits.
bool has_packed_body(const declare::TypedKernel& kernel);

}  // namespace numpy_plugin::emit
