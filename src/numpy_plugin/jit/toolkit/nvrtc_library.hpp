// libnvrtc: found, chosen by version and opened once, with its functions in one table.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "numpy_plugin/jit/toolkit/cuda_libraries.hpp"

namespace numpy_plugin::jit {

struct NvrtcLibrary {
  std::string path;
  int major = 0;
  int minor = 0;
  std::vector<int> architectures;  // 90 for sm_90

#define NPP_NVRTC(name, parameters) int(*name) parameters = nullptr;
#include "numpy_plugin/jit/toolkit/nvrtc.def"
  const char* (*nvrtcGetErrorString)(int result) = nullptr;
};

// The purpose of a compilation: decides between the libraries of this machine.
struct NvrtcNeeds {
  int driver_version = 0;  // of the driver that loads the code, 13020 for CUDA 13.2; 0: any
  int architecture = 0;    // 90 for sm_90; 0: any
  CodeForm form = CodeForm::kMachineCode;
};

// The newest library that meets the needs, else the one that comes closest. Opened at first use and
// never closed. Throws base::Error (kCompiler) where there is none.
const NvrtcLibrary& nvrtc_library(const NvrtcNeeds& needs = {});

// Identity of that library for cache keys, known without opening it wherever its path is known, so
// that a warm start needs no NVRTC.
std::string nvrtc_identity(const NvrtcNeeds& needs = {});

// The architectures that library compiles for, likewise.
std::vector<int> known_architectures(const NvrtcNeeds& needs = {});

// "NVRTC 13.5"
std::string compiler_name(const NvrtcLibrary& library);

// "sm_75, sm_80, sm_90"
std::string names_of(const std::vector<int>& architectures);

}  // namespace numpy_plugin::jit
