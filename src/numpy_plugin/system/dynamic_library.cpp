// dlopen accepts only paths. That of bytes is the path of a descriptor of an in-memory file or,
// where there is no memfd or no /proc, that of a file in a new directory private to this user.
#include "numpy_plugin/system/dynamic_library.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/system/file.hpp"
#include "numpy_plugin/system/fork.hpp"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

namespace numpy_plugin::system {
namespace {

std::string dlopen_error() {
  const char* const words = ::dlerror();
  return words == nullptr ? "no reason was given" : words;
}

// Without exec permission: it can be mapped as code all the same, even where executable in-memory
// files are forbidden.
int make_memory_file(const std::string& name) {
  const std::string shown = "numpy_plugin " + name.substr(0, 200);
  constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  const int descriptor = ::memfd_create(shown.c_str(), kFlags | MFD_NOEXEC_SEAL);
  if (descriptor >= 0 || errno != EINVAL) return descriptor;
  return ::memfd_create(shown.c_str(), kFlags);  // kernel without that flag
}

// glibc identifies loaded objects by path, and descriptors are reused: a counter is encoded in "/"
// and "./", which path resolution ignores.
std::string unique_path(int descriptor) {
  static std::atomic<unsigned> count = 0;
  std::string path = "/proc/self/fd/";
  for (unsigned rest = ++count; rest != 0; rest >>= 1) path += (rest & 1) != 0 ? "./" : "/";
  return path + std::to_string(descriptor);
}

std::optional<DynamicLibrary> open_from_memory(const std::string& name, std::string_view bytes) {
  const int descriptor = make_memory_file(name);
  if (descriptor < 0) return std::nullopt;
  std::optional<DynamicLibrary> library;
  if (write_all(descriptor, bytes) &&
      ::fcntl(descriptor, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK) == 0) {
    library.emplace(unique_path(descriptor));
  }
  ::close(descriptor);  // the loaded object stays mapped
  return library;
}

}  // namespace

DynamicLibrary::DynamicLibrary(const std::string& file) : file_(file) {
  const ForkHold hold;
  handle_ = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) error_ = dlopen_error();
}

std::string DynamicLibrary::path() const {
  link_map* map = nullptr;
  const bool is_known = ::dlinfo(handle_, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr;
  return is_known && *map->l_name != '\0' ? map->l_name : file_;
}

void DynamicLibrary::close() {
  const ForkHold hold;
  if (handle_ != nullptr) ::dlclose(handle_);
  handle_ = nullptr;
}

void* DynamicLibrary::address(const char* name) const { return ::dlsym(handle_, name); }

DynamicLibrary open_code(const std::string& name, std::string_view bytes) {
  const std::optional<DynamicLibrary> library = open_from_memory(name, bytes);
  if (library.has_value() && library->is_open()) return *library;
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/code.so";
  if (write_file_atomically(path, bytes)) return DynamicLibrary(path);
  throw base::Error(base::ErrorKind::kRuntime,
                    format("'{}' cannot be written: {}", path, std::strerror(errno)));
}

}  // namespace numpy_plugin::system
