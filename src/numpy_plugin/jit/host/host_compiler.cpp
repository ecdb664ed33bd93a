// Finds the host's C++ compiler. Its family and version cost a process start, so they are asked
// once per compiler and stored in the cache directory.
#include "numpy_plugin/jit/host/host_compiler.hpp"

#include <functional>
#include <optional>

#include "numpy_plugin/base/environment.hpp"
#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/jit/cache/cache.hpp"
#include "numpy_plugin/jit/cache/dependency.hpp"
#include "numpy_plugin/jit/host/host_compilation.hpp"
#include "numpy_plugin/system/dynamic_library.hpp"
#include "numpy_plugin/system/file.hpp"
#include "numpy_plugin/system/fork.hpp"
#include "numpy_plugin/system/mutex.hpp"
#include "numpy_plugin/system/process.hpp"
#include "numpy_plugin/system/settings.hpp"

namespace numpy_plugin::jit {
namespace {

using Command = std::vector<std::string>;

constexpr std::chrono::seconds kQuestionLimit(20);

// The output of a child process, cached across processes.
std::optional<std::string> remember(CacheKey key,
                                    const std::function<std::optional<std::string>()>& ask) {
  const Cache cache = Cache::user_cache();
  const std::string digest = key.add("cache format", kCacheFormat).digest();
  if (std::optional<std::string> known = cache.load(digest, ".answer")) return known;
  std::optional<std::string> answer = ask();
  if (answer.has_value()) cache.store(digest, ".answer", *answer);
  return answer;
}

// Identities of all programs in the command: "ccache g++" has two.
std::optional<std::string> identity_of(const Command& command) {
  std::string identity;
  for (const std::string& word : command) {
    const std::optional<std::string> path = find_program(word);
    const std::optional<std::string> file = path ? file_identity(*path) : std::nullopt;
    if (file.has_value()) {
      identity += *file + '\n';
    } else if (&word == &command.front()) {
      return std::nullopt;
    } else {
      identity += word + '\n';
    }
  }
  return identity;
}

std::optional<HostCompilerFamily> family_of(const Command& command, std::string_view version) {
  for (const std::string& word : command) {
    if (word.substr(word.rfind('/') + 1).starts_with("zig")) return HostCompilerFamily::kZig;
  }
  if (version.find("clang") != std::string_view::npos) return HostCompilerFamily::kClang;
  const bool is_gcc = version.find("Free Software Foundation") != std::string_view::npos;
  return is_gcc ? std::optional(HostCompilerFamily::kGcc) : std::nullopt;
}

// A candidate after its check: a compiler, or the reason why it can't be used.
struct CompilerFinding {
  std::optional<HostCompiler> compiler;
  std::string reason;
  std::string log;
};

CompilerFinding look_at(Command command) {
  const std::optional<std::string> path = find_program(command.front());
  if (!path.has_value())
    return {std::nullopt, format("'{}' is not a program", command.front()), ""};
  command.front() = *path;
  const std::string identity = identity_of(command).value_or("");
  CompilerFinding finding;
  const std::optional<std::string> version =
      remember(CacheKey().add("version of", identity), [&]() -> std::optional<std::string> {
        Command question = command;
        question.push_back("--version");
        // zig asks for a directory even here, by default one below $HOME, which may not be set.
        const system::TemporaryDirectory directory;
        const system::ProcessResult result = system::run_process(
            question, kQuestionLimit, {"ZIG_GLOBAL_CACHE_DIR=" + directory.path()});
        if (has_succeeded(result)) return result.output;
        finding.reason =
            base::quoted(base::join(question, " ")) + ' ' + process_report(result, kQuestionLimit);
        finding.log = result.output;
        return std::nullopt;
      });
  if (!version.has_value()) return finding;
  const std::optional<HostCompilerFamily> family = family_of(command, *version);
  if (!family.has_value()) {
    return {std::nullopt, format("'{}' is neither g++ nor clang++ nor zig", *path), *version};
  }
  const std::string first_line = version->substr(0, version->find('\n'));
  return {HostCompiler{command, *family, first_line, identity}, "", ""};
}

// The compiler in the Python package ziglang, run without starting Python.
std::optional<Command> zig_in(const std::vector<std::string>& directories) {
  for (const std::string& directory : directories) {
    std::string path = directory + "/ziglang/zig";
    if (find_program(path)) return Command{std::move(path), "c++"};
  }
  return std::nullopt;
}

HostCompiler from_variable(const std::string& value) {
  const Command command = find_program(value) ? Command{value} : base::split_shell_words(value);
  CompilerFinding finding = look_at(command);
  if (finding.compiler.has_value()) return *finding.compiler;
  throw base::Error(
      base::ErrorKind::kCompiler,
      format("NUMPY_PLUGIN_CXX is '{}', but {}; expected the path or command of a C++ compiler; "
             "pip install \"numpy_plugin[compiler]\" installs one that needs no NUMPY_PLUGIN_CXX",
             value, finding.reason),
      finding.log);
}

HostCompiler from_path(const std::vector<std::string>& directories) {
  std::string refused;
  for (const char* name : {"c++", "g++", "clang++"}) {
    if (!find_program(name).has_value()) continue;
    CompilerFinding finding = look_at({name});
    if (finding.compiler.has_value()) return *finding.compiler;
    refused += "; " + finding.reason;
  }
  if (const std::optional<Command> zig = zig_in(directories)) {
    CompilerFinding finding = look_at(*zig);
    if (finding.compiler.has_value()) return *finding.compiler;
    refused += "; " + finding.reason;
  }
  throw base::Error(base::ErrorKind::kCompiler,
                    format("no C++ compiler: looked for c++, g++ and clang++ in PATH and for "
                           "Python's package ziglang{}; install a C++ compiler, or pip install "
                           "\"numpy_plugin[compiler]\", or set NUMPY_PLUGIN_CXX to the path of one",
                           refused));
}

struct CompilerMemory {
  system::Mutex mutex;
  std::string asked_with;  // directories and environment variables of the last search
  std::optional<HostCompiler> answer;
};

// Leaked on purpose: threads may compile while the process exits.
CompilerMemory& compiler_memory() { return system::the_only<CompilerMemory>(); }

}  // namespace

HostCompiler find_host_compiler() {
  CompilerMemory& known = compiler_memory();
  const system::SettingValue chosen = system::peek_setting(system::Setting::kCxx);
  const std::string own =
      chosen.source == system::SettingSource::kDefault ? std::string() : chosen.text;
  const std::vector<std::string> directories = system::package_directories();
  const std::lock_guard lock(known.mutex);
  const std::string asked_with =
      own + '\0' + base::environment_variable("PATH") + '\0' + base::join(directories, ":");
  if (known.answer.has_value() && known.asked_with == asked_with &&
      identity_of(known.answer->command) == known.answer->identity) {
    return *known.answer;
  }
  HostCompiler answer = own.empty() ? from_path(directories) : from_variable(own);
  const system::ForkHold hold;
  known.answer = std::move(answer);
  known.asked_with = asked_with;
  return *known.answer;
}

}  // namespace numpy_plugin::jit
