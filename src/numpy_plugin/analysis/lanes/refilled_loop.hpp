// Loops of which lanes that have left them take further elements, while others are still in them.
#pragma once

#include <optional>

#include "numpy_plugin/analysis/lanes/lane_plan.hpp"

namespace numpy_plugin::analysis {

// The statement of a kernel's body that is such a loop: the first loop, if lanes leave it at
// different trips and no costly statements are before and after it; nullopt, too, where device
// functions may raise.
std::optional<std::size_t> find_refilled(const declare::PythonKernel& kernel, const LanePlan& plan);
// Whether statements end a loop, or the function in it, for some lanes only.
bool is_left_early(const declare::Statement& loop);
// Trips of a `for` with constant bounds.
std::optional<std::uint64_t> constant_trips(const declare::Statement& loop);
// The type that counts the trips of each lane, where the largest type has `size` bytes.
base::DType trip_dtype(const declare::Statement& loop, int size);
// Whether a kernel reads the variable of its loop.
bool reads_variable(const declare::Function& function, const declare::Statement& loop);

}  // namespace numpy_plugin::analysis
