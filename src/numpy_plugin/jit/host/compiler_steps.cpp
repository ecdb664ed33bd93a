// Asks `g++ -###`. The answer is stored with a mark in place of the temporary directory.
#include "numpy_plugin/jit/host/host_compilation.hpp"

#include <algorithm>
#include <fstream>
#include <map>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/jit/cache/cache.hpp"
#include "numpy_plugin/jit/cache/dependency.hpp"
#include "numpy_plugin/jit/host/host_flags.hpp"
#include "numpy_plugin/jit/host/include_search.hpp"
#include "numpy_plugin/system/fork.hpp"
#include "numpy_plugin/system/mutex.hpp"
#include "numpy_plugin/system/process.hpp"

namespace numpy_plugin::jit {
namespace {

using Words = CompilerSteps::Words;

constexpr std::string_view kDirectoryMark = "@NUMPY_PLUGIN_DIRECTORY@";
constexpr std::string_view kStepsSuffix = ".answer";  // of an entry of the cache
constexpr std::chrono::seconds kStepsLimit(20);

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
  return text;
}

// Scripts may do more than start a compiler.
bool is_machine_code(const std::string& path) {
  char mark[4] = {};
  return std::ifstream(path, std::ios::binary).read(mark, sizeof(mark)) &&
         std::string_view(mark, sizeof(mark)) ==
             "\x7f"
             "ELF";
}

bool is_program(std::string_view line, std::string_view name) {
  const std::string_view program = base::strip(line).substr(0, base::strip(line).find(' '));
  return program.substr(program.rfind('/') + 1) == name;
}

std::optional<std::string> output_of(Words words, const std::string& directory) {
  const system::ProcessResult result =
      system::run_process(words, kStepsLimit, {"TMPDIR=" + directory});
  return has_succeeded(result) ? std::optional(result.output) : std::nullopt;
}

// The three commands, a line each; empty where the compiler has other steps.
std::string ask_steps(const HostCompiler& compiler, Words words, const std::string& directory) {
  const std::string& driver = compiler.command.front();
  std::erase(words, "-pipe");  // steps end in files
  words.emplace_back("-###");
  const std::optional<std::string> answer = output_of(std::move(words), directory);
  const std::optional<std::string> linker = output_of({driver, "-print-prog-name=ld"}, directory);
  if (!answer.has_value() || !linker.has_value()) return "";
  std::vector<std::string> steps;
  bool is_driver = false;  // compiler caches start the compiler under its own name
  for (const std::string& line : base::split_lines(*answer)) {
    if (line.starts_with(' ')) steps.emplace_back(base::strip(line));
    is_driver |= line == "COLLECT_GCC=" + driver;
  }
  if (!is_driver || steps.size() != 3 || !is_program(steps[0], "cc1plus") ||
      !is_program(steps[1], "as") || !is_program(steps[2], "collect2")) {
    return "";
  }
  // collect2 calls the linker, after a search for constructors that kernels do not have.
  steps[2].replace(0, steps[2].find(' '), base::strip(*linker));
  return replaced(base::join(steps, "\n"), directory, kDirectoryMark);
}

struct StepsMemory {
  system::Mutex mutex;
  std::map<std::string, std::string> answers;  // by digest
};

// Leaked on purpose: threads may compile while the process exits.
StepsMemory& steps_memory() { return system::the_only<StepsMemory>(); }

// The words of a command, its program found in PATH.
Words command_of(std::string_view line) {
  Words words = base::split_shell_words(line);
  if (!words.empty()) words.front() = find_program(words.front()).value_or(words.front());
  return words;
}

std::string digest_of_steps(const HostCompiler& compiler, const Words& words,
                            const std::string& directory) {
  CacheKey key;
  key.add("steps of", compiler.identity).add("cache format", kCacheFormat);
  for (const std::string& word : words) key.add("word", replaced(word, directory, kDirectoryMark));
  add_search_variables(key);
  return key.add("processor", cpu_identity()).digest();
}

std::string known_steps(const HostCompiler& compiler, const Words& words,
                        const std::string& directory) {
  const std::string digest = digest_of_steps(compiler, words, directory);
  StepsMemory& known = steps_memory();
  const std::lock_guard lock(known.mutex);
  if (const auto found = known.answers.find(digest); found != known.answers.end())
    return found->second;
  const Cache cache = Cache::user_cache();
  std::optional<std::string> answer = cache.load(digest, kStepsSuffix);
  if (!answer.has_value()) {
    answer = ask_steps(compiler, words, directory);
    cache.store(digest, kStepsSuffix, *answer);
  }
  const system::ForkHold hold;
  return known.answers[digest] = *answer;
}

}  // namespace

std::optional<CompilerSteps> find_compiler_steps(const HostCompiler& compiler, const Words& words,
                                                 const std::string& directory) {
  if (compiler.family != HostCompilerFamily::kGcc || compiler.command.size() != 1 ||
      !is_machine_code(compiler.command.front())) {
    return std::nullopt;
  }
  const std::string text =
      replaced(known_steps(compiler, words, directory), kDirectoryMark, directory);
  const std::vector<std::string> lines = base::split_lines(text);
  if (lines.size() != 3) return std::nullopt;
  CompilerSteps steps{command_of(lines[0]), command_of(lines[1]), command_of(lines[2]), ""};
  const auto output = std::find(steps.assemble.begin(), steps.assemble.end(), "-o");
  if (steps.assemble.end() - output < 2) return std::nullopt;
  steps.object = output[1];
  return steps;
}

}  // namespace numpy_plugin::jit
