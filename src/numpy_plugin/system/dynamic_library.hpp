// Libraries that are opened at run time: NVRTC, nvJitLink, the CUDA driver, the simulator.
#pragma once

#include <string>

namespace numpy_plugin::base {

// An opened library. It stays open when this ends: functions of it may be in use. Forks wait while
// it is opened or closed, as the dynamic linker's lock is not reset in a child.
class DynamicLibrary {
 public:
  // A file, or a bare name that the dynamic linker looks for; nothing of it is made visible to
  // others.
  explicit DynamicLibrary(const std::string& file);

  bool is_open() const { return handle_ != nullptr; }
  // The dynamic linker's words, where it could not be opened.
  const std::string& error() const { return error_; }
  // The file that it was read from.
  std::string path() const;

  // Of a function or a variable; nullptr where there is none of this name.
  void* address(const char* name) const;

  // Whether it has a function of this name, which `function` is then.
  template <class Function>
  bool find(const char* name, Function*& function) const {
    function = reinterpret_cast<Function*>(address(name));
    return function != nullptr;
  }

  // For a library that turned out to be of no use.
  void close();

 private:
  std::string file_;
  std::string error_;
  void* handle_;
};

}  // namespace numpy_plugin::base
