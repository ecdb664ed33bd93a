// What NumPy's error does not say where a declared ufunc has no loop for its operands: their types,
// the loops there are, what to write. A note on NumPy's exception, whose class and text stay.
#pragma once

#include "numpy_plugin/ufunc/numpy_api.hpp"

namespace numpy_plugin::ufunc {

// Goes between NumPy and its type resolver, which it asks for types that no call had before, of
// methods too: calls that NumPy remembers pass it by.
void install_refusal_notes(PyUFuncObject* ufunc);

}  // namespace numpy_plugin::ufunc
