// The forms of device kernels: what a launch depends on, and what is printed for it.
#pragma once

#include <compare>
#include <vector>

#include "numpy_plugin/base/dtype.hpp"

namespace numpy_plugin::emit {

// The device kernels a kernel can become; each is compiled when a call first needs it.
// templates/npp/cuda/arguments.hpp says what each is launched with.
enum class LaunchForm { kContiguous, kRows, kStrided, kGeneralized, kSplit, kStaged };

// What a device kernel is made for, beyond its types.
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
