// Positions of the selected elements of a mask.
#pragma once

#include <cstdint>
#include <vector>

#include "numpy_plugin/run/memory/device_copy.hpp"

namespace numpy_plugin::run {

// A mask whose selected elements have been counted.
class CountedMask {
 public:
  // `mask`: bools in C order. Counts them and waits. Throws base::Error (kCompiler),
  // load::CudaError.
  CountedMask(const std::shared_ptr<Stream>& stream, const DeviceMemory& mask);

  std::int64_t count() const { return count_; }
  // Writes the coordinates of the selected elements, in C order, to an int64 array (dimensions of
  // the mask, count()) in C order.
  void write_positions(const DeviceMemory& positions) const;

 private:
  std::shared_ptr<Stream> stream_;
  DeviceMemory mask_;
  std::shared_ptr<DeviceBuffer> counts_;
  std::int64_t count_ = 0;
};

}  // namespace numpy_plugin::run
