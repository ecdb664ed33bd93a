// Files of CUDA's compiler libraries on this machine: of pip and conda packages and of toolkits.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace numpy_plugin::jit {

struct CudaLibraryFile {
  std::string path;  // a bare name, "libnvrtc.so.13", is left to the dynamic linker
  int major = 0;
  int minor = 0;  // 0 where it can't be told without opening the library
};

// The files of "nvrtc" or "nvJitLink", newest version first; among equal ones that of a Python
// package, then of $LD_LIBRARY_PATH, $CUDA_HOME, $CUDA_PATH, $CONDA_PREFIX, of toolkits in
// /usr/local, then what the dynamic linker finds.
std::vector<CudaLibraryFile> find_cuda_libraries(std::string_view name);

enum class CodeForm { kMachineCode, kPtx };

// Orders libraries by whether a driver, of version 13020 for CUDA 13.2, loads what they make: those
// first, newest first, then newer ones, oldest first. Machine code needs a driver of its major
// version, PTX one at least as new. 0: any driver.
void put_usable_first(std::vector<CudaLibraryFile>& files, int driver_version,
                      CodeForm form = CodeForm::kMachineCode);

}  // namespace numpy_plugin::jit
