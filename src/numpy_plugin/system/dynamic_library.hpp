// Libraries opened at run time: NVRTC, nvJitLink, the CUDA driver, the simulator, compiled code.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace numpy_plugin::system {

// An opened library, never closed by the destructor: its functions may be in use. fork() waits
// while it is opened or closed, because a child does not reset the dynamic linker's lock.
class DynamicLibrary {
 public:
  // Opens a file, or a bare name that the dynamic linker searches for, with local visibility.
  explicit DynamicLibrary(const std::string& file);

  bool is_open() const { return handle_ != nullptr; }
  // The dynamic linker's message, where opening failed.
  const std::string& error() const { return error_; }
  // The file it was loaded from.
  std::string path() const;

  // Address of a function or a variable; nullptr for unknown names.
  void* address(const char* name) const;

  // Whether it has a function of this name, which is stored in `function`.
  template <class Function>
  bool find(const char* name, Function*& function) const {
    function = reinterpret_cast<Function*>(address(name));
    return function != nullptr;
  }

  // Closes a library that proved useless.
  void close();

 private:
  std::string file_;
  std::string error_;
  void* handle_;
};

// Opens a shared object from its bytes. Unlike a file, they can't be changed between the check of
// their origin and their execution. `name` appears in the process's memory maps. Throws Error
// (kRuntime) where no storage for the bytes is available.
DynamicLibrary open_code(const std::string& name, std::string_view bytes);

// Directories of Python packages, in which compilers and libraries installed by pip are found.

// Set by the bindings: Python's sys.path. Thread-safe, as is the next.
void set_package_directories(std::vector<std::string> directories);

// A directory without a leading slash would be relative to the current one, from which nothing
// should be run or loaded: it is left out.
std::vector<std::string> package_directories();

}  // namespace numpy_plugin::system
