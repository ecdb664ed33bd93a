// Methods of DeviceArray that Python functions implement; numpy_plugin/_hooks.py names them.
#pragma once

#include <nanobind/nanobind.h>

#include "numpy_plugin/ufunc/arrays/device_array.hpp"

namespace numpy_plugin::ufunc {

void bind_array_methods(nanobind::class_<DeviceArray>& type);

}  // namespace numpy_plugin::ufunc
