// A look at each host compiler before its first compilation: does it get right what some got wrong?
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "numpy_plugin/jit/host/host_compiler.hpp"

namespace numpy_plugin::jit {

// The shared object of a source compiled with more flags, as kernels are.
using CompileChecked =
    std::function<std::string(const emit::Source& source, const std::vector<std::string>& flags)>;

// The flags that keep this compiler from what it is known to get wrong. Asked once for a compiler
// and kept in the cache directory. Throws base::Error (kCompiler) where it computes wrongly in
// spite of them. A compiler that can't be asked, because it fails, gets all flags of its family.
std::vector<std::string> compiler_workarounds(const HostCompiler& compiler,
                                              const CompileChecked& compile);

}  // namespace numpy_plugin::jit
