// dlopen with all symbols resolved immediately (a missing one is an error here rather than a later
// crash) and local visibility.
#include "numpy_plugin/load/shared_object.hpp"

#include <utility>

#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::load {
namespace {

base::Error cannot_load(const std::string& name, const std::string& reason) {
  return {base::ErrorKind::kRuntime, format("{} can't be loaded: {}", name, reason)};
}

}  // namespace

SharedObject::SharedObject(const jit::SharedObjectCode& code, const std::string& ufunc)
    : name_(format("the compiled code of '{}'", ufunc)),
      opened_(system::open_code(ufunc, code.bytes)) {
  if (!opened_.is_open()) throw cannot_load(name_, opened_.error());
}

SharedObject::SharedObject(const std::string& path)
    : name_(format("the library '{}'", path)), opened_(path) {
  if (!opened_.is_open()) throw cannot_load(name_, opened_.error());
}

SharedObject::~SharedObject() { opened_.close(); }

void* SharedObject::find_function(const std::string& name) const {
  return opened_.address(name.c_str());
}

void* SharedObject::function(const std::string& name) const {
  void* const address = find_function(name);
  if (address == nullptr) {
    throw base::Error(base::ErrorKind::kRuntime, format("{} has no function '{}'", name_, name));
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
