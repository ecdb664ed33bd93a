// How NumPy's iterators take the outputs of a ufunc: on its object, for all of its loops.
#pragma once

#include "numpy_plugin/run/cpu/parallel_loop.hpp"
#include "numpy_plugin/ufunc/api/numpy_api.hpp"

namespace numpy_plugin::ufunc {

// A kernel may read an input's elements after writing others: an output that shares an input's
// memory must be a copy, unless no operand has core dimensions and NumPy proceeds element by
// element.
void mark_outputs(PyUFuncObject* ufunc);

// NumPy's copies of these outputs, in other types or memory, then begin with their elements.
// Requires the GIL.
void mark_read_outputs(PyUFuncObject* ufunc, const run::ParallelLoop& loop);

}  // namespace numpy_plugin::ufunc
