// Libraries that kernels on the host are linked with.
#pragma once

#include <string>
#include <vector>

#include "numpy_plugin/jit/host/host_compiler.hpp"

namespace numpy_plugin::jit {

// As words of a link command: the C library's parts in this process, by path, so that no
// development package is needed, and that of the compiler.
std::vector<std::string> host_libraries(HostCompilerFamily family);

// Those that define these symbols: reading all of them would take as long as linking. All where
// some symbol is in none.
std::vector<std::string> libraries_with(const std::vector<std::string>& symbols,
                                        HostCompilerFamily family);

}  // namespace numpy_plugin::jit
