// Code for devices as Python hands it over: names and bytes.
#pragma once

#include <nanobind/nanobind.h>

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::ufunc {

// Of a sequence of tuples. Throws base::Error: kType for other data, kValue for what is no code for
// a device.
declare::DeviceCodes read_device_codes(nanobind::handle codes);

}  // namespace numpy_plugin::ufunc
