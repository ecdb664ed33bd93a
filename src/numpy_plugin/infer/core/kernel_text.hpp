// A typed kernel as text, for tests and for looking at one: every type, cast and temporary shows.
#pragma once

#include <string>

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::declare {

std::string text(const TypedKernel& kernel);
std::string text(const ValueType& type);

}  // namespace numpy_plugin::declare
