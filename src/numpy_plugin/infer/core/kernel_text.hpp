// A typed kernel as text, for tests and debugging: shows every type, cast and temporary.
#pragma once

#include <string>

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::declare {

std::string text(const TypedKernel& kernel);
std::string text(const ValueType& type);

}  // namespace numpy_plugin::declare
