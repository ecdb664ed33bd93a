// Import and export of __cuda_array_interface__.
#pragma once

#include "numpy_plugin/ufunc/arrays/foreign_array.hpp"

namespace numpy_plugin::ufunc {

// Version 3 of the interface, for other libraries.
nanobind::dict array_interface(const DeviceArray& array);

// The first version with a stream to wait for.
inline constexpr int kInterfaceVersionWithStream = 3;

// Whether its elements are bytes without a type, as those of records and of bfloat16.
bool is_untyped(const nanobind::dict& interface);

// Its `version` entry, 0 where missing.
int version_of_interface(const nanobind::dict& interface);

// Throws base::Error (kType, kValue) for an invalid interface, or properties that device arrays
// can't have.
ForeignArray read_array_interface(nanobind::handle owner, const nanobind::dict& interface);

}  // namespace numpy_plugin::ufunc
