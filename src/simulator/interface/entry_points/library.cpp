// Libraries and their kernels.
#include <algorithm>

#include "simulator/interface/objects/module.hpp"

namespace numpy_plugin::sim {

Library::~Library() {
  for (const auto& [context, module] : modules_) {
    if (modules().find_if_any(module) != nullptr) unload_module(module);
  }
  for (const auto& [name, kernel] : kernels_) kernels().remove(kernel);
}

CUmodule Library::module_in(const std::shared_ptr<Context>& context) {
  const std::lock_guard lock(mutex_);
  const auto known = modules_.find(context->handle());
  if (known != modules_.end()) return known->second;
  const CUmodule module = load_module(context, parsed_);
  modules_.emplace(context->handle(), module);
  return module;
}

bool Library::has_entry(const std::string& name) const {
  return std::any_of(parsed_.begin(), parsed_.end(), [&](const Module& module) {
    return std::any_of(module.functions.begin(), module.functions.end(), [&](const auto& function) {
      return function.is_entry && !function.is_extern && function.name == name;
    });
  });
}

CUkernel Library::kernel(CUlibrary self, const std::string& name) {
  if (!has_entry(name)) {
    throw CallError(CUDA_ERROR_NOT_FOUND, format("the library has no kernel '{}'", name));
  }
  const std::lock_guard lock(mutex_);
  const auto known = kernels_.find(name);
  if (known != kernels_.end()) return known->second;
  const CUkernel handle = kernels().add(std::make_shared<Kernel>(Kernel{self, name}));
  kernels_.emplace(name, handle);
  return handle;
}

void Library::forget(CUcontext context) {
  const std::lock_guard lock(mutex_);
  modules_.erase(context);
}

Handles<CUlibrary, Library>& libraries() {
  static auto& handles = *new Handles<CUlibrary, Library>;
  return handles;
}

Handles<CUkernel, Kernel>& kernels() {
  static auto& handles = *new Handles<CUkernel, Kernel>;
  return handles;
}

std::shared_ptr<LoadedFunction> find_kernel(CUkernel handle,
                                            const std::shared_ptr<Context>& context) {
  const std::shared_ptr<Kernel> kernel = kernels().find(handle);
  const CUmodule module = libraries().find(kernel->library)->module_in(context);
  return functions().find(modules().find(module)->function(kernel->name));
}

}  // namespace numpy_plugin::sim
