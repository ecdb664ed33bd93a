// Kernels whose body can process all narrow integers of a 32-bit word at once (SIMD within a
// register).
#pragma once

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::analysis {

// An operation on all elements of a word.
struct PackedOperation {
  declare::Operation operation;
  const char* infix;     // C++ operator, where no carries occur; else null
  const char* function;  // in templates
};

// nullptr for operations that can't process all elements of a word at once.
const PackedOperation* find_packed_operation(declare::Operation operation);

// Whether a Python kernel only returns an expression of + - & | ^ ~ over parameters and constants,
// all of one integer type of 8 or 16 bits.
bool has_packed_body(const declare::TypedKernel& kernel);

}  // namespace numpy_plugin::analysis
