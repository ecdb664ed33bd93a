// Shared by all compilations with NVRTC: the architectures there are, options, the cache around.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/jit/cache/cache.hpp"
#include "numpy_plugin/jit/nvrtc/nvrtc_library.hpp"

namespace numpy_plugin::jit {

// Results as NumPy has them: nothing contracted, flushed or approximated.
inline constexpr const char* kExactOptions[] = {"-fmad=false", "-ftz=false", "-prec-div=true",
                                                "-prec-sqrt=true"};
// `arch`: "sm_90", or "compute_90" for PTX alone.
std::vector<std::string> common_options(const std::string& arch);

// "90a" of "sm_90a" or "compute_90a"; nothing for another form.
std::string variant_of(const std::string& arch);

struct CompileTarget {
  std::string arch;         // as it was asked for
  std::string_view suffix;  // of the cache's entries
  bool use_cache;
  std::string_view text;                      // where #include is looked for
  std::vector<std::string> directories = {};  // where what it names is
};

struct Payload {
  std::string bytes;
  bool from_cache;
};

// The cache's entry for a key, to which the compiler is added, or what `compile` gives, which is
// then stored with the files that the text includes. Throws base::Error (kCompiler) for an
// architecture that NVRTC does not know.
Payload compile_or_find_payload(
    const CacheKey& key, const CompileTarget& target,
    const std::function<std::string(const NvrtcLibrary& library)>& compile);

}  // namespace numpy_plugin::jit
