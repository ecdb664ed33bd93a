// NVRTC's result for one architecture as one cache entry, and the resources of its kernels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/jit/cache/binary.hpp"
#include "numpy_plugin/jit/nvrtc/nvrtc_program.hpp"

namespace numpy_plugin::jit {

// The cubin first, so that the entry itself is one; PTX, log and their sizes behind it.
std::string pack_cubin(const NvrtcOutput& output);
// The inverse. Throws base::Error (kInternal) for bytes that pack_cubin has not made.
NvrtcOutput unpack_cubin(std::string_view bytes);

// Each kernel of a compilation with --ptxas-options=-v, in the log's order. Constant bytes come
// from the cubin's sections; 0 where it has none or cannot be read.
std::vector<KernelResources> read_resources(std::string_view cubin, std::string_view log);

}  // namespace numpy_plugin::jit
