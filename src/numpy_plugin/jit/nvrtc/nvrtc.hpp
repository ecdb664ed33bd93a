// NVRTC: compiles CUDA source to PTX and cubin in process, without a GPU or a driver. The library
// is opened with dlopen at first use.
#pragma once

#include <string>
#include <vector>

#include "numpy_plugin/emit/source/emit.hpp"
#include "numpy_plugin/jit/cache/binary.hpp"

namespace numpy_plugin::jit {

// Candidate paths of libnvrtc, best first; set by the bindings (the pip package's directory, a
// toolkit's).
void set_nvrtc_candidates(std::vector<std::string> paths);

struct NvrtcVersion {
  int major = 0;
  int minor = 0;
  std::string path;  // of the library that was opened
};

// Throws base::Error (kCompiler) that names the extra `numpy_plugin[cuda]` when NVRTC is missing.
NvrtcVersion nvrtc_version();

// The architectures this NVRTC compiles for: "sm_75", ...
std::vector<std::string> nvrtc_architectures();

struct CudaOptions {
  std::string arch = "sm_90";
  bool fast_math = false;
  bool use_cache = true;
  bool checks_bounds = false;  // an array index out of bounds aborts the launch
};

// Compiles emitted source for one architecture, or finds it in the cache. Thread-safe. Throws
// base::Error (kCompiler) with the log, mapped to the user's body.
CudaBinary compile_for_device(const emit::Source& source, const CudaOptions& options);

// Form of a kernel to be linked: PTX, a relocatable cubin, or LTO-IR.
enum class PartForm { kPtx, kCubin, kLtoIr };
std::string compile_part(const emit::Source& source, const CudaOptions& options, PartForm form);

// Compiles to PTX alone, in half the time.
std::string compile_to_ptx(const emit::Source& source, const CudaOptions& options);

}  // namespace numpy_plugin::jit
