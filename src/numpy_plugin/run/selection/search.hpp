// Sorts, searches and counts of device arrays, as launches.
#pragma once

#include <string>
#include <utility>

#include "numpy_plugin/base/dtype.hpp"
#include "numpy_plugin/run/memory/device_copy.hpp"

namespace numpy_plugin::run {

// The type of the templates that orders values of a dtype: "double", "npp::Ticks".
std::string ordered_type(base::DType dtype);

// A stable sort of rows on a device: short rows in shared memory, a block each, long ones by a
// radix sort. The result depends on the values alone.

// Exclusive limit of a row's elements.
inline constexpr std::int64_t kMaxSortedRow = std::int64_t{1} << 32;

// Writes the positions in each row that sort it in NumPy's order: int64, with the values' shape.
// Both arrays have two dimensions, in C order. Throws base::Error (kValue for too long rows,
// kCompiler), load::CudaError.
void argsort_rows(const std::shared_ptr<Stream>& stream, const DeviceMemory& values,
                  base::DType dtype, const DeviceMemory& positions);

// Writes the values in that order. Returns false, having done nothing, for long rows of complex
// numbers.
bool sort_rows(const std::shared_ptr<Stream>& stream, const DeviceMemory& values, base::DType dtype,
               const DeviceMemory& sorted);

// argsort_rows() for one row of int64 numbers from 0 to `limit` - 1, in as few passes as these
// need.
void argsort_numbers(const std::shared_ptr<Stream>& stream, const DeviceMemory& numbers,
                     std::int64_t limit, const DeviceMemory& positions);

// Searches in sorted arrays, and counts of integers. Arrays have one dimension and are contiguous.
// All throw base::Error (kCompiler), load::CudaError.

// int64 places where each key keeps the array sorted: before equal elements, or behind them.
void search_sorted(const std::shared_ptr<Stream>& stream, const DeviceMemory& sorted,
                   base::DType dtype, const DeviceMemory& keys, bool is_right,
                   const DeviceMemory& places);

// Bools: whether each element differs from the one before it.
void find_run_heads(const std::shared_ptr<Stream>& stream, const DeviceMemory& sorted,
                    base::DType dtype, bool is_nan_equal, const DeviceMemory& heads);

// Writes the number of each sorted element's run to `numbers` at the element's position; all int64.
void write_run_numbers(const std::shared_ptr<Stream>& stream, const DeviceMemory& starts,
                       const DeviceMemory& positions, const DeviceMemory& numbers);

// The least and the largest of int64 values, at least one. Waits.
std::pair<std::int64_t, std::int64_t> find_limits(const std::shared_ptr<Stream>& stream,
                                                  const DeviceMemory& values);

// Adds the counts of int64 values, each from 0 on and less than the size of `counts`, int64.
void count_bins(const std::shared_ptr<Stream>& stream, const DeviceMemory& values,
                const DeviceMemory& counts);

}  // namespace numpy_plugin::run
