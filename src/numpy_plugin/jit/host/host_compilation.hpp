// One compilation on the host, in a private directory with the source and the templates.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/jit/cache/dependency.hpp"
#include "numpy_plugin/jit/host/compiler_steps.hpp"
#include "numpy_plugin/jit/host/host_compiler.hpp"
#include "numpy_plugin/system/file.hpp"
#include "numpy_plugin/system/process.hpp"

namespace numpy_plugin::jit {

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

}  // namespace numpy_plugin::jit
