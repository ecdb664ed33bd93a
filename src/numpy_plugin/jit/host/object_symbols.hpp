// Symbols of an object file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace numpy_plugin::jit {

// The names that an ELF object uses without defining them; nullopt for other or damaged files.
std::optional<std::vector<std::string>> undefined_symbols(std::string_view object);

}  // namespace numpy_plugin::jit
