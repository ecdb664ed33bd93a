// The forms of device kernels: what a launch depends on, and what is printed for it.
#pragma once

#include <compare>
#include <cstddef>
#include <string_view>
#include <vector>

#include "numpy_plugin/base/dtype.hpp"

namespace numpy_plugin::emit {

// The device kernels a kernel can become; each is compiled when a call first needs it.
// templates/npp/cuda/arguments.hpp says what each is launched with.
enum class LaunchForm {
#define NPP_LAUNCH_FORM(enumerator, name, is_generalized) enumerator,
#include "numpy_plugin/analysis/launch_forms.def"
};

struct LaunchFormInfo {
  LaunchForm form;
  std::string_view
      name;             // "contiguous": of the entry points, "npp_contiguous_0", and of the header
  bool is_generalized;  // for kernels with core dimensions
};

inline constexpr LaunchFormInfo kLaunchForms[] = {
#define NPP_LAUNCH_FORM(enumerator, name, is_generalized) \
  {LaunchForm::enumerator, name, is_generalized},
#include "numpy_plugin/analysis/launch_forms.def"
};

constexpr const LaunchFormInfo& info(LaunchForm form) {
  return kLaunchForms[static_cast<std::size_t>(form)];
}

// Parameters of a device kernel beyond its types.
struct DeviceForm {
  LaunchForm launch = LaunchForm::kContiguous;
  bool is_wide = false;    // 64-bit indices and offsets
  bool is_masked = false;  // kStrided: bools behind the inputs say which results are written
  // Elementwise: the operands' dtypes in memory, inputs, then outputs; empty: the kernel's own.
  // Casts are fused into loads and stores.
  std::vector<base::DType> stored;
  int architecture = 90;  // of the device: elements in flight differ
  auto operator<=>(const DeviceForm&) const = default;
};

// How a device kernel is launched, in elements.
struct LaunchShape {
  int tile = 128;  // elements a block of 128 threads takes
  int width = 1;   // elements of one vector access; 1 where there is none
  bool operator==(const LaunchShape&) const = default;
};

}  // namespace numpy_plugin::emit
