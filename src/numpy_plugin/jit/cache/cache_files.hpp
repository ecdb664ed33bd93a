// The cache directory: its location and limit, and the files in it.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace numpy_plugin::jit {

// Location of the cache directory, and whether it can be trusted: entries are loaded into this
// process and run.

struct CacheDirectory {
  std::string path;    // without symbolic links; empty when there is no directory to trust
  std::string reason;  // why no directory can be trusted; empty otherwise
};

// Uses the directory that the environment names, and creates it if needed.
CacheDirectory open_cache_directory();

// The cache's size limit and its eviction.

// Bytes: $NUMPY_PLUGIN_CACHE_SIZE ("500 MB", "2 GiB", "0"), by default 1 GB. Throws base::Error
// (kValue) for other text.
std::uint64_t cache_size_limit();

// Evicts least recently used entries until the rest fit, and removes leftovers that killed writers
// abandoned over an hour ago. Safe in several processes at once.
void keep_within(const std::string& directory, std::uint64_t limit);

// Files of the cache directory: lists entries and leftovers, and opens a file without following
// links that another user may have planted.

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
