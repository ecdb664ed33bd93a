// Core dimensions of outputs only, "(n)->(m)": their sizes come from `out`, which NumPy's error for
// a call without it does not mention.
#pragma once

#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

namespace numpy_plugin::ufunc {

// Adds a note to the Python error of a failed call that had to allocate an output of unknown size.
void note_unsized_output(PyObject* ufunc, const UfuncState& state, const GivenArguments& given);

}  // namespace numpy_plugin::ufunc
