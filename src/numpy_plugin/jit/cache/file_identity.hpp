// Which file a program or library is, without starting it: part of cache keys.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace numpy_plugin::jit {

// Real path, size and time of change of a file; nothing when there is none.
std::optional<std::string> file_identity(const std::string& path);

// The path of a program: a name with a slash as it is, others in the directories of PATH.
std::optional<std::string> find_program(std::string_view name);

}  // namespace numpy_plugin::jit
