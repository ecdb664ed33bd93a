// cuBLAS as a table of functions, opened at first use and never linked.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace numpy_plugin::load {

// Its library is never unloaded.
struct Cublas {
#define NPP_CUBLAS(name, symbol, parameters) int(*name) parameters = nullptr;
#include "numpy_plugin/load/cublas.def"
  const char* (*cublasGetStatusName)(int status) = nullptr;
  const char* (*cublasGetStatusString)(int status) = nullptr;
  std::string version;  // "13.1.0"
  std::string path;

  // Throws CudaError with the status's name and description, unless the call succeeded. `what` was
  // being done, as in "to multiply matrices".
  void check(int status, std::string_view what) const;
};

struct FoundCublas {
  const Cublas* library = nullptr;  // valid for the process's lifetime
  std::string reason;               // set without a library
};

// The newest cuBLAS of this machine for a driver of this version, 13020 for CUDA 13.2; opened once.
// None where $NUMPY_PLUGIN_CUBLAS is "off". Throws base::Error (kValue) where the variable is
// neither that nor "auto", the default.
FoundCublas find_cublas(int driver_version);

}  // namespace numpy_plugin::load
