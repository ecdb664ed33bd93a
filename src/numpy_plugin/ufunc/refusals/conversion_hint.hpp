// Conversion hints for operands of a type that no loop accepts.
#pragma once

#include <string>

#include "numpy_plugin/ufunc/api/numpy_api.hpp"

namespace numpy_plugin::ufunc {

// Whether NumPy casts an operand to a loop's dtype. The type is a dtype, or the class of a Python
// number, which adapts to any dtype of its kind.
bool takes(nanobind::handle type, nanobind::handle wanted, NPY_CASTING casting);

// Code that converts an operand of such a dtype to the wanted dtype. Python numbers are weak next
// to arrays: they take the arrays' dtype.
std::string conversion(nanobind::handle operand, const nanobind::object& dtype,
                       nanobind::handle wanted, const std::string& name, bool is_weak);

// The nearest kernel dtype for a dtype that no kernel has; null for structured dtypes.
nanobind::object nearest_kernel_dtype(const nanobind::object& dtype);

}  // namespace numpy_plugin::ufunc
