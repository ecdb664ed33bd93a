// Programs behind a compiler's command: g++ starts a compiler, an assembler and a linker. Started
// here, the linker reads only the libraries that an object needs, which saves a sixth of the time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "numpy_plugin/jit/host/host_compiler.hpp"

namespace numpy_plugin::jit {

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

}  // namespace numpy_plugin::jit
