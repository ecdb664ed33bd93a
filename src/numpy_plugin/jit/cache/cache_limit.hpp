// How large the cache may become, and what goes where it is larger.
#pragma once

#include <cstdint>
#include <string>

namespace numpy_plugin::jit {

// Bytes: $NUMPY_PLUGIN_CACHE_SIZE ("500 MB", "2 GiB", "0"), 1 GB where it is not set. Throws
// base::Error (kValue) for another text.
std::uint64_t cache_size_limit();

// Removes entries, the one not used for longest first, until those that stay fit, and what killed
// writers left over an hour ago. Many processes may do so at once.
void keep_within(const std::string& directory, std::uint64_t limit);

}  // namespace numpy_plugin::jit
