// Branches of scalar loops that may be left out: everything in them is computed in any case.
#pragma once

#include "numpy_plugin/analysis/tree.hpp"

namespace numpy_plugin::analysis {

// Whether a condition of a scalar loop compares with a number that the branch replaces, as the
// search for an extremum does: it rarely holds.
bool is_search(const declare::Statement& conditional);
// Whether its branches give values that decide on a loop's trips, or on what is read in them, as
// those of a binary search do, and the condition is of others: processors run ahead of a branch,
// but not of a selection.
bool is_steering(const declare::Statement& conditional, const declare::Statement& loop);
// Whether its branches only give a few locals values that are there in any case, or are computed
// in no time: of those that search, where one is a number that is compared.
// None steers the loop.
bool is_selection(const declare::Statement& conditional, const declare::Statement& loop);
// Whether it is `if condition: total = total + value` of float32 or float64 numbers, with a value
// that is there in any case.
bool is_conditional_sum(const declare::Statement& conditional);

}  // namespace numpy_plugin::analysis
