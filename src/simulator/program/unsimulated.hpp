// unsimulated.def as messages.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace numpy_plugin::sim {

// "warpgroup matrix instructions (sm_90a) are not simulated; mma.sync is"; nullopt for mnemonics
// that the table does not know.
std::optional<std::string> why_unsimulated(std::string_view mnemonic);

}  // namespace numpy_plugin::sim
