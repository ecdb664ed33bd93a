// The key of `array[key]`, with NumPy's rules for integers, slices, None, Ellipsis, integer arrays
// and masks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "numpy_plugin/run/selection/indexed_call.hpp"
#include "numpy_plugin/ufunc/arrays/device_array.hpp"

namespace numpy_plugin::ufunc {

// A step of a key.
struct IndexStep {
  // kFlag: a single bool, which adds a dimension. kMask, kIndices: arrays of at least one
  // dimension, or device arrays of any.
  enum class Kind { kInteger, kSlice, kNewAxis, kEllipsis, kFlag, kMask, kIndices };
  Kind kind = Kind::kSlice;
  nanobind::object object;            // host indices: int64 in C order
  std::optional<DeviceArray> device;  // kMask, kIndices on the device
  std::size_t n_axes = 0;             // that it consumes

  bool is_array() const {
    return kind == Kind::kFlag || kind == Kind::kMask || kind == Kind::kIndices;
  }
};

// Throws NumPy's IndexError for steps of other types.
std::vector<IndexStep> read_steps(nanobind::handle key, const std::shared_ptr<run::Device>& device,
                                  const std::shared_ptr<run::Stream>& stream);

// Number of an array's axes that steps consume. Adds an Ellipsis where there is none and throws
// NumPy's IndexError for too many axes, or several Ellipses.
std::size_t count_axes(std::vector<IndexStep>& steps, std::size_t n_dimensions);

// Throws NumPy's IndexError for the first index out of bounds; `indices`: as IndexStep::object.
void check_indices(const nanobind::object& indices, std::size_t axis, std::int64_t size);

// Whether a key holds arrays, lists or bools: else it selects a view.
bool has_arrays(nanobind::handle key);

// An index array of one axis of the indexed array.
struct AxisIndex {
  DeviceArray positions;  // int64
  std::size_t axis = 0;   // of the indexed array
};

struct ArrayKey {
  run::Selection selection;       // without indices: a view, whose dimensions are all its own
  std::vector<AxisIndex> arrays;  // of the selection's indices
  bool is_mask = false;           // one mask of all axes, and nothing else
};

// Parses a key that has arrays. Host indices are checked here, and host arrays are copied to the
// device. Throws NumPy's IndexError.
ArrayKey parse_key(const DeviceArray& array, nanobind::handle key,
                   const std::shared_ptr<run::Stream>& stream);

// Throws the IndexError for the first index out of bounds, which a device has found.
[[noreturn]] void raise_out_of_bounds(const DeviceArray& array, const ArrayKey& key);

}  // namespace numpy_plugin::ufunc
