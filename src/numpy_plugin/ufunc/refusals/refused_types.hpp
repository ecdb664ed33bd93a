// Notes on NumPy's errors about a ufunc's operand types: the types, the available loops, and a
// hint. Added to NumPy's exception, whose class and text are unchanged.
#pragma once

#include "numpy_plugin/ufunc/refusals/refused_call.hpp"

namespace numpy_plugin::ufunc {

// Adds the note to the current exception, where that is NumPy's rejection of types.
void note_refused_types(PyObject* ufunc, CalledAs called_as, const GivenArguments& given);

}  // namespace numpy_plugin::ufunc
