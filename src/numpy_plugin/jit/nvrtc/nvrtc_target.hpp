// Shared by all compilations with NVRTC: architectures, options, the cache look-up.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/base/fast_math.hpp"
#include "numpy_plugin/jit/cache/cache.hpp"
#include "numpy_plugin/jit/toolkit/toolkit.hpp"

namespace numpy_plugin::jit {

// Without liberties results equal NumPy's: no contraction, flushing or approximation.
std::vector<std::string> arithmetic_options(const base::FastMath& fast_math);
// `arch`: "sm_90", or "compute_90" for PTX alone.
std::vector<std::string> common_options(const std::string& arch);

struct CompileTarget {
  CodeTarget code;
  CodeForm form;
  std::string_view suffix;  // of cache entries
  bool use_cache;
  std::string subject;                        // what is compiled, for logs
  std::string_view text;                      // searched for #include
  std::vector<std::string> directories = {};  // searched for the included files
};

// The cache entry of `key` with the compiler added.
std::optional<std::string> find_payload(const CacheKey& key, const CompileTarget& target);

struct Payload {
  std::string bytes;
  bool from_cache;
};

// Returns the cache entry, or the result of `compile`, which is
// then stored with the files that the text includes. Throws base::Error (kCompiler) for an
// architecture that NVRTC does not know.
Payload compile_or_find_payload(
    const CacheKey& key, const CompileTarget& target,
    const std::function<std::string(const NvrtcLibrary& library)>& compile);

}  // namespace numpy_plugin::jit
