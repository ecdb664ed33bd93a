// Finds the files that a compiler may read because a source includes them: in cache keys, and
// looked at again before an entry of the cache is used.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/jit/cache/cache.hpp"
#include "numpy_plugin/jit/cache/dependency.hpp"

namespace numpy_plugin::jit {

// The variables of the environment that lead the host's compilers to files, where they are set.
void add_search_variables(CacheKey& key);

// The directories that the host's compiler looks in before its own: those of -I in its command and
// of the environment.
std::vector<std::string> host_search_directories(const std::vector<std::string>& command);

// Adds the files that are not there and would be read instead of those found.
void add_absent_files(Dependencies& found, const std::vector<std::string>& directories);

// Whether a text asks for more than the contents of files: the time, which files there are.
bool depends_on_more_than_files(std::string_view text);

// Finds the files that a text may include, as NVRTC looks for them: beside the file that includes
// and in `directories`. Conditions are not looked at, so that these are all and more. Names that
// begin with "npp/" are ours. Nothing where it can't be told: a macro makes the name, or a file has
// changed since `start`.
std::optional<Dependencies> included_files(std::string_view text,
                                           const std::vector<std::string>& directories,
                                           long long start);

}  // namespace numpy_plugin::jit
