// Parts of a kernel whose idle lanes matter, and parts that are worth a test for active lanes.
#pragma once

#include "numpy_plugin/analysis/lanes/lane_plan.hpp"

namespace numpy_plugin::analysis {

// Whether idle lanes might raise flags, exceptions or signals, or keep a loop running.
bool has_guarded_parts(const LanePlan& plan, const declare::Expression& expression);
bool has_guarded_parts(const LanePlan& plan, const Block& block);
// Whether computing it takes longer than a test for active lanes.
bool is_costly_in_lanes(const LanePlan& plan, const declare::Expression& expression);
bool is_costly_in_lanes(const LanePlan& plan, const Block& block);
// Whether a statement calls device functions.
bool calls_functions(const declare::Statement& statement);

}  // namespace numpy_plugin::analysis
