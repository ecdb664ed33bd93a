// The compiler's own command links with what it finds everywhere: the C library's parts and the C++
// library that NumPy needs, too.
#include "numpy_plugin/jit/host/host_compiler.hpp"

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/jit/host/host_compilation.hpp"
#include "numpy_plugin/system/dynamic_library.hpp"
#include "numpy_plugin/system/file.hpp"

namespace numpy_plugin::jit {
namespace {

using Words = std::vector<std::string>;

// zig has another C++ library than the one that this package was compiled with.
Words cpp_library(HostCompilerFamily family) {
  if (family != HostCompilerFamily::kZig) return {};
  return {"-nostdlib++", system::DynamicLibrary("libstdc++.so.6").path()};
}

}  // namespace

void link_module(const Words& objects, const std::string& output) {
  const HostCompiler compiler = find_host_compiler();
  const system::TemporaryDirectory directory;
  Words words = compiler.command;
  words.insert(words.end(), {"-shared", "-Wl,--as-needed", "-Wl,-s", "-Wl,--build-id=none"});
  words.insert(words.end(), objects.begin(), objects.end());
  const Words library = cpp_library(compiler.family);
  words.insert(words.end(), library.begin(), library.end());
  words.insert(words.end(), {"-lm", "-o", output});
  const auto limit = compile_time_limit();
  const system::ProcessResult result =
      system::run_process(words, limit,
                          {"TMPDIR=" + directory.path(), "ZIG_GLOBAL_CACHE_DIR=" + directory.path(),
                           "ZIG_LOCAL_CACHE_DIR=" + directory.path()});
  if (has_succeeded(result)) return;
  throw base::Error(base::ErrorKind::kCompiler,
                    format("'{}' {} while it linked '{}'", base::join(compiler.command, " "),
                           process_report(result, limit), output),
                    base::join(words, " ") + '\n' + result.output);
}

}  // namespace numpy_plugin::jit
