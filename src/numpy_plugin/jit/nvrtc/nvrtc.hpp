// NVRTC: compiles CUDA source to PTX and cubin in process, without a GPU or a driver. The library
// is opened with dlopen at first use.
#pragma once

#include <string>

#include "numpy_plugin/base/fast_math.hpp"
#include "numpy_plugin/emit/source/emit.hpp"
#include "numpy_plugin/jit/cache/binary.hpp"

namespace numpy_plugin::jit {

struct CudaOptions {
  std::string arch = "sm_90";
  int driver_version = 0;  // of the driver that loads the code, 13020 for CUDA 13.2; 0: any
  base::FastMath fast_math = {};
  bool use_cache = true;
  bool checks_bounds = false;  // an array index out of bounds aborts the launch
};

// Compiles emitted source for one architecture, or finds it in the cache. Thread-safe. Throws
// base::Error (kCompiler) with the log, mapped to the user's body.
CudaBinary compile_for_device(const emit::Source& source, const CudaOptions& options);

// An image that the driver of a device loads: machine code for its architecture or, where NVRTC
// does not know that, the nearest that runs there (nearest_target). Throws likewise.
std::string compile_image(const emit::Source& source, const CudaOptions& options);

// Form of a kernel to be linked: PTX, a relocatable cubin, or LTO-IR.
enum class PartForm { kPtx, kCubin, kLtoIr };
std::string compile_part(const emit::Source& source, const CudaOptions& options, PartForm form);

// Compiles to PTX alone, in half the time.
std::string compile_to_ptx(const emit::Source& source, const CudaOptions& options);

// Whether the cache has what compile_image, or compile_to_ptx for a simulated device, would return.
bool is_image_cached(const emit::Source& source, const CudaOptions& options);
bool is_ptx_cached(const emit::Source& source, const CudaOptions& options);

}  // namespace numpy_plugin::jit
