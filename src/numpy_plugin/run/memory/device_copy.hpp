// Copies and fills of device arrays with any strides, submitted to a stream: asynchronous, except
// that the driver waits for copies of host memory that is not pinned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "numpy_plugin/run/memory/array_layout.hpp"
#include "numpy_plugin/run/memory/device_memory.hpp"

namespace numpy_plugin::run {

// An array on a device: views share its buffer.
struct DeviceMemory {
  std::shared_ptr<DeviceBuffer> buffer;
  ArrayLayout layout;

  // Address of its first element; 0 where it has none.
  CUdeviceptr address() const;
  // Whether the address ranges of both overlap; different buffers may refer to the same memory of
  // another library.
  bool overlaps(const DeviceMemory& other) const;
};

// A contiguous run on both sides, repeated `n_rows` times at pitches, and that for each step of
// `outer`.
struct CopyPlan {
  struct Axis {
    std::int64_t n, to_stride, from_stride;
  };
  std::int64_t to_offset = 0;
  std::int64_t from_offset = 0;
  std::int64_t row_bytes = 0;
  std::int64_t n_rows = 1;
  std::int64_t to_pitch = 0;
  std::int64_t from_pitch = 0;
  std::vector<Axis> outer;

  std::int64_t n_calls() const;
  // Calls `visit` with the two offsets of each pitched block.
  void for_each_block(const std::function<void(std::int64_t to, std::int64_t from)>& visit) const;
};

// Both layouts have the same shape, with at least one element.
CopyPlan plan_copy(const ArrayLayout& to, const ArrayLayout& from);
// Runs a plan between two blocks of host memory.
void copy_in_host(const CopyPlan& plan, std::byte* to, const std::byte* from);

// `block` holds the array's elements in the layout packed(array.layout). May be synchronous even
// for a pinned block: elements far apart are gathered here.
void copy_to_host(const std::shared_ptr<Stream>& stream, const DeviceMemory& array, void* block);
void copy_from_host(const std::shared_ptr<Stream>& stream, const DeviceMemory& array,
                    const void* block);
// Copies between arrays of one shape on one device. They share no bytes.
void copy_on_device(const std::shared_ptr<Stream>& stream, const DeviceMemory& to,
                    const DeviceMemory& from);
// Whether one driver call fills the array: it is contiguous, and the element's words are equal.
bool is_one_fill(const DeviceMemory& array, const void* element);
// Sets every element to the given one.
void fill(const std::shared_ptr<Stream>& stream, const DeviceMemory& array, const void* element);
// Sets 4-byte words of a buffer to 0.
void clear(const std::shared_ptr<Stream>& stream, const std::shared_ptr<DeviceBuffer>& buffer,
           std::int64_t offset, std::int64_t n_bytes);

}  // namespace numpy_plugin::run
