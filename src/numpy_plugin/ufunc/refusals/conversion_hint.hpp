// Hints at conversions for operands of a type that no loop takes.
#pragma once

#include <string>

#include "numpy_plugin/ufunc/api/numpy_api.hpp"

namespace numpy_plugin::ufunc {

// Whether NumPy casts an operand to a loop's dtype. The type is a dtype, or the class of a plain
// number of Python's, which takes any dtype of its kind.
bool takes(nanobind::handle type, nanobind::handle wanted, NPY_CASTING casting);

// The code that makes an operand of such a dtype one of the wanted dtype. Numbers of Python's are
// weak next to arrays: they take the arrays' dtype.
std::string conversion(nanobind::handle operand, const nanobind::object& dtype,
                       nanobind::handle wanted, const std::string& name, bool is_weak);

// The dtype of kernels that a dtype which no kernel has is converted to; null for structures.
nanobind::object nearest_kernel_dtype(const nanobind::object& dtype);

}  // namespace numpy_plugin::ufunc
