// Compressed entries of fatbins.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace numpy_plugin::sim {

// The `n_bytes` bytes of an LZ4 block, which nvcc makes with --compress-mode=speed, and before
// CUDA 13 always. Throws CallError for a damaged one.
std::string decompress_lz4(std::string_view block, std::size_t n_bytes);

// Likewise, of a Zstandard frame, as CUDA 13 makes by default. Needs the system's libzstd.
std::string decompress_zstd(std::string_view frame, std::size_t n_bytes);

}  // namespace numpy_plugin::sim
