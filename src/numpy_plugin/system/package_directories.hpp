// Directories of Python packages, in which compilers and libraries installed by pip are found.
#pragma once

#include <string>
#include <vector>

namespace numpy_plugin::system {

// Set by the bindings: Python's sys.path. Thread-safe, as is the next.
void set_package_directories(std::vector<std::string> directories);

// A directory without a leading slash would be relative to the current one, from which nothing
// should be run or loaded: it is left out.
std::vector<std::string> package_directories();

}  // namespace numpy_plugin::system
