// Finds the files that a source may include: part of cache keys, and checked again before a cache
// entry is used.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/jit/cache/cache.hpp"
#include "numpy_plugin/jit/cache/dependency.hpp"

namespace numpy_plugin::jit {

// Adds the environment variables that affect the host compiler's search for files.
void add_search_variables(CacheKey& key);

// Directories that the host compiler searches before its own: those of -I in its command and of the
// environment.
std::vector<std::string> host_search_directories(const std::vector<std::string>& command);

// Adds nonexistent files that would shadow those found.
void add_absent_files(Dependencies& found, const std::vector<std::string>& directories);

// Whether a text depends on more than file contents: the time, or which files exist.
bool depends_on_more_than_files(std::string_view text);

// Finds the files that a text may include, by NVRTC's rules: next to the including file and in
// `directories`. Conditions are ignored, so the result is a superset. Names that begin with "npp/"
// are templates of this package. nullopt where a macro expands to the name, or a file has changed
// since `start`.
std::optional<Dependencies> included_files(std::string_view text,
                                           const std::vector<std::string>& directories,
                                           long long start);

}  // namespace numpy_plugin::jit
