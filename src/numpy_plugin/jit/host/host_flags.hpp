// The command lines of the host's compilers, and what else decides their output.
#pragma once

#include <string>
#include <vector>

#include "numpy_plugin/jit/host/host_compiler.hpp"

namespace numpy_plugin::jit {

// What decides the code and the messages; stands before the source's name.
std::vector<std::string> host_compile_flags(HostCompilerFamily family, const HostOptions& options);

// What makes it a shared object; stands behind the source's name. The libraries are those of this
// process, by path, so that no development package is needed.
std::vector<std::string> host_link_flags(HostCompilerFamily family);

// Minor version of glibc 2.x; 0 where the C library is another.
int glibc_minor_version();

// What -march=native looks at: the processor's model and instruction sets, as far as the operating
// system lets programs use them.
std::string cpu_identity();

}  // namespace numpy_plugin::jit
