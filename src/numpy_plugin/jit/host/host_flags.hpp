// Command lines of host compilers: flags, instruction sets, libraries, and the symbols that these
// define.
#pragma once

#include <optional>
#include <string>
#include <string_view>
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

// The instruction sets that the host's kernels may use. The compiler's option: the instruction sets
// of `level`, one of base::cpu_levels(); where it is empty, all of this processor's, or those of
// the level that $NUMPY_PLUGIN_CPU names. Throws base::Error (kValue) for a level that does not
// exist, or one of the variable's that this processor lacks: its kernels would end the process by
// an illegal instruction.
std::string host_architecture_flag(HostCompilerFamily family, const std::string& level = "");

// Libraries that kernels on the host are linked with.

// As words of a link command: the C library's parts in this process, by path, so that no
// development package is needed, and that of the compiler.
std::vector<std::string> host_libraries(HostCompilerFamily family);

// Those that define these symbols: reading all of them would take as long as linking. All where
// some symbol is in none.
std::vector<std::string> libraries_with(const std::vector<std::string>& symbols,
                                        HostCompilerFamily family);

// Symbols of an object file.

// The names that an ELF object uses without defining them; nullopt for other or damaged files.
std::optional<std::vector<std::string>> undefined_symbols(std::string_view object);

// The object with `suffix` after the names that it defines: objects of several kernels, or of one
// for several processors, can then be linked with each other. Linkers would keep one of the
// functions that several of them define inline. nullopt likewise.
std::optional<std::string> with_suffixed_symbols(std::string_view object, std::string_view suffix);

}  // namespace numpy_plugin::jit
