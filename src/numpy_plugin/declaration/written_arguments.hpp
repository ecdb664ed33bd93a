// Arguments whose elements a Python kernel assigns.
#pragma once

#include <string>
#include <vector>

#include "numpy_plugin/syntax/syntax.hpp"

namespace numpy_plugin::declare {

// The names of the parameters that the function itself stores into, in their order.
std::vector<std::string> written_arguments(const FunctionSyntax& function);

}  // namespace numpy_plugin::declare
