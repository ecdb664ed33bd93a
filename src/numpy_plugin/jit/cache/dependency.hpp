// Files that compilations depend on: programs, libraries, and what is read beside a source.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace numpy_plugin::jit {

// Files that a compilation read beside its source: their contents at that time, and whether they
// have changed.

// A file and its digest. An empty digest marks a file that did not exist and would have been found
// first.
struct Dependency {
  std::string path;
  std::string digest;
};
using Dependencies = std::vector<Dependency>;

// Current time of the clock that file systems use for timestamps, in nanoseconds.
long long file_time_now();

// A file's current state; nullopt where it can't be read or has changed since `start`, so that the
// contents the compiler saw are unknown.
std::optional<Dependency> dependency_on(const std::string& path, long long start);

bool are_unchanged(const Dependencies& dependencies);

// Serialization for cache entries, and its inverse.
std::string pack_dependencies(const Dependencies& dependencies);
Dependencies unpack_dependencies(std::string_view bytes);

// The files of a make rule as compilers write it for -MD.
std::vector<std::string> files_of_rule(std::string_view rule);

// Identity of a program or library, found without running it: part of cache keys.

// Real path, size and modification time of a file; nullopt when it does not exist.
std::optional<std::string> file_identity(const std::string& path);

// The path of a program: names with a slash unchanged, others searched in PATH.
std::optional<std::string> find_program(std::string_view name);

}  // namespace numpy_plugin::jit
