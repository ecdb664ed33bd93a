// Which folder the cache is in, and whether it can be trusted: what is there is loaded into this
// process and run.
#pragma once

#include <string>

namespace numpy_plugin::jit {

struct CacheFolder {
  std::string path;    // without symbolic links; empty when there is no folder to trust
  std::string reason;  // why not; empty otherwise
};

// Takes the folder the environment names, made if it is not there.
CacheFolder open_cache_folder();

}  // namespace numpy_plugin::jit
