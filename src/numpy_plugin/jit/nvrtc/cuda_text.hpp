// A user's own CUDA C++, or what was emitted for a device kernel of theirs in Python, compiled
// for one kernel of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "numpy_plugin/jit/cache/binary.hpp"
#include "numpy_plugin/jit/nvrtc/ptx_signature.hpp"
#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::jit {

struct CudaText {
  std::string text;
  std::string kernel;                // as C++ names it: "increment", "scale<float>", "model::step"
  std::vector<std::string> options;  // NVRTC's, after our own
  std::string name;                  // what messages call the kernel
  // Of a kernel written in Python, whose text we emitted: what its parameters are. Its text
  // includes headers of templates/.
  std::optional<std::vector<declare::OperandType>> parameters;
  bool can_raise = false;  // likewise: its last parameter is an npp::Errors*, which no one gives
  declare::DeviceCodes linked = {};  // what it is linked with; its code is then made for that
};

struct CudaTextBinary {
  KernelSignature kernel;
  CudaBinary binary;
};

// PTX alone for "compute_90", a cubin as well for "sm_90". Throws CompileError with the places in
// the text, or the kernels there are where none has the name.
CudaTextBinary compile_cuda_text(const CudaText& source, const std::string& arch);

// Likewise, for an architecture such as "compute_90": what links with LTO-IR.
std::string compile_cuda_text_to_lto_ir(const CudaText& source, const std::string& arch);

// The file name of the text in messages and in the kernel's own __FILE__: "<source of
// 'increment'>".
std::string cuda_text_label(const CudaText& source);

}  // namespace numpy_plugin::jit
