// The cache's size limit and its eviction.
#pragma once

#include <cstdint>
#include <string>

namespace numpy_plugin::jit {

// Bytes: $NUMPY_PLUGIN_CACHE_SIZE ("500 MB", "2 GiB", "0"), by default 1 GB. Throws base::Error
// (kValue) for other text.
std::uint64_t cache_size_limit();

// Evicts least recently used entries until the rest fit, and removes leftovers that killed writers
// abandoned over an hour ago. Safe in several processes at once.
void keep_within(const std::string& directory, std::uint64_t limit);

}  // namespace numpy_plugin::jit
