// Headers of templates/ that only some kernels need.
#pragma once

#include <string>
#include <string_view>

#include "numpy_plugin/emit/source/emit.hpp"

namespace numpy_plugin::emit {

// The #include lines that the kernels of a program need, beyond those of loops and launches.
std::string print_template_includes(const Program& program);

// Definitions, before these lines, that leave out the headers of types which the text of the
// kernels does not name: a tenth of the compile time.
std::string print_absent_types(std::string_view kernels);

}  // namespace numpy_plugin::emit
