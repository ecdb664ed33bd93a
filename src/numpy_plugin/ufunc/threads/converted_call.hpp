// Elementwise calls whose operands NumPy converts on the way, or whose results it masks: each
// thread takes ranges of the elements with a copy of NumPy's iterator, which casts them in its
// buffers.
#pragma once

#include <optional>

#include "numpy_plugin/ufunc/arguments/resolved_loop.hpp"

namespace numpy_plugin::ufunc {

// Makes the call, and sets the floating-point flags that it raised, as NumPy numbers them. Throws
// NumPy's exceptions, before anything is written unless `flags` are set.
nanobind::object share_converted(UfuncState& state, const CallArguments& call,
                                 const ResolvedLoop& resolved, const run::ParallelLoop& loop,
                                 std::optional<int>& flags);

}  // namespace numpy_plugin::ufunc
