// A loaded shared object: its functions live as long as this does.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "numpy_plugin/jit/cache/binary.hpp"
#include "numpy_plugin/system/dynamic_library.hpp"

namespace numpy_plugin::load {

class SharedObject {
 public:
  // Loads the compiled code of a ufunc, or a library by its path; throws base::Error (kRuntime)
  // with dlopen's words.
  SharedObject(const jit::SharedObjectCode& code, const std::string& ufunc);
  explicit SharedObject(const std::string& path);
  ~SharedObject();
  SharedObject(const SharedObject&) = delete;
  SharedObject& operator=(const SharedObject&) = delete;

  // The address of a function; throws base::Error (kRuntime) when there is none of this name.
  void* function(const std::string& name) const;
  // Likewise, or nullptr.
  void* find_function(const std::string& name) const;

  // Sets a pointer variable of this object, if it has one of this name.
  void set_pointer(const std::string& variable, const void* address) const;

  // Sets a variable of this object to a function of another, which it keeps.
  void connect(const std::string& variable, std::shared_ptr<const SharedObject> library,
               const std::string& name);

 private:
  std::string name_;  // as messages have it
  base::DynamicLibrary opened_;
  std::vector<std::shared_ptr<const SharedObject>> libraries_;
};

}  // namespace numpy_plugin::load
