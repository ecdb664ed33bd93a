// NVRTC: CUDA source in, PTX and cubin out, in process, with no GPU and no driver needed. The
// library is opened with dlopen when first used.
#pragma once

#include <string>
#include <vector>

#include "numpy_plugin/emit/source/emit.hpp"
#include "numpy_plugin/jit/cache/binary.hpp"

namespace numpy_plugin::jit {

// Where to look for libnvrtc, best first; set by the bindings (the pip package's directory, a
// toolkit's).
void set_nvrtc_candidates(std::vector<std::string> paths);

struct NvrtcVersion {
  int major = 0;
  int minor = 0;
  std::string path;  // of the library that was opened
};

// Throws base::Error (kCompiler) that names the extra `numpy_plugin[cuda]` when there is no NVRTC.
NvrtcVersion nvrtc_version();

// The architectures this NVRTC compiles for: "sm_75", ...
std::vector<std::string> nvrtc_architectures();

struct CudaOptions {
  std::string arch = "sm_90";
  bool fast_math = false;
  bool use_cache = true;
  bool checks_bounds = false;  // an index of an array that is out of bounds ends the launch
};

// Compiles emitted source for one architecture, or finds it in the cache. Safe from many threads at
// once. Throws base::Error (kCompiler) with the log, mapped to the user's body.
CudaBinary compile_for_device(const emit::Source& source, const CudaOptions& options);

// A part of a link: PTX, a cubin that can be linked, or LTO-IR.
enum class PartForm { kPtx, kCubin, kLtoIr };
std::string compile_part(const emit::Source& source, const CudaOptions& options, PartForm form);

// PTX alone, which takes half the time.
std::string compile_to_ptx(const emit::Source& source, const CudaOptions& options);

}  // namespace numpy_plugin::jit
