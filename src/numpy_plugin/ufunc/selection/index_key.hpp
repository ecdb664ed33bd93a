// The key of `array[key]`, with NumPy's rules for integers, slices, None, Ellipsis, integer arrays
// and masks.
#pragma once

#include <optional>
#include <vector>

#include "numpy_plugin/run/selection/indexed_call.hpp"
#include "numpy_plugin/ufunc/arrays/device_array.hpp"

namespace numpy_plugin::ufunc {

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
