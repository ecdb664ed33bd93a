// Forms of device kernels: the parameters of a launch and of the generated code.
#pragma once

#include <compare>
#include <cstddef>
#include <string_view>
#include <vector>

#include "numpy_plugin/base/dtype.hpp"

namespace numpy_plugin::analysis {

// Device kernels compiled from a kernel, each lazily. templates/npp/cuda/arguments.hpp defines
// their arguments.
enum class LaunchForm {
#define NPP_LAUNCH_FORM(enumerator, name, is_generalized) enumerator,
#include "numpy_plugin/analysis/launch_forms.def"
};

struct LaunchFormInfo {
  LaunchForm form;
  std::string_view name;  // "contiguous": in entry points, "npp_contiguous_0", and the header
  bool is_generalized;    // for kernels with core dimensions
};

inline constexpr LaunchFormInfo kLaunchForms[] = {
#define NPP_LAUNCH_FORM(enumerator, name, is_generalized) \
  {LaunchForm::enumerator, name, is_generalized},
#include "numpy_plugin/analysis/launch_forms.def"
};

constexpr const LaunchFormInfo& info(LaunchForm form) {
  return kLaunchForms[static_cast<std::size_t>(form)];
}

// Dimensions that a device kernel's strides have room for: short argument buffers for most calls.
// The last is NumPy's limit.
inline constexpr int kDimensionLimits[] = {1, 4, 8, 64};

// Parameters of a device kernel beyond its types.
struct DeviceForm {
  LaunchForm launch = LaunchForm::kContiguous;
  bool is_wide = false;    // 64-bit indices and offsets
  bool is_masked = false;  // elementwise: bools after the inputs select the results to write
  // Elementwise: the operands' dtypes in memory, inputs, then outputs; empty: the kernel's own.
  // Casts are fused into loads and stores.
  std::vector<base::DType> stored;
  int n_dimensions = 4;            // strides: one of kDimensionLimits
  bool has_short_vectors = false;  // 16 bytes at most, where the architecture has 32
  int tile_items = 8;              // tiled: results of a thread along each side of a tile
  int architecture = 90;           // of the device: determines the elements in flight
  auto operator<=>(const DeviceForm&) const = default;
};

// Launch parameters of a device kernel, in elements.
struct LaunchShape {
  int tile = 128;  // elements per block of 128 threads
  int width = 1;   // elements per vector access; 1 without vectors
  bool operator==(const LaunchShape&) const = default;
};

}  // namespace numpy_plugin::analysis
