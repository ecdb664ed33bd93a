// Host arrays that replace device arrays in calls of NumPy whose results do not depend on values,
// such as checks of operands. Their memory can be read: NumPy may print them in an error.
#pragma once

#include <vector>

#include "numpy_plugin/ufunc/arrays/device_array.hpp"

namespace numpy_plugin::ufunc {

// A host array with the memory of one element: all strides are 0.
nanobind::object stand_in(const nanobind::object& dtype, const std::vector<std::int64_t>& shape,
                          bool is_writable);

// Likewise with the shape and dtype of a device array.
nanobind::object stand_in(const DeviceArray& array);

// A read-only host array of zeros with the shape, dtype and strides of a device array.
nanobind::object strided_stand_in(const DeviceArray& array);

// The object itself; for device arrays, and for tuples that contain them, their stand-ins.
nanobind::object with_stand_ins(nanobind::handle object);

}  // namespace numpy_plugin::ufunc
