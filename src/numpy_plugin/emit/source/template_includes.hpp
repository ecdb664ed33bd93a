// Headers of templates/ that only some kernels need.
#pragma once

#include <string>

#include "numpy_plugin/emit/source/emit.hpp"

namespace numpy_plugin::emit {

// The #include lines that the kernels of a program need, beyond those of loops and launches.
std::string print_template_includes(const Program& program);

}  // namespace numpy_plugin::emit
