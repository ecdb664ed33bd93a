// The parallel target's large calls. NumPy hands a loop the pieces its iterator makes: 8192
// elements where an operand is cast, one inner dimension where operands broadcast. Those are too
// small to share among threads, so a large call is cut above the loop: NumPy's own iterator over
// all operands, one copy of it a thread, each with a range of its own.
#pragma once

#include "numpy_plugin/ufunc/numpy_api.hpp"
#include "numpy_plugin/ufunc/ufunc_state.hpp"

namespace numpy_plugin::ufunc {

// The result of f(*args, **names) when the call can be cut: plain arrays and numbers as operands,
// many elements, at most `out=` beside them. An invalid object says that NumPy should make the
// call. Throws nanobind::python_error.
nanobind::object try_parallel_call(PyObject* ufunc, const UfuncState& state, PyObject* const* args,
                                   Py_ssize_t n_positional, PyObject* names);

}  // namespace numpy_plugin::ufunc
