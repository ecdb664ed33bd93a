// Location of the cache directory, and whether it can be trusted: entries are loaded into this
// process and run.
#pragma once

#include <string>

namespace numpy_plugin::jit {

struct CacheDirectory {
  std::string path;    // without symbolic links; empty when there is no directory to trust
  std::string reason;  // why no directory can be trusted; empty otherwise
};

// Uses the directory that the environment names, and creates it if needed.
CacheDirectory open_cache_directory();

}  // namespace numpy_plugin::jit
