// unsimulated.def as messages.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace numpy_plugin::sim {

// "warpgroup matrix instructions (sm_90a) are not simulated; mma.sync is"; nullopt for mnemonics
// that the table does not know.
std::optional<std::string> why_unsimulated(std::string_view mnemonic);

// Whether a mnemonic's modifiers have the words of a row of the table.
bool has_words(std::string_view modifiers, std::string_view words);

}  // namespace numpy_plugin::sim
