// The host's C++ compiler as a child process: source text in, shared object out.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "numpy_plugin/base/fast_math.hpp"
#include "numpy_plugin/emit/source/emit.hpp"
#include "numpy_plugin/jit/cache/binary.hpp"

namespace numpy_plugin::jit {

enum class HostCompilerFamily { kGcc, kClang, kZig };

struct HostCompiler {
  std::vector<std::string> command;  // {"/usr/bin/g++"} or {".../ziglang/zig", "c++"}
  HostCompilerFamily family = HostCompilerFamily::kGcc;
  std::string version;   // the first line of --version
  std::string identity;  // identity of these programs' files: part of the cache key
};

// The compiler this process uses: $NUMPY_PLUGIN_CXX, c++, g++, clang++, then the Python package
// ziglang; searched once for each value of the environment variable and PATH. Throws base::Error
// (kCompiler) with remedies when there is none.
HostCompiler find_host_compiler();

// Time limit of a compilation: $NUMPY_PLUGIN_COMPILE_TIMEOUT in seconds, by default 120 s. Throws
// base::Error (kValue) for an invalid value.
std::chrono::milliseconds compile_time_limit();

struct HostOptions {
  base::FastMath fast_math = {};
  bool vector_math = false;  // loops may call libmvec in the place of libm
  bool use_cache = true;
  bool replaces_entry = false;  // compiles even on a cache hit
  std::string cpu_level = {};   // of base::cpu_levels(); empty: for this processor
  std::chrono::milliseconds time_limit = compile_time_limit();
};

// Compiles emitted source, or finds it in the cache. Throws base::Error (kCompiler) with the
// compiler's log, its messages mapped to the user's body.
SharedObjectCode compile_for_host(const emit::Source& source, const HostOptions& options);

// An object file of the same source, to be linked with others. Throws likewise.
std::string object_for_host(const emit::Source& source, const HostOptions& options);

// The assembly of the same compilation, for inspection by users.
std::string assembly_for_host(const emit::Source& source, const HostOptions& options);

// Links objects to an extension module of Python, the shared object `output`. Throws base::Error
// (kCompiler) with the compiler's log.
void link_module(const std::vector<std::string>& objects, const std::string& output);

}  // namespace numpy_plugin::jit
