// Copies and fills as work of streams: ranges are checked at the call, like in the driver, and
// again at execution.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <string>

#include "simulator/interface/objects/graph.hpp"

namespace numpy_plugin::sim {

// One end of a copy: rows, `pitch` bytes apart, of slices, `slice` bytes apart.
struct CopyEnd {
  enum class Kind { kHost, kDevice, kAny };  // kAny: determined by the address
  Kind kind = Kind::kAny;
  std::uint64_t address = 0;
  std::uint64_t pitch = 0;
  std::uint64_t slice = 0;

  std::uint64_t row(std::uint64_t z, std::uint64_t y) const {
    return address + z * slice + y * pitch;
  }
};

struct Copy {
  CopyEnd to;
  CopyEnd from;
  std::uint64_t width = 0;   // bytes per row
  std::uint64_t height = 1;  // rows per slice
  std::uint64_t depth = 1;

  bool is_empty() const { return width == 0 || height == 0 || depth == 0; }
};

struct Fill {
  std::uint64_t address = 0;
  std::uint64_t pitch = 0;
  std::uint32_t element = 0;
  std::uint32_t element_bytes = 1;
  std::uint64_t width = 0;  // elements per row
  std::uint64_t height = 1;
};

// Whether the call waits for the work. Pageable host memory, which can't be accessed later, is read
// or written before the call returns in any case.
enum class Waiting { kNo, kYes };

// Throw CallError (CUDA_ERROR_INVALID_VALUE) for ranges not inside an allocation, and the fault of
// previous work.
void copy_in_order(const Copy& copy, const std::shared_ptr<Stream>& stream, Waiting waiting);
void fill_in_order(const Fill& fill, const std::shared_ptr<Stream>& stream, Waiting waiting);

// The same as a node of a graph, in a context.
StreamWork copy_work(const Copy& copy, const std::shared_ptr<Context>& context);
StreamWork fill_work(const Fill& fill, const std::shared_ptr<Context>& context);

// Copies of rows and slices, as cuda.h describes them.

// Both throw CallError for CUDA arrays and for rows and slices that overlap.
Copy describe_copy(const CUDA_MEMCPY2D& description);
Copy describe_copy(const CUDA_MEMCPY3D& description);

}  // namespace numpy_plugin::sim
