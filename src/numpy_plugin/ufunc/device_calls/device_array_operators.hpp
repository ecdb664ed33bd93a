// Operators of DeviceArray, in terms of NumPy's ufuncs.
#pragma once

#include "numpy_plugin/ufunc/arrays/device_array.hpp"

namespace numpy_plugin::ufunc {

void bind_operators(nanobind::class_<DeviceArray>& type);

}  // namespace numpy_plugin::ufunc
