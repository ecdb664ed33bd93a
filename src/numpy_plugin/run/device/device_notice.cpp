#include "numpy_plugin/run/device/current_device.hpp"

#include "numpy_plugin/load/driver.hpp"

namespace numpy_plugin::run {

std::string missing_device_reason() {
  return format("no GPU can be used ({})", load::find_driver().reason);
}

std::string missing_device_notice() {
  return format("target='cuda': {}; calls run on the CPU", missing_device_reason());
}

}  // namespace numpy_plugin::run
