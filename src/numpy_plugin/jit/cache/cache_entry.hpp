// The bytes of a cache entry: the payload, behind it the files that it depends on, and one line of
// fixed length with both sizes and a checksum. A loader of shared objects or cubins never looks
// that far.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "numpy_plugin/jit/cache/dependency.hpp"

namespace numpy_plugin::jit {

// Part of every key as well: entries of another format are never even opened.
inline constexpr std::string_view kCacheFormat = "2";

struct CacheEntry {
  std::string payload;
  Dependencies dependencies;
};

// `name` is that of the entry's file: an entry under another name is none.
std::string seal_entry(std::string_view name, std::string_view payload,
                       const Dependencies& dependencies);

// Nothing when the entry is cut off, changed, under another name or not one of this package's.
std::optional<CacheEntry> open_entry(std::string_view name, std::string bytes);

}  // namespace numpy_plugin::jit
