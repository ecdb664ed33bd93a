// One compilation by NVRTC.
#pragma once

#include <string>
#include <vector>

#include "numpy_plugin/emit/emit.hpp"
#include "numpy_plugin/jit/nvrtc_library.hpp"

namespace numpy_plugin::jit {

struct NvrtcOutput {
  std::string ptx;
  std::string cubin;  // empty when compiled for a virtual architecture
  std::string log;
};

// Throws CompileError with the log, its messages mapped to the person's body.
NvrtcOutput compile_program(const NvrtcLibrary& library, const emit::Source& source,
                            const std::vector<std::string>& options);

}  // namespace numpy_plugin::jit
