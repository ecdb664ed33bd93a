// Members of a kernel's struct for the loop over blocks of lanes.
#pragma once

#include <string>

#include "numpy_plugin/kernel/kernel.hpp"
#include "numpy_plugin/kernel/math_mode.hpp"

namespace numpy_plugin::emit {

// "lanes", beside `call`, and what its loop needs to know; empty for a kernel that runs element by
// element. Hosts on which lanes do not pay leave it out.
std::string print_lane_members(const declare::TypedKernel& kernel, declare::MathMode math);

}  // namespace numpy_plugin::emit
