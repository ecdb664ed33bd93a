// Identity of a program or library, found without running it: part of cache keys.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace numpy_plugin::jit {

// Real path, size and modification time of a file; nullopt when it does not exist.
std::optional<std::string> file_identity(const std::string& path);

// The path of a program: names with a slash unchanged, others searched in PATH.
std::optional<std::string> find_program(std::string_view name);

}  // namespace numpy_plugin::jit
