#include "numpy_plugin/run/device_notice.hpp"

#include "numpy_plugin/load/driver.hpp"

namespace numpy_plugin::run {

std::string missing_device_notice() {
  const std::string reason = load::find_driver().reason;
  if (reason.empty()) {
    return "target='cuda': host operands are not sent to the GPU yet; calls run on the CPU";
  }
  return "target='cuda': no GPU can be used (" + reason + "); calls run on the CPU";
}

}  // namespace numpy_plugin::run
