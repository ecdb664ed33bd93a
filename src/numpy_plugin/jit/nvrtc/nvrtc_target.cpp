#include "numpy_plugin/jit/nvrtc/nvrtc_target.hpp"

#include <algorithm>
#include <optional>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/jit/host/include_search.hpp"
#include "numpy_plugin/jit/toolkit/toolkit.hpp"
#include "numpy_plugin/system/events/events.hpp"

namespace numpy_plugin::jit {
namespace {

bool is_known(const NvrtcLibrary& library, const std::string& arch) {
  const std::string variant = variant_of(arch);
  const std::string number = std::to_string(architecture_number(arch));
  const auto& known = library.architectures;
  return (variant == number || variant == number + 'a' || variant == number + 'f') &&
         std::ranges::find(known, architecture_number(arch)) != known.end();
}

// Advice for an architecture newer or older than all that this NVRTC knows.
std::string remedy(const NvrtcLibrary& library, const std::string& arch) {
  const int number = architecture_number(arch);
  if (library.architectures.empty() || number == 0) return "";
  const auto [oldest, newest] = std::ranges::minmax(library.architectures);
  if (number > newest) return "; a newer NVRTC supports newer GPUs, see numpy_plugin[cuda]";
  return number < oldest ? "; NVRTC 12 supports older GPUs: pip install \"numpy_plugin[cuda12]\""
                         : "";
}

void check_architecture(const NvrtcLibrary& library, const std::string& arch) {
  if (is_known(library, arch)) return;
  throw base::Error(
      base::ErrorKind::kCompiler,
      format("unknown architecture '{}'; {} compiles for {}{}", arch, compiler_name(library),
             names_of(library.architectures), remedy(library, arch)));
}

NvrtcNeeds needs_of(const CompileTarget& target) {
  return {target.code.driver_version, architecture_number(target.code.arch), target.form};
}

std::string digest_with_compiler(CacheKey key, const CompileTarget& target) {
  return key.add("nvrtc", nvrtc_identity(needs_of(target))).digest();
}

}  // namespace

// -use_fast_math selects approximate functions; it sets the others, too, unless they are given.
std::vector<std::string> arithmetic_options(const base::FastMath& fast_math) {
  const auto option = [](const char* name, bool is_set) {
    return std::string(name) + (is_set ? "=true" : "=false");
  };
  std::vector<std::string> options;
  if (fast_math.afn) options.emplace_back("-use_fast_math");
  options.push_back(option("-fmad", fast_math.contract));
  options.push_back(option("-ftz", fast_math.ftz));
  options.push_back(option("-prec-div", !fast_math.arcp));
  options.push_back(option("-prec-sqrt", !fast_math.afn));
  return options;
}

std::vector<std::string> common_options(const std::string& arch) {
  // Without textures and surfaces; functions need no annotation.
  return {"-arch=" + arch, "-std=c++20", "-minimal", "-default-device"};
}

std::optional<std::string> find_payload(const CacheKey& key, const CompileTarget& target) {
  const Cache cache = target.use_cache ? Cache::user_cache() : Cache();
  if (!cache.is_usable()) return std::nullopt;
  return cache.load(digest_with_compiler(key, target), target.suffix);
}

Payload compile_or_find_payload(
    const CacheKey& key, const CompileTarget& target,
    const std::function<std::string(const NvrtcLibrary& library)>& compile) {
  const std::string subject = format("{} for {}", target.subject, target.code.arch);
  const Cache cache = target.use_cache ? Cache::user_cache() : Cache();
  auto found = find_payload(key, target);
  if (target.use_cache) system::record_lookup(subject, found.has_value(), cache.reason());
  if (found.has_value()) return {std::move(*found), true};
  const NvrtcLibrary& library = nvrtc_library(needs_of(target));
  check_architecture(library, target.code.arch);
  const long long start = file_time_now();
  std::string bytes =
      system::followed(subject, compiler_name(library), [&] { return compile(library); });
  if (!cache.is_usable()) return {std::move(bytes), false};
  if (const auto files = included_files(target.text, target.directories, start)) {
    // Recomputed: only now is it certain which library was opened.
    cache.store(digest_with_compiler(key, target), target.suffix, bytes, *files);
  }
  return {std::move(bytes), false};
}

}  // namespace numpy_plugin::jit
