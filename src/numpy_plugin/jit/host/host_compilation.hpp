// Parts of a compilation on the host: the compiler's programs, its check and record, and a private
// directory with the source and the templates.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/jit/cache/cache.hpp"
#include "numpy_plugin/jit/cache/dependency.hpp"
#include "numpy_plugin/jit/host/host_compiler.hpp"
#include "numpy_plugin/system/file.hpp"
#include "numpy_plugin/system/mutex.hpp"
#include "numpy_plugin/system/process.hpp"

namespace numpy_plugin::jit {

// Description of how a child process ended.

inline bool has_succeeded(const system::ProcessResult& result) {
  return result.end == system::ProcessResult::End::kExited && result.code == 0;
}

// "exited with status 1", "was killed by signal 11 (Segmentation fault)", ...
std::string process_report(const system::ProcessResult& result, std::chrono::milliseconds limit);

// Programs behind a compiler's command: g++ starts a compiler, an assembler and a linker. Started
// here, the linker reads only the libraries that an object needs, which saves a sixth of the time.

struct CompilerSteps {
  using Words = std::vector<std::string>;

  Words compile, assemble, link;
  std::string object;  // written by `assemble`, read by `link`
};

// The steps of a command that makes a shared object in `directory`, as the compiler tells them when
// asked for the first time. nullopt for compilers other than g++ itself: a script, or a compiler
// cache, may do more.
std::optional<CompilerSteps> find_compiler_steps(const HostCompiler& compiler,
                                                 const std::vector<std::string>& words,
                                                 const std::string& directory);

// One compilation on the host, in a private directory with the source and the templates.
class HostCompilation {
 public:
  // The arguments outlive it.
  HostCompilation(const emit::Source& source, const HostCompiler& compiler,
                  const HostOptions& options);

  // A running compiler and its output file.
  struct Started {
    std::vector<std::string> words;
    std::string output;
    std::optional<CompilerSteps> steps;  // `process` is the first of them
    system::ChildProcess process;
  };
  Started start_shared_object() const;
  // Waits for the compiler and returns the bytes it wrote.
  std::string finish(Started started) const;
  std::string assembly() const;
  std::string object() const;

  // The files that the shared object was made from, without the embedded templates; nullopt where
  // they are unknown.
  std::optional<Dependencies> dependencies() const;

 private:
  void write_headers() const;
  std::string source_path() const { return directory_.path() + "/npp-generated.cpp"; }
  std::string headers_path() const;
  std::vector<std::string> rule_flags() const;
  std::string rule_path() const { return directory_.path() + "/npp-generated.d"; }
  std::vector<std::string> variables() const;
  std::vector<std::string> command(const std::vector<std::string>& more,
                                   const std::string& output) const;

  system::ChildProcess start(const std::vector<std::string>& words) const;
  std::string finish_command(const Started& started, const system::ProcessResult& result) const;
  // The object's bytes; nullopt where the compiler's own command is to do the work, or tell why it
  // can't be done.
  std::optional<std::string> finish_steps(const CompilerSteps& steps,
                                          const std::string& output) const;
  bool has_run(const std::vector<std::string>& words) const;

  const long long start_ = file_time_now();
  system::TemporaryDirectory directory_;
  const emit::Source& source_;
  const HostCompiler& compiler_;
  const HostOptions& options_;
};

// Check of each host compiler, during its first compilation, against known miscompilations.

// Starts compiling a source as kernels are compiled. The function it returns waits for the shared
// object and throws base::Error (kCompiler) where the compiler fails.
using StartCompilation = std::function<std::function<std::string()>(const emit::Source& source)>;

// Runs once per compiler, while other threads wait; the result is stored in the cache directory.
class CompilerCheck {
 public:
  // Starts a compilation if the result for this compiler is unknown.
  CompilerCheck(const HostCompiler& compiler, const StartCompilation& start);

  // Throws base::Error (kCompiler) where the compiler computes wrongly. A compiler that fails is
  // accepted: the compilation next to the check reports the reason.
  void finish();

 private:
  const HostCompiler& compiler_;
  std::string digest_;
  std::unique_lock<system::Mutex> lock_;  // held while the compiler is unknown
  std::function<std::string()> compiled_;
};

// The compiler of the cache's newest entry. Keys of entries name their compiler: a machine that has
// none finds them by this record, and runs what is cached.

// Records a compiler that has stored an entry.
void remember_compiler(const Cache& cache, const HostCompiler& compiler);

// The recorded compiler, which may not exist any more. nullopt where none is recorded.
std::optional<HostCompiler> last_compiler(const Cache& cache);

}  // namespace numpy_plugin::jit
