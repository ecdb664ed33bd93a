#include "numpy_plugin/run/device/device_module.hpp"

#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::run {

DeviceModule::DeviceModule(const std::shared_ptr<Device>& device, const std::string& image,
                           const std::string& name)
    : device_(device) {
  const CurrentContext current(*device);
  device->driver().check(device->driver().cuModuleLoadData(&module_, image.c_str()),
                         "to load '" + name + "', compiled for " + device->info().arch);
}

DeviceModule::~DeviceModule() {
  const std::shared_ptr<Device> device = device_.lock();
  if (device == nullptr) return;
  const ContextIfAny current(*device);
  if (!current) return;
  device->driver().cuCtxSynchronize();  // a kernel may still be running
  device->driver().cuModuleUnload(module_);
}

CUfunction DeviceModule::function(const std::string& name) const {
  const std::shared_ptr<Device> device = device_.lock();
  NPP_ASSERT(device != nullptr, "a module is used after its device");
  const CurrentContext current(*device);
  CUfunction function = nullptr;
  device->driver().check(device->driver().cuModuleGetFunction(&function, module_, name.c_str()),
                         "to find '" + name + "' in its compiled code");
  return function;
}

}  // namespace numpy_plugin::run
