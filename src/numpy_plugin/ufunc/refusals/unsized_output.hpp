// Core dimensions that only outputs have, "(n)->(m)": their sizes come with `out`, and NumPy's
// error for a call without it does not say so.
#pragma once

#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

namespace numpy_plugin::ufunc {

// Adds a note to the Python error of a failed call, where an output had to be made whose size
// nothing tells.
void note_unsized_output(PyObject* ufunc, const UfuncState& state, const GivenArguments& given);

}  // namespace numpy_plugin::ufunc
