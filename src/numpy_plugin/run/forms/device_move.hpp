// Copies, casts and fills of device arrays by kernels.
#pragma once

#include "numpy_plugin/base/dtype.hpp"
#include "numpy_plugin/run/memory/device_copy.hpp"

namespace numpy_plugin::run {

// Copies and fills of arrays with many short rows: the driver's pitched copies and fills take far
// longer for those. All others are the driver's, and so are those of elements that no kernel moves.

// Copies between arrays of one shape and item size on one device, which share no bytes. Throws
// load::CudaError, as all of these do.
void move_on_device(const std::shared_ptr<Stream>& stream, const DeviceMemory& to,
                    const DeviceMemory& from);

// Likewise to and from a host block in the layout packed(array.layout), through packed device
// memory.
void move_to_host(const std::shared_ptr<Stream>& stream, const DeviceMemory& array, void* block);
void move_from_host(const std::shared_ptr<Stream>& stream, const DeviceMemory& array,
                    const void* block);

// Copies between arrays of one shape and item size on two devices of one driver.
void move_between_devices(const std::shared_ptr<Stream>& to_stream, const DeviceMemory& to,
                          const std::shared_ptr<Stream>& from_stream, const DeviceMemory& from);

// Sets every element to the given one.
void fill_on_device(const std::shared_ptr<Stream>& stream, const DeviceMemory& array,
                    const void* element);

// Copies between device arrays of different dtypes.

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
