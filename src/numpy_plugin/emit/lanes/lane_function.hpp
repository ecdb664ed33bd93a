// Members of a kernel's struct for the loop over blocks of lanes.
#pragma once

#include <string>
#include <vector>

#include "numpy_plugin/analysis/lanes/lane_plan.hpp"

namespace numpy_plugin::emit {

// The preprocessor's condition for targets on which lanes pay.
std::string lane_condition(const analysis::LanePlan& plan);
// "lanes", beside `call`, and what its loop needs to know, under this condition; empty for a kernel
// that runs element by element.
std::string print_lane_members(const declare::TypedKernel& kernel,
                               const analysis::LaneDecision& decision);
// The #include line for kernels of which some have lanes.
std::string print_lane_include(const std::vector<analysis::LaneDecision>& decisions);

}  // namespace numpy_plugin::emit
