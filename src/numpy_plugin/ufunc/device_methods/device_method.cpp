#include "numpy_plugin/ufunc/device_methods/device_method.hpp"

#include <utility>

#include "numpy_plugin/ufunc/device_methods/along_axis.hpp"
#include "numpy_plugin/ufunc/device_methods/reduce.hpp"

namespace numpy_plugin::ufunc {

DeviceMethod find_device_method(std::string_view name) {
  static constexpr std::pair<std::string_view, DeviceMethod> kMethods[] = {
      {"reduce", reduce_on_device},
      {"accumulate", accumulate_on_device},
      {"reduceat", reduceat_on_device},
  };
  for (const auto& [known, method] : kMethods) {
    if (known == name) return method;
  }
  return nullptr;
}

}  // namespace numpy_plugin::ufunc
