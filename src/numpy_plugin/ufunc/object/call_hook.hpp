// Runs between f(...) and NumPy: ufuncs of this package have their own function in the
// `vectorcall` field of NumPy's object. It sees every call's operands first, so that
//  - calls on device arrays, of this package or other libraries, run on their device;
//  - host operands are offloaded where the ufunc's target requires it;
//  - operands whose type dispatches on a ufunc's *name* get a stand-in (ufunc_stand_in.hpp) where
//    they may know the name;
//  - core dimensions written "n|1" are broadcast.
// Everything else is passed to NumPy unchanged.
#pragma once

#include "numpy_plugin/ufunc/api/numpy_api.hpp"
#include "numpy_plugin/ufunc/loops/ufunc_state.hpp"

namespace numpy_plugin::ufunc {

// Whether this NumPy calls ufuncs through the field declared in its header; otherwise ufuncs keep
// NumPy's call.
bool numpy_uses_vectorcall_field();

void install_call_hook(PyUFuncObject* ufunc, UfuncState& state);

}  // namespace numpy_plugin::ufunc
