// Instructions as written, for messages.
#pragma once

#include <string>

#include "simulator/assembly/syntax.hpp"

namespace numpy_plugin::sim {

std::string written(const Function& function, const Operand& operand);
std::string written(const Function& function, const Statement& statement);

}  // namespace numpy_plugin::sim
