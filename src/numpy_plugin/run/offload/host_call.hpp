// An elementwise call with operands in host memory, offloaded in pieces, so that transfers in both
// directions overlap kernels and no array needs to fit on the device.
#pragma once

#include <cstdint>
#include <memory>

#include "numpy_plugin/run/forms/device_loop.hpp"
#include "numpy_plugin/run/offload/host_pieces.hpp"

namespace numpy_plugin::run {

// Bytes and elements that a call transfers.
struct HostTraffic {
  std::int64_t bytes_to_device = 0;
  std::int64_t bytes_to_host = 0;
  std::int64_t n_pieces = 0;
};
// Traffic of a call with at least one element.
HostTraffic host_traffic(const HostCall& call);

// Call without the GIL. No output overlaps another operand, unless both are the same elements
// (overlap.hpp). Everything is allocated before the first output is written. Throws base::Error
// (kDeviceMemory, kCompiler), load::CudaError.
void run_host_call(const std::shared_ptr<Device>& device, const DeviceLoop& loop,
                   const HostCall& call);

}  // namespace numpy_plugin::run
