// Functions in C++ that Python kernels call: the bodies of other ufuncs and what was declared only,
// each in a struct, in one namespace with the text it needs.
#pragma once

#include <string>
#include <vector>

#include "numpy_plugin/emit/printing/program.hpp"

namespace numpy_plugin::emit {

struct ExternalFunctions {
  std::string text;  // is before the kernels
  // The C++ names by kernel of the program and index into its external functions.
  std::vector<std::vector<std::string>> names;
  std::vector<LibraryFunction> library_functions;  // as in Source
  declare::DeviceCodes linked;
  std::string missing;
};

// Throws base::Error (kCompiler) for a function without code for devices.
ExternalFunctions print_external_functions(const Program& program, Target target);

}  // namespace numpy_plugin::emit
