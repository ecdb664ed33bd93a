// The steps between f(...) and NumPy: our ufuncs have their own function in the `vectorcall`
// field of NumPy's object. It sees every call's operands first, so that
//  - calls on device arrays, ours and those of other libraries, are made on their device;
//  - host operands go to a device and back where the ufunc's target says so;
//  - operands whose type dispatches on a ufunc's *name* are handed a stand-in (ufunc_stand_in.hpp)
//    where they may know the name;
//  - core dimensions written "n|1" are stretched.
// All else goes on to NumPy unchanged.
#pragma once

#include "numpy_plugin/ufunc/api/numpy_api.hpp"
#include "numpy_plugin/ufunc/loops/ufunc_state.hpp"

namespace numpy_plugin::ufunc {

// Whether this NumPy calls ufuncs through the field its header says; without it, ufuncs stay as
// NumPy made them.
bool numpy_uses_vectorcall_field();

void install_call_hook(PyUFuncObject* ufunc, UfuncState& state);

}  // namespace numpy_plugin::ufunc
