// Number of elements per thread of a device kernel: chosen only here, printed into the source for
// the templates and passed to the launching code.
#pragma once

#include "numpy_plugin/analysis/device_form.hpp"
#include "numpy_plugin/analysis/tree.hpp"

namespace numpy_plugin::analysis {

inline constexpr int kThreads = 128;

// Vector accesses of `width` elements, `n_vectors` per thread (contiguous form), or `n_vectors`
// single elements per thread (width 1).
struct ThreadWork {
  int width = 1;
  int n_vectors = 1;
};

// Dtypes of the operands in memory, inputs, then outputs.
std::vector<base::DType> stored_types(const declare::TypedKernel& kernel, const DeviceForm& form);

ThreadWork thread_work(const declare::TypedKernel& kernel, const DeviceForm& form);
// Whether vectors have 32 bytes where the kernel permits.
bool has_long_vectors(const DeviceForm& form);
// Whether a kernel can be launched in the transposed form.
bool has_tiles(const declare::TypedKernel& kernel, const DeviceForm& form);
LaunchShape launch_shape(const ThreadWork& work);

}  // namespace numpy_plugin::analysis
