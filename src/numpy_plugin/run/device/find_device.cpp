#include "numpy_plugin/run/device/current_device.hpp"

#include <iterator>
#include <vector>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/run/device/simulated_device.hpp"

namespace numpy_plugin::run {
namespace {

// Devices in use, those of this thread first.
std::vector<std::shared_ptr<Device>> known_devices() {
  std::vector<std::shared_ptr<Device>> devices;
  if (auto current = find_current_device()) devices.push_back(std::move(current));
  for (const auto& others : {all_devices(), added_devices()}) {
    devices.insert(devices.end(), others.begin(), others.end());
  }
  return devices;
}

// The driver's knowledge of an address.
struct Place {
  unsigned type = 0;
  int ordinal = -1;
  CUcontext context = nullptr;  // null for memory of a pool
};

CUresult ask(const load::Driver& driver, CUdeviceptr address, Place& place) {
  CUpointer_attribute names[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                 CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_CONTEXT};
  void* values[] = {&place.type, &place.ordinal, &place.context};
  return driver.cuPointerGetAttributes(std::size(names), names, values, address);
}

// Addresses are unique in a process: any context knows them, that of another library too.
Place place_of_address(const Device& device, CUdeviceptr address) {
  Place place;
  if (ask(device.driver(), address, place) == CUDA_SUCCESS) return place;
  const ContextIfAny current(device);
  return ask(device.driver(), address, place) == CUDA_SUCCESS ? place : Place();
}

// Throws base::Error (kValue) for memory there that kernels can't access.
bool is_on(const Device& device, const Place& place) {
  if (place.type != CU_MEMORYTYPE_DEVICE || device.ordinal() != place.ordinal) return false;
  if (place.context == nullptr || place.context == device.context()) return true;
  throw base::Error(
      base::ErrorKind::kValue,
      format("the memory belongs to another CUDA context than the primary one of '{}', whose "
             "kernels can't access it; allocate it in the primary context, or copy the values",
             device.info().name));
}

}  // namespace

std::shared_ptr<Device> device_of_address(CUdeviceptr address) {
  const load::Driver* asked = nullptr;
  Place place;
  if (auto current = find_current_device()) {  // nearly always
    place = place_of_address(*current, address);
    asked = &current->driver();
    if (is_on(*current, place)) return current;
  }
  for (const std::shared_ptr<Device>& device : known_devices()) {
    if (&device->driver() != asked) place = place_of_address(*device, address);
    asked = &device->driver();
    if (is_on(*device, place)) return device;
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
