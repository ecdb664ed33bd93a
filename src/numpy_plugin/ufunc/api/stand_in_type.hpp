// The type of stand-ins, which are equal to the ufunc that they stand in for: see
// ufunc_stand_in.hpp.
#pragma once

#include "numpy_plugin/ufunc/api/numpy_api.hpp"

namespace numpy_plugin::ufunc {

// Makes the type, which is based on numpy.ufunc; called once, when the module is made.
void prepare_stand_in_type();

bool is_stand_in(PyObject* object);

// Changes the type of a ufunc, which was made for it, and refers to the original from its __dict__.
void make_stand_in_for(nanobind::handle ufunc, nanobind::handle original);

}  // namespace numpy_plugin::ufunc
