// Starts g++ as its steps, other compilers as one command.
#include "numpy_plugin/jit/host/host_compilation.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/emit/source/emit.hpp"
#include "numpy_plugin/explain/body_diagnostics.hpp"
#include "numpy_plugin/jit/host/host_flags.hpp"
#include "numpy_plugin/jit/host/include_search.hpp"
#include "numpy_plugin/system/file.hpp"

namespace numpy_plugin::jit {
namespace {

using Words = std::vector<std::string>;

constexpr const char* kNamedHeaders = "named-headers";

// The error of a write that has just failed (errno).
base::Error cannot_write(const std::string& path) {
  const bool has_no_descriptor = errno == EMFILE || errno == ENFILE;
  return {base::ErrorKind::kRuntime,
          format("'{}' cannot be written: {}{}", path, std::strerror(errno),
                 has_no_descriptor ? "; close files, or raise the limit with ulimit -n"
                                   : "; set TMPDIR to a directory with free space")};
}

void write(const std::string& path, std::string_view text) {
  if (!system::write_file_atomically(path, text)) throw cannot_write(path);
}

// Writes a file, and the directories that its name goes through.
void write_below(const system::TemporaryDirectory& directory, const std::string& name,
                 std::string_view text) {
  directory.make_way(name);
  write(directory.path() + '/' + name, text);
}

std::string remedy(const system::ProcessResult& result) {
  if (result.end != system::ProcessResult::End::kTimedOut) return "";
  return "; NUMPY_PLUGIN_COMPILE_TIMEOUT sets the limit in seconds";
}

// Whether the compiler proper ended as its command would: with messages, or at the limit.
bool is_final(const system::ProcessResult& result) {
  using End = system::ProcessResult::End;
  return result.end == End::kTimedOut || (result.end == End::kExited && result.code == 1);
}

// A link command with these libraries in place of all.
Words with_libraries(const Words& link, const Words& all, const Words& needed) {
  Words words;
  std::copy_if(link.begin(), link.end(), std::back_inserter(words), [&all](const auto& word) {
    return std::find(all.begin(), all.end(), word) == all.end();
  });
  words.insert(words.end(), needed.begin(), needed.end());
  return words;
}

}  // namespace

HostCompilation::HostCompilation(const emit::Source& source, const HostCompiler& compiler,
                                 const HostOptions& options)
    : source_(source), compiler_(compiler), options_(options) {
  system::remove_stale_directories();
  write_headers();
  write(source_path(), source.text);
}

HostCompilation::Started HostCompilation::start_shared_object() const {
  Words flags = host_link_flags(compiler_.family);
  const Words rule = rule_flags();
  flags.insert(flags.end(), rule.begin(), rule.end());
  const std::string output = directory_.path() + "/npp-generated.so";
  Words words = command(flags, output);
  std::optional<CompilerSteps> steps = find_compiler_steps(compiler_, words, directory_.path());
  system::ChildProcess process = start(steps.has_value() ? steps->compile : words);
  return {std::move(words), output, std::move(steps), std::move(process)};
}

std::string HostCompilation::assembly() const {
  const std::string output = directory_.path() + "/npp-generated.s";
  const Words words = command({"-S"}, output);
  return finish({words, output, std::nullopt, start(words)});
}

std::string HostCompilation::object() const {
  const std::string output = directory_.path() + "/npp-generated.o";
  Words flags = rule_flags();
  flags.emplace_back("-c");
  const Words words = command(flags, output);
  return finish({words, output, std::nullopt, start(words)});
}

Words HostCompilation::rule_flags() const { return {"-MD", "-MF", rule_path(), "-MT", "object"}; }

std::string HostCompilation::finish(Started started) const {
  const system::ProcessResult result = started.process.finish();
  if (!started.steps.has_value() || is_final(result)) return finish_command(started, result);
  if (has_succeeded(result)) {
    if (auto bytes = finish_steps(*started.steps, started.output)) return std::move(*bytes);
  }
  return finish_command(started, start(started.words).finish());
}

std::string HostCompilation::finish_command(const Started& started,
                                            const system::ProcessResult& result) const {
  const std::string name = base::quoted(base::join(compiler_.command, " ")) + ' ';
  const std::string log = base::join(started.words, " ") + '\n' + result.output;
  if (!has_succeeded(result)) {
    throw explain::make_compile_error(
        source_, log, explain::LogForm::kGnu,
        name + process_report(result, options_.time_limit) + remedy(result));
  }
  std::optional<std::string> bytes = system::read_file(started.output);
  if (bytes.has_value() && !bytes->empty()) return std::move(*bytes);
  if (!bytes.has_value() && errno != ENOENT) {
    throw base::Error(base::ErrorKind::kRuntime,
                      format("'{}' cannot be read: {}", started.output, std::strerror(errno)));
  }
  throw base::Error(base::ErrorKind::kCompiler, name + "exited with 0 but produced no output", log);
}

std::optional<std::string> HostCompilation::finish_steps(const CompilerSteps& steps,
                                                         const std::string& output) const {
  if (!has_run(steps.assemble)) return std::nullopt;
  const auto object = system::read_file(steps.object);
  const auto symbols = object ? undefined_symbols(*object) : std::nullopt;
  if (!symbols.has_value()) return std::nullopt;
  const Words all = host_libraries(compiler_.family);
  const Words needed = libraries_with(*symbols, compiler_.family);
  if (!has_run(with_libraries(steps.link, all, needed))) return std::nullopt;
  std::optional<std::string> bytes = system::read_file(output);
  return bytes.has_value() && !bytes->empty() ? bytes : std::nullopt;
}

bool HostCompilation::has_run(const Words& words) const {
  return has_succeeded(start(words).finish());
}

std::optional<Dependencies> HostCompilation::dependencies() const {
  if (depends_on_more_than_files(source_.text)) return std::nullopt;
  const std::optional<std::string> rule = system::read_file(rule_path());
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

void HostCompilation::write_headers() const {
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

std::string HostCompilation::headers_path() const {
  return directory_.path() + '/' + kNamedHeaders;
}

Words HostCompilation::command(const Words& more, const std::string& output) const {
  Words words = compiler_.command;
  const Words flags = host_compile_flags(compiler_.family, options_);
  words.insert(words.end(), flags.begin(), flags.end());
  words.insert(words.end(), {"-I", headers_path(), "-I", directory_.path(), source_path()});
  words.insert(words.end(), more.begin(), more.end());
  words.insert(words.end(), {"-o", output});
  return words;
}

// Compilers' temporary files are removed with the directory even when the compiler is killed;
// zig's cache would grow without limit.
Words HostCompilation::variables() const {
  const std::string& path = directory_.path();
  return {"TMPDIR=" + path, "ZIG_GLOBAL_CACHE_DIR=" + path, "ZIG_LOCAL_CACHE_DIR=" + path};
}

system::ChildProcess HostCompilation::start(const Words& words) const {
  return system::ChildProcess(words, options_.time_limit, variables());
}

// Describes the end of a process as the second half of a sentence.
std::string process_report(const system::ProcessResult& result, std::chrono::milliseconds limit) {
  using End = system::ProcessResult::End;
  switch (result.end) {
    case End::kSignalled:
      return format("was killed by signal {} ({})", result.code, ::strsignal(result.code));
    case End::kTimedOut:
      return format("did not end within {} ms", limit.count());
    case End::kNotStarted:
      return format("could not be started ({})", std::strerror(result.code));
    case End::kExited:
      break;
  }
  return format("exited with status {}", result.code);
}

}  // namespace numpy_plugin::jit
