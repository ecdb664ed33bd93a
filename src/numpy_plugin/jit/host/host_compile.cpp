// Host compilation: a private directory with the source and the templates, one command, the object
// into the cache.
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/quoted.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/emit/source/host_headers.hpp"
#include "numpy_plugin/emit/source/named_headers.hpp"
#include "numpy_plugin/explain/body_diagnostics.hpp"
#include "numpy_plugin/jit/cache/compile_key.hpp"
#include "numpy_plugin/jit/cache/dependency.hpp"
#include "numpy_plugin/jit/host/compiler_check.hpp"
#include "numpy_plugin/jit/host/host_compiler.hpp"
#include "numpy_plugin/jit/host/host_flags.hpp"
#include "numpy_plugin/jit/host/include_search.hpp"
#include "numpy_plugin/jit/host/process_report.hpp"
#include "numpy_plugin/system/file.hpp"
#include "numpy_plugin/system/process.hpp"
#include "numpy_plugin/system/stale_directories.hpp"

namespace numpy_plugin::jit {
namespace {

constexpr std::string_view kSuffix = ".so";
constexpr const char* kNamedHeaders = "named-headers";
constexpr const char* kTimeLimitVariable = "NUMPY_PLUGIN_COMPILE_TIMEOUT";

// The error of a write that has just failed (errno).
base::Error cannot_write(const std::string& path) {
  const bool has_no_descriptor = errno == EMFILE || errno == ENFILE;
  return {base::ErrorKind::kRuntime,
          base::quoted(path) + " cannot be written: " + std::strerror(errno) +
              (has_no_descriptor ? "; close files, or raise the limit with ulimit -n"
                                 : "; set TMPDIR to a directory with free space")};
}

void write(const std::string& path, std::string_view text) {
  if (!base::write_file_atomically(path, text)) throw cannot_write(path);
}

// Writes a file, and the directories that its name goes through.
void write_below(const base::TemporaryDirectory& directory, const std::string& name,
                 std::string_view text) {
  directory.make_way(name);
  write(directory.path() + '/' + name, text);
}

std::string remedy(const base::ProcessResult& result) {
  if (result.end != base::ProcessResult::End::kTimedOut) return "";
  return std::string("; ") + kTimeLimitVariable + " sets the limit in seconds";
}

// One compilation in its own directory.
class HostCompilation {
 public:
  HostCompilation(const emit::Source& source, const HostCompiler& compiler,
                  const HostOptions& options)
      : source_(source), compiler_(compiler), options_(options) {
    base::remove_stale_directories();
    write_headers();
    write(source_path(), source.text);
  }

  // A running compiler and its output file.
  struct Started {
    std::vector<std::string> words;
    std::string output;
    base::ChildProcess process;
  };

  Started start_shared_object() const {
    std::vector<std::string> flags = host_link_flags(compiler_.family);
    flags.insert(flags.end(), {"-MD", "-MF", rule_path(), "-MT", "object"});
    return start(flags, directory_.path() + "/npp-generated.so");
  }
  std::string assembly() const {
    return finish(start({"-S"}, directory_.path() + "/npp-generated.s"));
  }
  // Waits for the compiler and returns the bytes it wrote.
  std::string finish(Started started) const {
    const base::ProcessResult result = started.process.finish();
    const std::string name = base::quoted(base::join(compiler_.command, " ")) + ' ';
    const std::string log = base::join(started.words, " ") + '\n' + result.output;
    if (!has_succeeded(result)) {
      throw make_compile_error(source_, log, LogForm::kGnu,
                               name + process_report(result, options_.time_limit) + remedy(result));
    }
    std::optional<std::string> bytes = base::read_file(started.output);
    if (bytes.has_value() && !bytes->empty()) return std::move(*bytes);
    if (!bytes.has_value() && errno != ENOENT) {
      throw base::Error(base::ErrorKind::kRuntime,
                        base::quoted(started.output) + " cannot be read: " + std::strerror(errno));
    }
    throw base::Error(base::ErrorKind::kCompiler, name + "exited with 0 but produced no output",
                      log);
  }
  // The files that the shared object was made from, without the embedded templates; nullopt where
  // they are unknown.
  std::optional<Dependencies> dependencies() const {
    if (depends_on_more_than_files(source_.text)) return std::nullopt;
    const std::optional<std::string> rule = base::read_file(rule_path());
    if (!rule.has_value()) return std::nullopt;
    Dependencies found;
    for (const std::string& file : files_of_rule(*rule)) {
      if (file.starts_with(directory_.path() + '/')) continue;
      std::optional<Dependency> dependency = dependency_on(file, start_);
      if (!dependency.has_value()) return std::nullopt;
      found.push_back(std::move(*dependency));
    }
    add_absent_files(found, host_search_directories(compiler_.command));
    return found;
  }

 private:
  void write_headers() const {
    // Files that the command includes may include any header.
    const bool includes_more =
        std::any_of(compiler_.command.begin(), compiler_.command.end(),
                    [](const std::string& word) { return word.starts_with("-i"); });
    const auto needed = includes_more ? emit::all_host_headers() : emit::host_headers(source_.text);
    for (const emit::TemplateFile& file : emit::template_files()) {
      if (!needed.contains(file.name)) continue;
      write_below(directory_, std::string(file.name), file.text);
    }
    for (const emit::NamedHeader& header : emit::named_headers()) {
      if (!needed.contains(header.name)) continue;
      write_below(directory_, std::string(kNamedHeaders) + '/' + std::string(header.name),
                  header.for_cpu);
    }
  }

  std::string source_path() const { return directory_.path() + "/npp-generated.cpp"; }
  std::string headers_path() const { return directory_.path() + '/' + kNamedHeaders; }
  std::string rule_path() const { return directory_.path() + "/npp-generated.d"; }

  std::vector<std::string> command(const std::vector<std::string>& more,
                                   const std::string& output) const {
    std::vector<std::string> words;
    const std::vector<std::string> flags = host_compile_flags(compiler_.family, options_);
    words.insert(words.end(), compiler_.command.begin(), compiler_.command.end());
    words.insert(words.end(), flags.begin(), flags.end());
    words.insert(words.end(), {"-I", headers_path(), "-I", directory_.path(), source_path()});
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {"-o", output});
    return words;
  }

  // Compilers' temporary files are removed with the directory even when the compiler is killed;
  // zig's cache would grow without limit.
  std::vector<std::string> variables() const {
    const std::string& path = directory_.path();
    return {"TMPDIR=" + path, "ZIG_GLOBAL_CACHE_DIR=" + path, "ZIG_LOCAL_CACHE_DIR=" + path};
  }

  Started start(const std::vector<std::string>& more, const std::string& output) const {
    std::vector<std::string> words = command(more, output);
    base::ChildProcess process(words, options_.time_limit, variables());
    return {std::move(words), output, std::move(process)};
  }

  const long long start_ = file_time_now();
  base::TemporaryDirectory directory_;
  const emit::Source& source_;
  const HostCompiler& compiler_;
  const HostOptions& options_;
};

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

}  // namespace

std::chrono::milliseconds compile_time_limit() {
  constexpr std::chrono::seconds kDefault(120);
  constexpr double kMostSeconds = 1e6;
  const char* const variable = std::getenv(kTimeLimitVariable);
  const std::string_view text = variable == nullptr ? "" : variable;
  if (text.empty()) return kDefault;
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || !(seconds > 0)) {
    throw base::Error(base::ErrorKind::kValue, std::string(kTimeLimitVariable) + " is " +
                                                   base::quoted(std::string(text)) +
                                                   "; expected a number of seconds above 0");
  }
  const std::chrono::duration<double> limit(std::min(seconds, kMostSeconds));
  return std::chrono::ceil<std::chrono::milliseconds>(limit);
}

SharedObjectCode compile_for_host(const emit::Source& source, const HostOptions& options) {
  const HostCompiler compiler = find_host_compiler();
  const Cache cache = options.use_cache ? Cache::user_cache() : Cache();
  const std::string digest = digest_of(source, compiler, options);
  if (!options.replaces_entry) {
    if (auto found = cache.load(digest, kSuffix)) return {std::move(*found), true};
  }
  const HostCompilation compilation(source, compiler, options);
  std::string bytes = compile_checked(
      compiler, options, [&] { return compilation.finish(compilation.start_shared_object()); });
  if (const auto dependencies = compilation.dependencies()) {
    cache.store(digest, kSuffix, bytes, *dependencies);
  }
  return {std::move(bytes), false};
}

std::string assembly_for_host(const emit::Source& source, const HostOptions& options) {
  const HostCompiler compiler = find_host_compiler();
  const HostCompilation compilation(source, compiler, options);
  return compile_checked(compiler, options, [&] { return compilation.assembly(); });
}

}  // namespace numpy_plugin::jit
