// Device code passed from Python: names and bytes.
#pragma once

#include <nanobind/nanobind.h>

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::ufunc {

// Reads a sequence of tuples. Throws base::Error: kType for other objects, kValue for anything but
// device code.
declare::DeviceCodes read_device_codes(nanobind::handle codes);

}  // namespace numpy_plugin::ufunc
