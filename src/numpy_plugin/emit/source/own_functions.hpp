// Functions of templates/npp/vector_math that a loop calls instead of the C library's.
#pragma once

#include <string>

#include "numpy_plugin/emit/printing/program.hpp"

namespace numpy_plugin::emit {

struct OwnFunctions {
  std::string requests;  // macros before the templates: NPP_ASKS_FOR_POW
  std::string includes;  // after them
};
OwnFunctions own_functions(const Program& program);

}  // namespace numpy_plugin::emit
