// The indices of `reduceat`, examined on the host or on a device.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "numpy_plugin/run/memory/device_copy.hpp"

namespace numpy_plugin::run {

struct SegmentLengths {
  std::optional<std::int64_t> wrong;  // number of the first index out of bounds
  std::int64_t longest = 0;           // elements of a segment
  bool ascend = true;                 // every index is at least the one before it
};

// Segments of a line of `length` elements.
SegmentLengths examine_segments(std::span<const std::int64_t> indices, std::int64_t length);

// Likewise of contiguous int64 indices on a device. Waits. Call without the GIL. Throws base::Error
// (kCompiler), load::CudaError.
SegmentLengths examine_segments(const std::shared_ptr<Stream>& stream, const DeviceMemory& indices,
                                std::int64_t length);

}  // namespace numpy_plugin::run
