// Kernels whose body can be computed on all narrow integers of a 32-bit word at once.
#pragma once

#include <string>

#include "numpy_plugin/declare/kernel.hpp"

namespace numpy_plugin::emit {

// Whether the kernel, written in Python, only returns an expression of + - & | ^ ~ over parameters
// and constants, all of one integer type of 8 or 16 bits.
bool has_packed_body(const declare::TypedKernel& kernel);

// Its body over words: "struct `name` : `kernel_name` {...};".
std::string print_packed_struct(const declare::TypedKernel& kernel, const std::string& kernel_name,
                                const std::string& name);

}  // namespace numpy_plugin::emit
