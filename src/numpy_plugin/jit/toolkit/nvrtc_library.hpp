// libnvrtc: found and opened once, with its functions in one table.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace numpy_plugin::jit {

struct NvrtcLibrary {
  std::string path;
  int major = 0;
  int minor = 0;
  std::vector<int> architectures;  // 90 for sm_90

#define NPP_NVRTC(name, parameters) int(*name) parameters = nullptr;
#include "numpy_plugin/jit/nvrtc/nvrtc.def"
  const char* (*nvrtcGetErrorString)(int result) = nullptr;
};

// Opened at first use and never closed. Throws base::Error (kCompiler) when it is missing.
const NvrtcLibrary& nvrtc_library();

// Identity of the library for cache keys, known without opening it wherever its path is known, so
// that a warm start needs no NVRTC.
std::string nvrtc_identity();

}  // namespace numpy_plugin::jit
