// Notes to NumPy's errors about the types of a ufunc's operands: the types, the
// loops there are, what to write. A note on NumPy's exception, whose class and text stay.
#pragma once

#include "numpy_plugin/ufunc/refusals/refused_call.hpp"

namespace numpy_plugin::ufunc {

// Adds the note to the exception that is set, where that is NumPy's refusal of types.
void note_refused_types(PyObject* ufunc, CalledAs called_as, const GivenArguments& given);

}  // namespace numpy_plugin::ufunc
