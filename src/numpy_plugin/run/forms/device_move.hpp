// Copies and fills of device arrays with many short rows, by kernels: the driver's pitched copies
// and fills take far longer for those. All others are the driver's, and so are those of elements
// that no kernel moves.
#pragma once

#include "numpy_plugin/run/memory/device_copy.hpp"

namespace numpy_plugin::run {

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

}  // namespace numpy_plugin::run
