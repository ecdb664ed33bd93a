// The type of stand-ins, which compare equal to their original ufunc: see call_hook.hpp.
#pragma once

#include "numpy_plugin/ufunc/api/numpy_api.hpp"

namespace numpy_plugin::ufunc {

// Creates the type, a subclass of numpy.ufunc; called once, during module initialization.
void prepare_stand_in_type();

bool is_stand_in(PyObject* object);

// Turns a ufunc made for this purpose into a stand-in, which refers to the original in its
// __dict__.
void make_stand_in_for(nanobind::handle ufunc, nanobind::handle original);

}  // namespace numpy_plugin::ufunc
