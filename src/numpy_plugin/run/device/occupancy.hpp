// Occupancy: how many blocks of a kernel a multiprocessor holds at a time.
#pragma once

#include "numpy_plugin/jit/cache/binary.hpp"
#include "numpy_plugin/run/device/device.hpp"

namespace numpy_plugin::run {

// Limited by the device's blocks, threads, registers and shared memory per multiprocessor; 0 where
// not even one block fits.
int resident_blocks(const Device& device, unsigned block_threads,
                    const jit::KernelResources& kernel);

}  // namespace numpy_plugin::run
