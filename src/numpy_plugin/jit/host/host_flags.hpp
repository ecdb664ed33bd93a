// The command lines of the host's compilers, and what else decides their output.
#pragma once

#include <string>
#include <vector>

#include "numpy_plugin/jit/host/host_compiler.hpp"

namespace numpy_plugin::jit {

// Flags that decide the code and the messages; they precede the source's name.
std::vector<std::string> host_compile_flags(HostCompilerFamily family, const HostOptions& options);

// Flags that make it a shared object; they follow the source's name. The libraries are those of
// this process, by path, so that no development package is needed.
std::vector<std::string> host_link_flags(HostCompilerFamily family);

// Minor version of glibc 2.x; 0 where the C library is another.
int glibc_minor_version();

// All that -march=native depends on: the processor's model and instruction sets, as far as the
// operating system lets programs use them.
std::string cpu_identity();

}  // namespace numpy_plugin::jit
