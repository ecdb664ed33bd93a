// An elementwise call whose operands are in host memory, offloaded to a device in pieces,
// so that copies both ways and kernels go on at once and no array need fit the device whole.
#pragma once

#include <cstdint>
#include <memory>

#include "numpy_plugin/run/forms/device_loop.hpp"
#include "numpy_plugin/run/offload/host_pieces.hpp"

namespace numpy_plugin::run {

// Bytes and elements that a call moves.
struct HostTraffic {
  std::int64_t bytes_to_device = 0;
  std::int64_t bytes_to_host = 0;
  std::int64_t n_pieces = 0;
};
// Of a call with at least one element.
HostTraffic host_traffic(const HostCall& call);

// To be called without the GIL. No output overlaps another operand but where both are the
// same elements (overlap.hpp). Everything is allocated before the first output is written.
// Throws base::Error (kDeviceMemory, kCompiler), load::CudaError.
void run_host_call(const std::shared_ptr<Device>& device, const DeviceLoop& loop,
                   const HostCall& call);

}  // namespace numpy_plugin::run
