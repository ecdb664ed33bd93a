// The operators of DeviceArray: NumPy's own ufuncs on it.
#pragma once

#include "numpy_plugin/ufunc/arrays/device_array.hpp"

namespace numpy_plugin::ufunc {

void bind_operators(nanobind::class_<DeviceArray>& type);

}  // namespace numpy_plugin::ufunc
