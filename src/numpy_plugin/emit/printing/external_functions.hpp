// C++ functions that Python kernels call: bodies of other ufuncs and external functions, each in a
// struct, in one namespace with the text it needs.
#pragma once

#include <string>
#include <vector>

#include "numpy_plugin/emit/printing/program.hpp"

namespace numpy_plugin::emit {

struct ExternalFunctions {
  std::string text;  // precedes the kernels
  // The C++ names by kernel of the program and index into its external functions.
  std::vector<std::vector<std::string>> names;
  std::vector<LibraryFunction> library_functions;  // as in Source
  declare::DeviceCodes linked;
  std::string missing;
};

// Throws base::Error (kCompiler) for a function without device code.
ExternalFunctions print_external_functions(const Program& program, Target target);

}  // namespace numpy_plugin::emit
