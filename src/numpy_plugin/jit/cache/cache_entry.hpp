// Bytes of a cache entry: the payload, the files it depends on, and a trailer of fixed length with
// both sizes and a checksum. Loaders of shared objects and cubins ignore trailing bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "numpy_plugin/jit/cache/dependency.hpp"

namespace numpy_plugin::jit {

// Also part of every key, so that entries of another format are never opened.
inline constexpr std::string_view kCacheFormat = "2";

struct CacheEntry {
  std::string payload;
  Dependencies dependencies;
};

// `name` is the entry's file name: an entry that was renamed is rejected.
std::string seal_entry(std::string_view name, std::string_view payload,
                       const Dependencies& dependencies);

// nullopt for an entry that is truncated, modified, renamed or not written by this package.
std::optional<CacheEntry> open_entry(std::string_view name, std::string bytes);

}  // namespace numpy_plugin::jit
