// dlopen with all symbols resolved at once (a missing one is an error here, not a crash later) and
// none made visible to others. Elementwise loops are handed the driver that all of them share.
#include "numpy_plugin/load/shared_object.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <utility>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/fork.hpp"
#include "numpy_plugin/load/elementwise_driver.hpp"

namespace numpy_plugin::load {
namespace {

// The dynamic loader's lock is not reset in a forked child.
void* open(const std::string& path) {
  const base::ForkHold hold;
  return ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
}

std::string last_error() {
  const char* const text = ::dlerror();
  return text == nullptr ? "no reason was given" : text;
}

}  // namespace

SharedObject::SharedObject(const jit::SharedObjectFile& file)
    : path_(file.path), handle_(open(file.path)) {
  const std::string reason = handle_ == nullptr ? last_error() : "";
  if (file.is_temporary) ::unlink(path_.c_str());  // what is loaded stays
  if (handle_ == nullptr) {
    throw base::Error(base::ErrorKind::kRuntime,
                      "the compiled code in '" + path_ + "' can't be loaded: " + reason);
  }
  if (void* const driver = ::dlsym(handle_, "npp_driver")) {
    *static_cast<const npp::ElementwiseDriver**>(driver) = &elementwise_driver();
  }
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
    throw base::Error(
        base::ErrorKind::kRuntime,
        "the compiled code in '" + path_ + "' has no function '" + name + "': " + last_error());
  }
  return address;
}

void SharedObject::connect(const std::string& variable, std::shared_ptr<const SharedObject> library,
                           const std::string& name) {
  *static_cast<void**>(function(variable)) = library->function(name);
  libraries_.push_back(std::move(library));
}

}  // namespace numpy_plugin::load
