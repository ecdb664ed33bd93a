#include "numpy_plugin/jit/nvrtc/nvrtc_target.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/quoted.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/jit/host/include_search.hpp"
#include "numpy_plugin/jit/nvrtc/nvrtc.hpp"

namespace numpy_plugin::jit {
namespace {

bool is_known(const NvrtcLibrary& library, const std::string& arch) {
  const std::string variant = variant_of(arch);
  int number = 0;
  const char* const end = variant.data() + variant.size();
  const char* const stop = std::from_chars(variant.data(), end, number).ptr;
  const std::string_view suffix(stop, static_cast<std::size_t>(end - stop));
  const auto& known = library.architectures;
  return (suffix.empty() || suffix == "a" || suffix == "f") &&
         std::find(known.begin(), known.end(), number) != known.end();
}

// Advice for an architecture newer or older than all that this NVRTC knows.
std::string remedy(const NvrtcLibrary& library, const std::string& arch) {
  const std::string variant = variant_of(arch);
  int number = 0;
  std::from_chars(variant.data(), variant.data() + variant.size(), number);
  if (library.architectures.empty()) return "";
  const auto [oldest, newest] = std::ranges::minmax(library.architectures);
  if (number > newest) return "; a newer CUDA toolkit supports newer GPUs, see CUDA_HOME";
  return number > 0 && number < oldest
             ? "; an older CUDA toolkit supports older GPUs, see CUDA_HOME"
             : "";
}

void check_architecture(const NvrtcLibrary& library, const std::string& arch) {
  if (is_known(library, arch)) return;
  throw base::Error(base::ErrorKind::kCompiler,
                    "unknown architecture " + base::quoted(arch) + "; NVRTC " +
                        std::to_string(library.major) + '.' + std::to_string(library.minor) +
                        " compiles for " + base::join(nvrtc_architectures(), ", ") +
                        remedy(library, arch));
}

std::string digest_with_compiler(CacheKey key) {
  return key.add("nvrtc", nvrtc_identity()).digest();
}

}  // namespace

std::vector<std::string> common_options(const std::string& arch) {
  // Without textures and surfaces; functions need no annotation.
  return {"-arch=" + arch, "-std=c++20", "-minimal", "-default-device"};
}

std::string variant_of(const std::string& arch) {
  const std::size_t at = arch.find('_');
  const std::string prefix = arch.substr(0, at);
  return at != std::string::npos && (prefix == "sm" || prefix == "compute") ? arch.substr(at + 1)
                                                                            : "";
}

Payload compile_or_find_payload(
    const CacheKey& key, const CompileTarget& target,
    const std::function<std::string(const NvrtcLibrary& library)>& compile) {
  const Cache cache = target.use_cache ? Cache::user_cache() : Cache();
  if (cache.is_usable()) {
    if (auto found = cache.load(digest_with_compiler(key), target.suffix)) {
      return {std::move(*found), true};
    }
  }
  const NvrtcLibrary& library = nvrtc_library();
  check_architecture(library, target.arch);
  const long long start = file_time_now();
  std::string bytes = compile(library);
  if (!cache.is_usable()) return {std::move(bytes), false};
  if (const auto files = included_files(target.text, target.directories, start)) {
    // Recomputed: only now is it certain which library was opened.
    cache.store(digest_with_compiler(key), target.suffix, bytes, *files);
  }
  return {std::move(bytes), false};
}

}  // namespace numpy_plugin::jit
