#include "numpy_plugin/run/device_notice.hpp"

namespace numpy_plugin::run {

std::string missing_device_notice() {
  return "target='cuda': this machine has no CUDA GPU that can be used; calls run on the CPU";
}

}  // namespace numpy_plugin::run
