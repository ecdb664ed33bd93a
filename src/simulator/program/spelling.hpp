// Instructions and names as written, for messages.
#pragma once

#include <string>

#include "simulator/assembly/syntax.hpp"

namespace numpy_plugin::sim {

std::string written(const Function& function, const Operand& operand);
std::string written(const Function& function, const Statement& statement);

// A name of PTX as the source has it: C++ names are demangled.
std::string readable_name(const std::string& name);

}  // namespace numpy_plugin::sim
