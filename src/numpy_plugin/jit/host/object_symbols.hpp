// Symbols of an object file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace numpy_plugin::jit {

// The names that an ELF object uses without defining them; nullopt for other or damaged files.
std::optional<std::vector<std::string>> undefined_symbols(std::string_view object);

// The object with `suffix` after the names that it defines: objects of several kernels, or of one
// for several processors, can then be linked with each other. Linkers would keep one of the
// functions that several of them define inline. nullopt likewise.
std::optional<std::string> with_suffixed_symbols(std::string_view object, std::string_view suffix);

}  // namespace numpy_plugin::jit
