// Processors that this process may use: its affinity, and the limits of its control groups.
#pragma once

#include <cstddef>
#include <string>

namespace numpy_plugin::system {

// At least 1. Containers limit the time of processors rather than their number: a limit of one and
// a half processors counts as two.
std::size_t available_processors();

// The lowest limit of this process's control group and those above it, of version 2 or 1; 0 without
// a limit. `root` is the directory that contains proc and sys.
std::size_t processors_of_control_group(const std::string& root);

}  // namespace numpy_plugin::system
