// Selection of elements of device arrays: by keys, by value and by order.
#pragma once

#include <utility>
#include <vector>

#include "numpy_plugin/ufunc/arrays/device_array.hpp"
#include "numpy_plugin/ufunc/selection/index_key.hpp"

namespace numpy_plugin::ufunc {

// `array[key]` and `array[key] = value` of device arrays.

// A view, or a copy in C order where the key has arrays.
DeviceArray get_item(const DeviceArray& array, nanobind::handle key);

// Values are broadcast and cast as by assign(). Where an index is repeated, the last value in C
// order is stored. Throws NumPy's exceptions, with nothing written.
void set_item(const DeviceArray& array, nanobind::handle key, const nanobind::object& value);

// The elements at the places that a parsed key selects.
DeviceArray take(const DeviceArray& array, const ArrayKey& key,
                 const std::shared_ptr<run::Stream>& stream);

// NumPy's nonzero on device arrays. The coordinates of the elements that are not zero, in C order:
// int64, one array for each dimension. Waits for their number.
std::vector<DeviceArray> find_nonzero(const DeviceArray& array,
                                      const std::shared_ptr<run::Stream>& stream);

// Sorts, searches and counts of device arrays: what Python's functions are made of. Operands are
// copied where they are not contiguous. All throw base::Error (kType) for dtypes without an order.

// Of an array of two dimensions: int64 positions that sort each row, stable.
DeviceArray argsort_rows(const DeviceArray& values);

// The rows sorted.
DeviceArray sort_rows(const DeviceArray& values);

// values[i, positions[i, j]]; positions of argsort_rows().
DeviceArray take_in_rows(const DeviceArray& values, const DeviceArray& positions);

// Of arrays of one dimension and one dtype: int64 places in the sorted one.
DeviceArray search_sorted(const DeviceArray& sorted, const DeviceArray& keys, bool is_right);

// Bools: whether an element of a sorted array differs from the one before it.
DeviceArray find_run_heads(const DeviceArray& sorted, bool is_nan_equal);

// For each position, the number of the run that begins at the last of `starts` up to it; all int64.
DeviceArray number_runs(const DeviceArray& starts, const DeviceArray& positions);

// The least and the largest element of an int64 array that has some.
std::pair<std::int64_t, std::int64_t> find_limits(const DeviceArray& values);

// How often 0 to n_bins - 1 are among the elements of an int64 array without others.
DeviceArray count_bins(const DeviceArray& values, std::int64_t n_bins);

}  // namespace numpy_plugin::ufunc
