// Copies between device arrays of different dtypes.
#pragma once

#include "numpy_plugin/base/dtype.hpp"
#include "numpy_plugin/run/memory/device_copy.hpp"

namespace numpy_plugin::run {

// Copies every element into an array of the same shape on the same device, cast as by NumPy. The
// arrays share no bytes. Throws base::Error (kCompiler), load::CudaError.
void cast_on_device(const std::shared_ptr<Stream>& stream, const DeviceMemory& to,
                    base::DType to_dtype, const DeviceMemory& from, base::DType from_dtype);

// The launches alone. Throw base::Error (kCompiler), load::CudaError.
void launch_cast(const std::shared_ptr<Stream>& stream, const DeviceMemory& to,
                 base::DType to_dtype, const DeviceMemory& from, base::DType from_dtype);
// Sets every element to the one at `element`.
void launch_fill(const std::shared_ptr<Stream>& stream, const DeviceMemory& array,
                 base::DType dtype, const void* element);

}  // namespace numpy_plugin::run
