// SHA-256 (FIPS 180-4): names and checksums of cache entries.
#pragma once

#include <string>
#include <string_view>

namespace numpy_plugin::base {

// 64 lower-case hexadecimal digits.
std::string sha256(std::string_view bytes);

}  // namespace numpy_plugin::base
