// Files of the cache directory: lists entries and leftovers, and opens a file without following
// links that another user may have planted.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace numpy_plugin::jit {

// A file of the cache directory; its bytes are set only where this package wrote it.
struct FoundFile {
  bool is_there = false;
  struct stat status = {};
  std::optional<std::string> bytes;
};

enum class Look { kOnly, kAsUse };

// kAsUse sets the file's time to now, for eviction of the least recently used.
FoundFile read_cache_file(const std::string& path, Look look);

// Removes this very file, not one that another process may have put there since.
bool remove_found(const std::string& path, const struct stat& found);

// The names of entries and of writers' leftovers, sorted.
std::vector<std::string> names_in(const std::string& directory);

// A killed writer leaves its temporary file: a name with a second dot.
bool is_left_over(std::string_view name);

}  // namespace numpy_plugin::jit
