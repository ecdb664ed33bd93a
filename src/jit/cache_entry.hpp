// The bytes of a cache entry: the payload, and behind it one line of fixed length with its size and
// checksum. A loader of shared objects or cubins never looks that far.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace numpy_plugin::jit {

// Part of every key as well: entries of another format are never even opened.
inline constexpr std::string_view kCacheFormat = "1";

std::string seal_entry(std::string_view payload);

// The size of the payload; nothing when the entry is cut off, changed or not one of ours.
std::optional<std::size_t> checked_payload_size(std::string_view entry);

}  // namespace numpy_plugin::jit
