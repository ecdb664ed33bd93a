// Source of packed bodies: see packed_body.hpp.
#pragma once

#include <string>

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::emit {

// The body of a kernel with has_packed_body(), on words: "struct `name` : `kernel_name` {...};".
std::string print_packed_struct(const declare::TypedKernel& kernel, const std::string& kernel_name,
                                const std::string& name);

}  // namespace numpy_plugin::emit
