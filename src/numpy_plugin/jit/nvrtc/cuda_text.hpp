// A user's CUDA C++, or the source emitted for a user's device kernel in Python, compiled for one
// of its kernels.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "numpy_plugin/emit/printing/program.hpp"
#include "numpy_plugin/jit/cache/binary.hpp"
#include "numpy_plugin/jit/nvrtc/ptx_signature.hpp"
#include "numpy_plugin/jit/toolkit/toolkit.hpp"
#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::jit {

struct CudaText {
  std::string text;
  std::string kernel;                // in C++ syntax: "increment", "scale<float>", "model::step"
  std::vector<std::string> options;  // for NVRTC, after those of this package
  std::string name;                  // the kernel's name in messages
  // For kernels written in Python: their parameters. The emitted text includes headers of
  // templates/.
  std::optional<std::vector<declare::OperandType>> parameters;
  bool can_raise = false;  // for these: the last parameter is a hidden npp::Errors*
  std::vector<declare::LabelledSource> sources = {};  // of lines; empty: the text itself
  declare::DeviceCodes linked = {};         // code to link with; makes the kernel relocatable
  emit::UserText user_text = {};            // emitted text: the C++ body in it that errors refer to
  std::vector<std::string> instances = {};  // further kernels that the code contains
  bool syncs_grid = false;  // all blocks of a launch run at once, and can wait for each other
};

struct CudaTextBinary {
  KernelSignature kernel;
  CudaBinary binary;
};

// PTX alone for "compute_90", also a cubin for "sm_90". Throws CompileError with places in the
// text, or with a list of the kernels where none has the name.
CudaTextBinary compile_cuda_text(const CudaText& source, const CodeTarget& target);

// The code of the text without a particular kernel. Throws likewise.
CudaBinary compile_cuda_module(const CudaText& source, const CodeTarget& target);

// LTO-IR for an architecture such as "compute_90", to be linked with other LTO-IR. Throws likewise.
std::string compile_cuda_text_to_lto_ir(const CudaText& source, const CodeTarget& target);

// The file name of the text in messages and in its __FILE__: "<source of 'increment'>".
std::string cuda_text_label(const CudaText& source);

// The texts that the labels in its compiled code name.
std::vector<declare::LabelledSource> labelled_sources(const CudaText& source);

}  // namespace numpy_plugin::jit
