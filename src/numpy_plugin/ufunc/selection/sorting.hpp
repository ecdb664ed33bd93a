// Sorts, searches and counts of device arrays: what Python's functions are made of. Operands are
// copied where they are not contiguous. All throw base::Error (kType) for dtypes without an order.
#pragma once

#include <utility>

#include "numpy_plugin/ufunc/arrays/device_array.hpp"

namespace numpy_plugin::ufunc {

// Of an array of two dimensions: int64 positions that sort each row, stable.
DeviceArray argsort_rows(const DeviceArray& values);

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
