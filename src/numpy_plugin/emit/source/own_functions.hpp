// Functions of templates/npp/vector_math that a source calls instead of the libraries'.
#pragma once

#include <string>
#include <vector>

#include "numpy_plugin/analysis/lanes/lane_plan.hpp"
#include "numpy_plugin/emit/printing/program.hpp"

namespace numpy_plugin::emit {

struct OwnFunctions {
  std::string before;  // the templates: macros such as NPP_ASKS_FOR_POW, and includes
  std::string after;
};
// For elementwise loops, and the lanes of those kernels that have a plan, in the program's order.
OwnFunctions own_functions_of_loops(const Program& program,
                                    const std::vector<analysis::LaneDecision>& decisions);

// For every source of a program with reproducible functions, before the templates; else empty.
std::string print_reproducible(const Program& program);

}  // namespace numpy_plugin::emit
