// Host arrays without memory that replace device arrays in calls of NumPy that do not read values,
// such as checks of operands.
#pragma once

#include "numpy_plugin/ufunc/arrays/device_array.hpp"

namespace numpy_plugin::ufunc {

// A host array with the shape and dtype of a device array and the memory of one element: all
// strides are 0.
nanobind::object stand_in(const DeviceArray& array);

// The object itself; for device arrays, and for tuples that contain them, their stand-ins.
nanobind::object with_stand_ins(nanobind::handle object);

}  // namespace numpy_plugin::ufunc
