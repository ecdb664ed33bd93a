// Check of each host compiler, during its first compilation, against known miscompilations.
#pragma once

#include <functional>
#include <mutex>
#include <string>

#include "numpy_plugin/jit/host/host_compiler.hpp"
#include "numpy_plugin/system/mutex.hpp"

namespace numpy_plugin::jit {

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

}  // namespace numpy_plugin::jit
