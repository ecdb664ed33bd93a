// Functions in C++ that Python kernels call: the bodies of other ufuncs, each in a struct, in one
// namespace with the preamble it was written for.
#pragma once

#include <string>
#include <vector>

#include "numpy_plugin/emit/emit.hpp"

namespace numpy_plugin::emit {

struct ExternalFunctions {
  std::string text;  // stands before the kernels
  // The C++ names by kernel of the program and index into its external functions.
  std::vector<std::vector<std::string>> names;
};

ExternalFunctions print_external_functions(const Program& program);

}  // namespace numpy_plugin::emit
