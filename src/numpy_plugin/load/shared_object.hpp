// A loaded shared object: its functions are valid for its lifetime.
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
  // with dlopen's message.
  SharedObject(const jit::SharedObjectCode& code, const std::string& ufunc);
  explicit SharedObject(const std::string& path);
  ~SharedObject();
  SharedObject(const SharedObject&) = delete;
  SharedObject& operator=(const SharedObject&) = delete;

  // The address of a function; throws base::Error (kRuntime) for unknown names.
  void* function(const std::string& name) const;
  // Likewise, or nullptr.
  void* find_function(const std::string& name) const;

  // Sets a pointer variable of this object, if it exists.
  void set_pointer(const std::string& variable, const void* address) const;

  // Sets a variable of this object to a function of another object, which it keeps alive.
  void connect(const std::string& variable, std::shared_ptr<const SharedObject> library,
               const std::string& name);

 private:
  std::string name_;  // in messages
  system::DynamicLibrary opened_;
  std::vector<std::shared_ptr<const SharedObject>> libraries_;
};

}  // namespace numpy_plugin::load
