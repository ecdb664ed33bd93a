// Which directory the cache is in, and whether it can be trusted: what is there is loaded into this
// process and run.
#pragma once

#include <string>

namespace numpy_plugin::jit {

struct CacheDirectory {
  std::string path;    // without symbolic links; empty when there is no directory to trust
  std::string reason;  // why not; empty otherwise
};

// Takes the directory the environment names, made if it is not there.
CacheDirectory open_cache_directory();

}  // namespace numpy_plugin::jit
