// Numbers of bytes as users write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace numpy_plugin::base {

// Such as 500000000, "500 MB" or "2 GiB"; nullopt for other text.
std::optional<std::uint64_t> parse_byte_count(std::string_view text);

}  // namespace numpy_plugin::base
