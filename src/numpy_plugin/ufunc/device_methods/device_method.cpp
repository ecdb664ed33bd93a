#include "numpy_plugin/ufunc/device_methods/device_method.hpp"

namespace numpy_plugin::ufunc {

const DeviceMethod* find_device_method(std::string_view name) {
  static constexpr DeviceMethod kMethods[] = {
      {"reduce", reduce_on_device, explain_reduce},
      {"accumulate", accumulate_on_device, explain_accumulate},
      {"reduceat", reduceat_on_device, explain_reduceat},
      {"outer", outer_on_device, nullptr},
      {"at", at_on_device, nullptr},
  };
  for (const DeviceMethod& method : kMethods) {
    if (method.name == name) return &method;
  }
  return nullptr;
}

}  // namespace numpy_plugin::ufunc
