// Host compilation: the compiler's own check, and the cache.
#include <memory>
#include <optional>
#include <utility>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/jit/cache/cache.hpp"
#include "numpy_plugin/jit/host/host_compilation.hpp"
#include "numpy_plugin/jit/host/host_compiler.hpp"
#include "numpy_plugin/jit/host/host_flags.hpp"
#include "numpy_plugin/jit/host/include_search.hpp"
#include "numpy_plugin/system/events/events.hpp"
#include "numpy_plugin/system/settings.hpp"

namespace numpy_plugin::jit {
namespace {

constexpr std::string_view kSuffix = ".so";
constexpr std::string_view kObjectSuffix = ".o";

// Owns the source of a check, which outlives the function that starts it.
struct CheckCompilation {
  emit::Source source;
  HostOptions options;
  HostCompilation compilation;
  std::optional<HostCompilation::Started> started;

  CheckCompilation(emit::Source checked, const HostCompiler& compiler, const HostOptions& others)
      : source(std::move(checked)),
        options{.time_limit = others.time_limit},
        compilation(source, compiler, options),
        started(compilation.start_shared_object()) {}
};

CompilerCheck start_check(const HostCompiler& compiler, const HostOptions& options) {
  return CompilerCheck(compiler, [&](const emit::Source& source) {
    const auto check = std::make_shared<CheckCompilation>(source, compiler, options);
    return [check] { return check->compilation.finish(std::move(*check->started)); };
  });
}

// Compiles while a compiler seen for the first time is checked.
template <typename Compile>
std::string compile_checked(const HostCompiler& compiler, const HostOptions& options,
                            const Compile& compile) {
  CompilerCheck check = start_check(compiler, options);
  std::string bytes = compile();
  check.finish();
  return bytes;
}

std::string digest_of(const emit::Source& source, const HostCompiler& compiler,
                      const HostOptions& options) {
  CacheKey key = source_key(source);
  for (const std::string& word : compiler.command) key.add("command", word);
  add_search_variables(key);
  key.add("compiler", compiler.identity);
  for (const std::string& flag : host_compile_flags(compiler.family, options)) {
    key.add("flag", flag);
  }
  return key.add("processor", cpu_identity()).digest();
}

// An entry of the cache on a machine without a compiler. A compiler that the user names must exist.
std::optional<std::string> load_without_compiler(const emit::Source& source, const Cache& cache,
                                                 const HostOptions& options,
                                                 std::string_view suffix) {
  const bool is_named =
      system::peek_setting(system::Setting::kCxx).source != system::SettingSource::kDefault;
  if (options.replaces_entry || is_named) return std::nullopt;
  const std::optional<HostCompiler> compiler = last_compiler(cache);
  if (!compiler.has_value()) return std::nullopt;
  return cache.load(digest_of(source, *compiler, options), suffix);
}

// With the liberties that the source leaves to the compiler.
HostOptions allowed(const emit::Source& source, HostOptions options) {
  options.fast_math.reassoc &= !source.keeps_order;
  options.fast_math.arcp &= !source.keeps_quotients;
  return options;
}

template <typename Compile>
SharedObjectCode compile_or_find(const emit::Source& source, const HostOptions& options,
                                 std::string_view suffix, const Compile& compile) {
  const Cache cache = options.use_cache ? Cache::user_cache() : Cache();
  HostCompiler compiler;
  try {
    compiler = find_host_compiler();
  } catch (const base::Error&) {
    if (auto found = load_without_compiler(source, cache, options, suffix))
      return {std::move(*found), true};
    throw;
  }
  const std::string digest = digest_of(source, compiler, options);
  if (!options.replaces_entry) {
    auto found = cache.load(digest, suffix);
    if (options.use_cache) system::record_lookup(source.subject, found.has_value(), cache.reason());
    if (found.has_value()) return {std::move(*found), true};
  }
  const HostCompilation compilation(source, compiler, options);
  std::string bytes = system::followed(source.subject, compiler.version, [&] {
    return compile_checked(compiler, options, [&] { return compile(compilation); });
  });
  if (const auto dependencies = compilation.dependencies()) {
    cache.store(digest, suffix, bytes, *dependencies);
    remember_compiler(cache, compiler);
  }
  return {std::move(bytes), false};
}

}  // namespace

std::chrono::milliseconds compile_time_limit() {
  constexpr double kMostSeconds = 1e6;
  const double seconds = system::setting_seconds(system::Setting::kCompileTimeout);
  const std::chrono::duration<double> limit(std::min(seconds, kMostSeconds));
  return std::chrono::ceil<std::chrono::milliseconds>(limit);
}

SharedObjectCode compile_for_host(const emit::Source& source, const HostOptions& options) {
  return compile_or_find(source, allowed(source, options), kSuffix,
                         [](const HostCompilation& compilation) {
                           return compilation.finish(compilation.start_shared_object());
                         });
}

std::string object_for_host(const emit::Source& source, const HostOptions& options) {
  return compile_or_find(source, allowed(source, options), kObjectSuffix,
                         [](const HostCompilation& compilation) { return compilation.object(); })
      .bytes;
}

std::string assembly_for_host(const emit::Source& source, const HostOptions& asked) {
  const HostOptions options = allowed(source, asked);
  const HostCompiler compiler = find_host_compiler();
  const HostCompilation compilation(source, compiler, options);
  return compile_checked(compiler, options, [&] { return compilation.assembly(); });
}

}  // namespace numpy_plugin::jit
