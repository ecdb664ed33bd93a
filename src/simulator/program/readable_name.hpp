// Names of PTX as the source has them.
#pragma once

#include <string>

namespace numpy_plugin::sim {

// C++ names are demangled.
std::string readable_name(const std::string& name);

}  // namespace numpy_plugin::sim
