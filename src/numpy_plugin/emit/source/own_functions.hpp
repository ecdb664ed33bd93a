// Functions of templates/npp/vector_math that a source calls instead of the libraries'.
#pragma once

#include <string>

#include "numpy_plugin/emit/printing/program.hpp"

namespace numpy_plugin::emit {

struct OwnFunctions {
  std::string before;  // the templates: macros such as NPP_ASKS_FOR_POW, and includes
  std::string after;
};
// For loops whose functions may have variants for vectors.
OwnFunctions own_vector_functions(const Program& program);

// For every source of a program with reproducible functions, before the templates; else empty.
std::string print_reproducible(const Program& program);

}  // namespace numpy_plugin::emit
