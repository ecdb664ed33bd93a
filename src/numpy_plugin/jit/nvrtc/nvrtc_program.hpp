// One compilation by NVRTC.
#pragma once

#include <string>
#include <vector>

#include "numpy_plugin/emit/source/emit.hpp"
#include "numpy_plugin/jit/toolkit/nvrtc_library.hpp"

namespace numpy_plugin::jit {

struct NvrtcInput {
  std::string text;
  std::string file;  // the text's name in messages
  std::vector<std::string> options;
  std::vector<std::string> name_expressions;  // their lowered names are looked up
  std::vector<std::string> directories;       // whose files hide named headers of templates/
};

struct NvrtcOutput {
  std::string ptx;
  std::string cubin;   // empty when compiled for a virtual architecture
  std::string lto_ir;  // instead of PTX and cubin, with -dlto
  std::string log;
};

// Result of a compilation; with NVRTC's failure, `output` holds the log alone.
struct NvrtcResult {
  NvrtcOutput output;
  std::string failure;  // NVRTC's name for the failure; empty on success
  std::vector<std::string> lowered_names;
};

// Throws base::Error (kCompiler) where NVRTC itself fails, not for errors in the input.
NvrtcResult run_nvrtc(const NvrtcLibrary& library, const NvrtcInput& input);

// Throws CompileError with the log, its messages mapped to the user's body.
NvrtcOutput compile_program(const NvrtcLibrary& library, const emit::Source& source,
                            const std::vector<std::string>& options);

}  // namespace numpy_plugin::jit
