// Command lines of host compilers, and what else determines their output.
#pragma once

#include <string>
#include <vector>

#include "numpy_plugin/jit/host/host_compiler.hpp"

namespace numpy_plugin::jit {

// Flags that determine code and messages; they precede the source's name.
std::vector<std::string> host_compile_flags(HostCompilerFamily family, const HostOptions& options);

// Flags that link a shared object; they follow the source's name.
std::vector<std::string> host_link_flags(HostCompilerFamily family);

// Minor version of glibc 2.x; 0 for other C libraries.
int glibc_minor_version();

// Everything that -march=native depends on: the processor's model and instruction sets, as far as
// the operating system enables them.
std::string cpu_identity();

}  // namespace numpy_plugin::jit
