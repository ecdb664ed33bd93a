// Copies and fills of device arrays of any strides, given to a stream: nothing here waits, but that
// the driver waits for copies of host memory that is not pinned.
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

  // Of its first element; 0 where it has none.
  CUdeviceptr address() const;
  // Whether the bytes that both are between meet; memory of other libraries may be the same without
  // being one buffer.
  bool overlaps(const DeviceMemory& other) const;
};

// A run of elements next to each other on both sides, repeated: `n_rows` of them, at pitches, and
// that again for each of `outer`.
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

// `block` holds the array's elements as packed(array.layout) says. To the host the copy may be
// waited for even where the block is pinned: elements that are far apart are gathered here.
void copy_to_host(const std::shared_ptr<Stream>& stream, const DeviceMemory& array, void* block);
void copy_from_host(const std::shared_ptr<Stream>& stream, const DeviceMemory& array,
                    const void* block);
// Between arrays of one shape on one device. They share no bytes.
void copy_on_device(const std::shared_ptr<Stream>& stream, const DeviceMemory& to,
                    const DeviceMemory& from);
// Every element becomes the given one.
void fill(const std::shared_ptr<Stream>& stream, const DeviceMemory& array, const void* element);

}  // namespace numpy_plugin::run
