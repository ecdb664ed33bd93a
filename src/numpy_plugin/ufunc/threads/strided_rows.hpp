// Elementwise calls whose operands NumPy passes row by row, as they are in memory: slices and
// broadcast arrays. Threads share the rows.
#pragma once

#include <optional>

#include "numpy_plugin/ufunc/arguments/resolved_loop.hpp"

namespace numpy_plugin::ufunc {

// Makes the call, and sets the floating-point flags that it raised, as NumPy numbers them. Returns
// its result; null, with nothing done, for calls of another form.
nanobind::object share_rows(const CallArguments& call, const ResolvedLoop& resolved,
                            const run::ParallelLoop& loop, std::optional<int>& flags);

}  // namespace numpy_plugin::ufunc
