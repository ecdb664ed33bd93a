// Numbers of bytes in environment variables.
#pragma once

#include <cstdint>

namespace numpy_plugin::base {

// Such as 500000000, "500 MB" or "2 GiB"; `usual` where the variable is unset or empty. Throws
// Error (kValue) for other text.
std::uint64_t byte_count_variable(const char* variable, std::uint64_t usual);

}  // namespace numpy_plugin::base
