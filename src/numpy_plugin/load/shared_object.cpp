// dlopen with all symbols resolved at once (a missing one is an error here, not a crash later) and
// none made visible to others.
#include "numpy_plugin/load/shared_object.hpp"

#include <dlfcn.h>

#include <utility>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/load/code_in_memory.hpp"
#include "numpy_plugin/system/fork.hpp"

namespace numpy_plugin::load {
namespace {

std::string last_error() {
  const char* const text = ::dlerror();
  return text == nullptr ? "no reason was given" : text;
}

base::Error cannot_load(const std::string& name, const std::string& reason) {
  return {base::ErrorKind::kRuntime, name + " can't be loaded: " + reason};
}

}  // namespace

SharedObject::SharedObject(const jit::SharedObjectCode& code, const std::string& ufunc)
    : name_("the compiled code of '" + ufunc + "'") {
  std::string reason;
  handle_ = open_code(ufunc, code.bytes, reason);
  if (handle_ == nullptr) throw cannot_load(name_, reason);
}

SharedObject::SharedObject(const std::string& path) : name_("the library '" + path + "'") {
  std::string reason;
  handle_ = open_file(path, reason);
  if (handle_ == nullptr) throw cannot_load(name_, reason);
}

SharedObject::~SharedObject() {
  const base::ForkHold hold;
  ::dlclose(handle_);
}

void* SharedObject::find_function(const std::string& name) const {
  return ::dlsym(handle_, name.c_str());
}

void* SharedObject::function(const std::string& name) const {
  void* const address = find_function(name);
  if (address == nullptr) {
    throw base::Error(base::ErrorKind::kRuntime,
                      name_ + " has no function '" + name + "': " + last_error());
  }
  return address;
}

void SharedObject::set_pointer(const std::string& variable, const void* address) const {
  if (void* const pointer = find_function(variable)) *static_cast<const void**>(pointer) = address;
}

void SharedObject::connect(const std::string& variable, std::shared_ptr<const SharedObject> library,
                           const std::string& name) {
  *static_cast<void**>(function(variable)) = library->function(name);
  libraries_.push_back(std::move(library));
}

}  // namespace numpy_plugin::load
