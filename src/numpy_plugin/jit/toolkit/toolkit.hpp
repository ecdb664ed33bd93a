// CUDA's compiler libraries on this machine, and the architectures that they compile for.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace numpy_plugin::jit {

// Names of GPU architectures: "sm_90", "compute_90", "sm_90a".

// The target of a compilation.
struct CodeTarget {
  std::string arch = "sm_90";  // as given; "compute_90" for PTX alone
  int driver_version = 0;      // of the driver that loads it, 13020 for CUDA 13.2; 0: any
};

// "90a" for "sm_90a" or "compute_90a"; empty for other forms.
std::string variant_of(std::string_view arch);

// 90 for "sm_90a"; 0 for other forms.
int architecture_number(std::string_view arch);

// The target to compile for where a GPU's own architecture may be unknown: machine code runs on
// later architectures of its major version, PTX on all later ones. "sm_103" itself where it is
// known, else the latest known before it: "sm_100", or "compute_90" of another major version; the
// name itself where all are later.
std::string nearest_target(std::string_view arch, const std::vector<int>& known);

// Files of CUDA's compiler libraries on this machine: of pip and conda packages and of toolkits.

struct CudaLibraryFile {
  std::string path;  // a bare name, "libnvrtc.so.13", is left to the dynamic linker
  int major = 0;
  int minor = 0;  // 0 where it can't be told without opening the library
};

// The files of "nvrtc" or "nvJitLink", newest version first; among equal ones that of a Python
// package, then of $LD_LIBRARY_PATH, $CUDA_HOME, $CUDA_PATH, $CONDA_PREFIX, of toolkits in
// /usr/local, then what the dynamic linker finds.
std::vector<CudaLibraryFile> find_cuda_libraries(std::string_view name);

// Directories of the headers of CUDA's C++ Core Libraries and of CUDA, where they are installed.
std::vector<std::string> find_header_directories();

enum class CodeForm { kMachineCode, kPtx };

// Orders libraries by whether a driver, of version 13020 for CUDA 13.2, loads what they make: those
// first, newest first, then newer ones, oldest first. Machine code needs a driver of its major
// version, PTX one at least as new. 0: any driver.
void put_usable_first(std::vector<CudaLibraryFile>& files, int driver_version,
                      CodeForm form = CodeForm::kMachineCode);

// libnvrtc: found, chosen by version and opened once, with its functions in one table.
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
