// Parts of the binding of DeviceArray: its views, and the methods that Python functions implement,
// which numpy_plugin/_hooks.py names.
#pragma once

#include <nanobind/nanobind.h>

#include "numpy_plugin/ufunc/arrays/device_array.hpp"

namespace numpy_plugin::ufunc {

// The elements in C order along one axis: a view if possible, otherwise a copy.
DeviceArray flattened(const DeviceArray& array);

void bind_array_views(nanobind::class_<DeviceArray>& type);
void bind_array_methods(nanobind::class_<DeviceArray>& type);

}  // namespace numpy_plugin::ufunc
