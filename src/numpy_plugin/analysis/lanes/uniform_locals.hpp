// Variables that have one value for a whole block of lanes: those of loops with known bounds.
#pragma once

#include <cstddef>
#include <optional>
#include <set>

#include "numpy_plugin/analysis/tree.hpp"

namespace numpy_plugin::analysis {

// Whether lanes compute an expression of this kind, as far as its parts have a form in lanes.
bool has_lane_kind(const declare::Expression& expression);

// Whether an expression is a number of constants and uniform variables.
bool is_uniform(const std::set<int>& uniform, const declare::Expression& expression);

// Whether a loop is the statement of the body whose idle lanes take further elements.
bool is_refilled(const declare::Function& function, const declare::Statement& loop,
                 std::optional<std::size_t> refilled);

std::set<int> find_uniform(const declare::Function& function,
                           std::optional<std::size_t> refilled = {});

}  // namespace numpy_plugin::analysis
