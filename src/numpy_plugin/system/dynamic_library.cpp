#include "numpy_plugin/system/dynamic_library.hpp"

#include <dlfcn.h>
#include <link.h>

#include "numpy_plugin/system/fork.hpp"

namespace numpy_plugin::base {
namespace {

std::string dlopen_error() {
  const char* const words = ::dlerror();
  return words == nullptr ? "no reason was given" : words;
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

}  // namespace numpy_plugin::base
