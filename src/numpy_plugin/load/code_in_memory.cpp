// dlopen accepts only paths: that of a descriptor of an in-memory file or, where there is no memfd
// or no /proc, that of a file in a new directory private to this user.
#include "numpy_plugin/load/code_in_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/quoted.hpp"
#include "numpy_plugin/system/file.hpp"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

namespace numpy_plugin::load {
namespace {

// Without exec permission: it can be mapped as code all the same, even where executable in-memory
// files are forbidden.
int make_memory_file(const std::string& name) {
  const std::string shown = "numpy_plugin " + name.substr(0, 200);
  constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  const int descriptor = ::memfd_create(shown.c_str(), kFlags | MFD_NOEXEC_SEAL);
  if (descriptor >= 0 || errno != EINVAL) return descriptor;
  return ::memfd_create(shown.c_str(), kFlags);  // kernel without that flag
}

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n_written = ::write(descriptor, bytes.data(), bytes.size());
    if (n_written < 0 && errno == EINTR) continue;
    if (n_written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n_written));
  }
  return true;
}

// glibc identifies loaded objects by path, and descriptors are reused: a counter is encoded in "/"
// and "./", which path resolution ignores.
std::string unique_path(int descriptor) {
  static std::atomic<unsigned> count = 0;
  std::string path = "/proc/self/fd/";
  for (unsigned rest = ++count; rest != 0; rest >>= 1) path += (rest & 1) != 0 ? "./" : "/";
  return path + std::to_string(descriptor);
}

std::optional<base::DynamicLibrary> open_from_memory(const std::string& name,
                                                     std::string_view bytes) {
  const int descriptor = make_memory_file(name);
  if (descriptor < 0) return std::nullopt;
  std::optional<base::DynamicLibrary> library;
  if (write_all(descriptor, bytes) &&
      ::fcntl(descriptor, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK) == 0) {
    library.emplace(unique_path(descriptor));
  }
  ::close(descriptor);  // the loaded object stays mapped
  return library;
}

}  // namespace

base::DynamicLibrary open_code(const std::string& name, std::string_view bytes) {
  const std::optional<base::DynamicLibrary> library = open_from_memory(name, bytes);
  if (library.has_value() && library->is_open()) return *library;
  const base::TemporaryDirectory directory;
  const std::string path = directory.path() + "/code.so";
  if (base::write_file_atomically(path, bytes)) return base::DynamicLibrary(path);
  throw base::Error(base::ErrorKind::kRuntime,
                    base::quoted(path) + " cannot be written: " + std::strerror(errno));
}

}  // namespace numpy_plugin::load
