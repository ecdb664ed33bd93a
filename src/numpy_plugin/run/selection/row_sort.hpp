// A stable sort of rows on a device: short rows in shared memory, a block each, long ones by a
// radix sort. The result depends on the values alone.
#pragma once

#include "numpy_plugin/base/dtype.hpp"
#include "numpy_plugin/run/memory/device_copy.hpp"

namespace numpy_plugin::run {

// Exclusive limit of a row's elements.
inline constexpr std::int64_t kMaxSortedRow = std::int64_t{1} << 32;

// Writes the positions in each row that sort it in NumPy's order: int64, with the values' shape.
// Both arrays have two dimensions, in C order. Throws base::Error (kValue for too long rows,
// kCompiler), load::CudaError.
void argsort_rows(const std::shared_ptr<Stream>& stream, const DeviceMemory& values,
                  base::DType dtype, const DeviceMemory& positions);

// Likewise for one row of int64 numbers from 0 to `limit` - 1, in as few passes as these need.
void argsort_numbers(const std::shared_ptr<Stream>& stream, const DeviceMemory& numbers,
                     std::int64_t limit, const DeviceMemory& positions);

}  // namespace numpy_plugin::run
