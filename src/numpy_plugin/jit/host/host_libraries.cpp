// Asks the dynamic linker, in this process, which library has a symbol.
#include "numpy_plugin/jit/host/host_flags.hpp"

#include <algorithm>
#include <span>

#include "numpy_plugin/system/dynamic_library.hpp"
#include "numpy_plugin/system/fork.hpp"

namespace numpy_plugin::jit {
namespace {

// A library of this process's C library. Each is searched together with those that it needs, which
// come before it here.
struct HostLibrary {
  system::DynamicLibrary library;
  std::string path;
};

// Opened once: they are part of this process, or belong to the C library.
std::vector<HostLibrary> open_c_libraries() {
  std::vector<HostLibrary> found;
  for (const char* name : {"libc.so.6", "libm.so.6", "libmvec.so.1"}) {
    system::DynamicLibrary library(name);
    if (!library.is_open()) continue;
    std::string path = library.path();
    if (!path.empty()) found.push_back({std::move(library), std::move(path)});
  }
  return found;
}

std::span<const HostLibrary> c_libraries() { return system::made_once<open_c_libraries>(); }

}  // namespace

std::vector<std::string> host_libraries(HostCompilerFamily family) {
  std::vector<std::string> words;
  for (const HostLibrary& each : c_libraries()) words.insert(words.begin(), each.path);
  if (words.empty()) words = {"-lm", "-lc"};  // a C library other than glibc
  if (family != HostCompilerFamily::kZig) words.emplace_back("-lgcc");
  return words;
}

std::vector<std::string> libraries_with(const std::vector<std::string>& symbols,
                                        HostCompilerFamily family) {
  const std::span<const HostLibrary> all = c_libraries();
  std::vector<std::string> words;
  for (const std::string& symbol : symbols) {
    const auto found = std::find_if(all.begin(), all.end(), [&symbol](const HostLibrary& each) {
      return each.library.address(symbol.c_str()) != nullptr;
    });
    if (found == all.end()) return host_libraries(family);
    if (std::find(words.begin(), words.end(), found->path) == words.end())
      words.push_back(found->path);
  }
  return words;
}

}  // namespace numpy_plugin::jit
