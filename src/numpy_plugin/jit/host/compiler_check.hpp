// Check of each host compiler before its first compilation for miscompilations known of its family.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "numpy_plugin/jit/host/host_compiler.hpp"

namespace numpy_plugin::jit {

// Returns the shared object of a source compiled with additional flags, as kernels are.
using CompileChecked =
    std::function<std::string(const emit::Source& source, const std::vector<std::string>& flags)>;

// Flags that work around known miscompilations of this compiler, determined once per compiler and
// stored in the cache directory. Throws base::Error (kCompiler) where it miscompiles in spite of
// them. A compiler that fails the check's compilation gets all flags of its family.
std::vector<std::string> compiler_workarounds(const HostCompiler& compiler,
                                              const CompileChecked& compile);

}  // namespace numpy_plugin::jit
