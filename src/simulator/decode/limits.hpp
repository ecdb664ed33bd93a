// Numbers that an operand may not be, see limits.def.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace numpy_plugin::sim {

// Message's end where a number is invalid as a source of an instruction: what is expected. Empty
// where it is valid.
std::string_view expected_number(std::string_view mnemonic, std::size_t source, std::int64_t value);

}  // namespace numpy_plugin::sim
