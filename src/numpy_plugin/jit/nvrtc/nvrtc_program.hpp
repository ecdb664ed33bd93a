// One compilation by NVRTC, and its result as a cache entry.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/emit/source/emit.hpp"
#include "numpy_plugin/jit/cache/binary.hpp"
#include "numpy_plugin/jit/toolkit/toolkit.hpp"

namespace numpy_plugin::jit {

struct NvrtcInput {
  std::string text;
  std::string file;  // the text's name in messages
  std::vector<std::string> options;
  std::vector<std::string> name_expressions;  // their lowered names are looked up
  std::vector<std::string> directories;       // whose files hide named headers of templates/
  bool has_cudas_headers = false;             // named headers are those that go with them
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

// NVRTC's result for one architecture as one cache entry, and the resources of its kernels.

// Places the cubin first, so that the entry itself is a valid cubin; PTX, log and sizes follow.
std::string pack_cubin(const NvrtcOutput& output);
// The inverse of pack_cubin(). Throws base::Error (kInternal) for other bytes.
NvrtcOutput unpack_cubin(std::string_view bytes);

// Resources of each kernel of a compilation with --ptxas-options=-v, in the log's order. Constant
// bytes come from the cubin's sections; 0 where they are missing or unreadable.
std::vector<KernelResources> read_resources(std::string_view cubin, std::string_view log);

}  // namespace numpy_plugin::jit
