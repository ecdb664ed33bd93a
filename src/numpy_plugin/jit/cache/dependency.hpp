// Files that a compilation read beside its source: what they held then, and whether they still do.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace numpy_plugin::jit {

// A file and its digest; an empty digest: there was none, and one would have been read instead of
// another.
struct Dependency {
  std::string path;
  std::string digest;
};
using Dependencies = std::vector<Dependency>;

// The time on the clock that file systems mark files with, in nanoseconds.
long long file_time_now();

// A file as it is now; nothing where it can't be read or has changed since `start`, so that what a
// compilation read is not known.
std::optional<Dependency> dependency_on(const std::string& path, long long start);

bool are_unchanged(const Dependencies& dependencies);

// As bytes of a cache entry, and back.
std::string pack_dependencies(const Dependencies& dependencies);
Dependencies unpack_dependencies(std::string_view bytes);

// The files of a make rule, as compilers write it for -MD.
std::vector<std::string> files_of_rule(std::string_view rule);

}  // namespace numpy_plugin::jit
