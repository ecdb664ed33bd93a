// The steps of a key, one by one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "numpy_plugin/ufunc/arrays/device_array.hpp"

namespace numpy_plugin::ufunc {

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

}  // namespace numpy_plugin::ufunc
