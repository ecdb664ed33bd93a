// Tables of architectures and attributes.
#include "simulator/interface/driver/architecture.hpp"

#include "simulator/interface/driver/call.hpp"
#include "simulator/program/grammar.hpp"
#include "simulator/program/program.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr Architecture kArchitectures[] = {
#define NPP_ARCHITECTURE(major, minor, multiprocessors, shared_kib, max_shared_kib, ...) \
  {major, minor, multiprocessors, (shared_kib)*kKiB, (max_shared_kib)*kKiB, __VA_ARGS__},
#include "simulator/interface/driver/architectures.def"
};

}  // namespace

const Architecture* find_architecture(std::string_view name) {
  for (const Architecture& architecture : kArchitectures) {
    if (architecture.name() == name) return &architecture;
  }
  return nullptr;
}

std::vector<std::string> architecture_names() {
  std::vector<std::string> names;
  for (const Architecture& architecture : kArchitectures) names.push_back(architecture.name());
  return names;
}

int device_attribute(const Architecture& architecture, int number, CUdevice_attribute attribute) {
  require(attribute > 0 && attribute < CU_DEVICE_ATTRIBUTE_MAX, CUDA_ERROR_INVALID_VALUE,
          "there is no such attribute");
  switch (attribute) {
#define NPP_DEVICE_ATTRIBUTE(name, value) \
  case CU_DEVICE_ATTRIBUTE_##name:        \
    return value;
#include "simulator/interface/driver/device_attributes.def"
    default:
      return 0;
  }
}

int target_number(const std::string& target) { return parse_target(target).number; }

std::string incompatibility(const Architecture& architecture, const std::string& target) {
  const Target needed = parse_target(target);
  const Target device{architecture.number(), 'a'};
  if (needed.number > 0 && device.provides(needed)) return "";
  return format("the PTX is for {} and the device is {}", target, architecture.name());
}

}  // namespace numpy_plugin::sim
