// The files of the cache's directory: which are entries, which are left over, and looks at one
// without following what another may have put in its place.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace numpy_plugin::jit {

// A file as it was found: its bytes only where it is one of this package's.
struct FoundFile {
  bool is_there = false;
  struct stat status = {};
  std::optional<std::string> bytes;
};

enum class Look { kOnly, kAsUse };

// kAsUse: the file's time becomes now, for the removal of what was not used for longest.
FoundFile read_cache_file(const std::string& path, Look look);

// Removes what was found, not what another process may have put there since.
bool remove_found(const std::string& path, const struct stat& found);

// The names of entries, and of what their writers left over, sorted.
std::vector<std::string> names_in(const std::string& directory);

// A writer that was killed leaves the file it wrote beside: a name with a second dot.
bool is_left_over(std::string_view name);

}  // namespace numpy_plugin::jit
