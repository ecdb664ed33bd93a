// Copies of rows and slices, as cuda.h describes them.
#pragma once

#include <cuda.h>

#include "simulator/interface/work/transfer.hpp"

namespace numpy_plugin::sim {

// Both throw CallError for CUDA arrays and for rows and slices that overlap.
Copy describe_copy(const CUDA_MEMCPY2D& description);
Copy describe_copy(const CUDA_MEMCPY3D& description);

}  // namespace numpy_plugin::sim
