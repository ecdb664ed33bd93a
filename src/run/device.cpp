// Destructors don't look at the driver's answer: what they give back can only fail to be freed when
// the device is lost or the driver is shutting down, and the next call reports the former.
#include "numpy_plugin/run/device.hpp"

#include <array>
#include <utility>

namespace numpy_plugin::run {
namespace {

constexpr int kFirstDevice = 0;

int attribute(const load::Driver& driver, CUdevice_attribute name, CUdevice device) {
  int value = 0;
  driver.check(driver.cuDeviceGetAttribute(&value, name, device), "to read a device's properties");
  return value;
}

CUdevice first_device(const load::Driver& driver) {
  CUdevice device = 0;
  driver.check(driver.cuDeviceGet(&device, kFirstDevice), "to find the first device");
  return device;
}

std::string bytes_text(std::size_t n_bytes) { return std::to_string(n_bytes) + " bytes"; }

}  // namespace

DeviceInfo describe_device(const load::Driver& driver) {
  const CUdevice device = first_device(driver);
  std::array<char, 256> name = {};
  DeviceInfo info;
  driver.check(driver.cuDeviceGetName(name.data(), static_cast<int>(name.size()) - 1, device),
               "to read a device's name");
  driver.check(driver.cuDeviceTotalMem(&info.total_bytes, device), "to read a device's memory");
  info.name = name.data();
  info.arch =
      "sm_" +
      std::to_string(attribute(driver, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device)) +
      std::to_string(attribute(driver, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
  info.n_multiprocessors = attribute(driver, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
  return info;
}

std::optional<DeviceInfo> device_info() {
  const load::FoundDriver found = load::find_driver();
  if (found.driver == nullptr) return std::nullopt;
  return describe_device(*found.driver);
}

Device::Device(const load::Driver& driver)
    : driver_(driver), info_(describe_device(driver)), number_(first_device(driver)) {
  driver_.check(driver_.cuDevicePrimaryCtxRetain(&context_, number_),
                "to make a context on '" + info_.name + "'");
}

Device::~Device() { driver_.cuDevicePrimaryCtxRelease(number_); }

const Device* find_device() {
  const load::FoundDriver found = load::find_driver();
  if (found.driver == nullptr) return nullptr;
  // Never destroyed: arrays and kernels may be freed while the process ends.
  static const Device& device = *new Device(*found.driver);
  return &device;
}

CurrentContext::CurrentContext(const Device& device) : driver_(device.driver()) {
  driver_.check(driver_.cuCtxPushCurrent(device.context()), "to enter its context");
}

CurrentContext::~CurrentContext() {
  CUcontext popped = nullptr;
  driver_.cuCtxPopCurrent(&popped);
}

DeviceBuffer::DeviceBuffer(const Device& device, std::size_t n_bytes)
    : driver_(&device.driver()), n_bytes_(n_bytes) {
  driver_->check(driver_->cuMemAlloc(&address_, n_bytes),
                 "to allocate " + bytes_text(n_bytes) + " on '" + device.info().name + "' (" +
                     bytes_text(device.info().total_bytes) + " in all)");
}

DeviceBuffer::~DeviceBuffer() {
  if (address_ != 0) driver_->cuMemFree(address_);
}

DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept
    : driver_(other.driver_),
      address_(std::exchange(other.address_, 0)),
      n_bytes_(other.n_bytes_) {}

void DeviceBuffer::copy_from_host(const void* data) const {
  driver_->check(driver_->cuMemcpyHtoD(address_, data, n_bytes_),
                 "to copy " + bytes_text(n_bytes_) + " to the device");
}

void DeviceBuffer::copy_to_host(void* data) const {
  driver_->check(driver_->cuMemcpyDtoH(data, address_, n_bytes_),
                 "to copy " + bytes_text(n_bytes_) + " from the device");
}

}  // namespace numpy_plugin::run
