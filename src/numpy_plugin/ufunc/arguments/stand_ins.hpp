// Host arrays that look to NumPy like arrays of a device, without their memory: for what
// NumPy says about operands without their values.
#pragma once

#include "numpy_plugin/ufunc/arrays/device_array.hpp"

namespace numpy_plugin::ufunc {

// A host array with the shape and dtype of an array and one element's memory: all strides are 0.
nanobind::object stand_in(const DeviceArray& array);

// The object, or, for an array on a device and for a tuple with such arrays, what stands in for it.
nanobind::object with_stand_ins(nanobind::handle object);

}  // namespace numpy_plugin::ufunc
