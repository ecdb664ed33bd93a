#include "numpy_plugin/run/device/find_device.hpp"

#include <vector>

#include "numpy_plugin/run/device/current_device.hpp"
#include "numpy_plugin/run/device/simulated_device.hpp"

namespace numpy_plugin::run {
namespace {

// Devices in use, those of this thread first.
std::vector<std::shared_ptr<Device>> known_devices() {
  std::vector<std::shared_ptr<Device>> devices;
  if (auto current = find_current_device()) devices.push_back(std::move(current));
  for (auto& others : {all_devices(), added_devices()}) {
    devices.insert(devices.end(), others.begin(), others.end());
  }
  return devices;
}

// The device's ordinal according to the driver; -1 for unknown addresses and host memory.
int ordinal_of_address(const Device& device, CUdeviceptr address) {
  const ContextIfAny current(device);  // another library may manage this thread's context
  const load::Driver& driver = device.driver();
  unsigned type = 0;
  int ordinal = -1;
  const bool is_known = driver.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                                     address) == CUDA_SUCCESS &&
                        type == CU_MEMORYTYPE_DEVICE &&
                        driver.cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                                     address) == CUDA_SUCCESS;
  return is_known ? ordinal : -1;
}

}  // namespace

std::shared_ptr<Device> device_of_address(CUdeviceptr address) {
  const load::Driver* asked = nullptr;
  int ordinal = -1;
  for (const std::shared_ptr<Device>& device : known_devices()) {
    if (&device->driver() != asked) ordinal = ordinal_of_address(*device, address);
    asked = &device->driver();
    if (device->ordinal() == ordinal) return device;
  }
  return nullptr;
}

std::shared_ptr<Device> device_of_number(int ordinal) {
  const std::vector<std::shared_ptr<Device>> devices = known_devices();
  for (const std::shared_ptr<Device>& device : devices) {
    const bool is_of_first_driver = &device->driver() == &devices.front()->driver();
    if (is_of_first_driver && device->ordinal() == ordinal) return device;
  }
  return nullptr;
}

}  // namespace numpy_plugin::run
