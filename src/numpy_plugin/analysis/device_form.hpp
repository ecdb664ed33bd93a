// Forms of device kernels: the parameters of a launch and of the generated code.
#pragma once

#include <compare>
#include <cstddef>
#include <string_view>
#include <vector>

#include "numpy_plugin/analysis/tree.hpp"
#include "numpy_plugin/base/dtype.hpp"
#include "numpy_plugin/kernel/kernel.hpp"

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

// Number of elements per thread of a device kernel: chosen only here, printed into the source for
// the templates and passed to the launching code.

inline constexpr int kThreads = 128;

// Vector accesses of `width` elements, `n_vectors` per thread (contiguous form), or `n_vectors`
// single elements per thread (width 1).
struct ThreadWork {
  int width = 1;
  int n_vectors = 1;
};

// Dtypes of the operands in memory, inputs, then outputs.
std::vector<base::DType> stored_types(const declare::TypedKernel& kernel, const DeviceForm& form);

ThreadWork thread_work(const declare::TypedKernel& kernel, const DeviceForm& form);
// Whether vectors have 32 bytes where the kernel permits.
bool has_long_vectors(const DeviceForm& form);
// Whether a kernel can be launched in the transposed form.
bool has_tiles(const declare::TypedKernel& kernel, const DeviceForm& form);
LaunchShape launch_shape(const ThreadWork& work);

// Kernels whose body can process all narrow integers of a 32-bit word at once (SIMD within a
// register).

// An operation on all elements of a word.
struct PackedOperation {
  declare::Operation operation;
  const char* infix;     // C++ operator, where no carries occur; else null
  const char* function;  // in templates
};

// nullptr for operations that can't process all elements of a word at once.
const PackedOperation* find_packed_operation(declare::Operation operation);

// Whether a Python kernel only returns an expression of + - & | ^ ~ over parameters and constants,
// all of one integer type of 8 or 16 bits.
bool has_packed_body(const declare::TypedKernel& kernel);

}  // namespace numpy_plugin::analysis
