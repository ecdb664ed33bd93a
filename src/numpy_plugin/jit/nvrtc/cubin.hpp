// NVRTC's result for one architecture as one cache entry, and the resources of its kernels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/jit/cache/binary.hpp"
#include "numpy_plugin/jit/nvrtc/nvrtc_program.hpp"

namespace numpy_plugin::jit {

// Places the cubin first, so that the entry itself is a valid cubin; PTX, log and sizes follow.
std::string pack_cubin(const NvrtcOutput& output);
// The inverse of pack_cubin(). Throws base::Error (kInternal) for other bytes.
NvrtcOutput unpack_cubin(std::string_view bytes);

// Resources of each kernel of a compilation with --ptxas-options=-v, in the log's order. Constant
// bytes come from the cubin's sections; 0 where they are missing or unreadable.
std::vector<KernelResources> read_resources(std::string_view cubin, std::string_view log);

}  // namespace numpy_plugin::jit
