// Copies and fills as work of streams: ranges are checked at the call, like in the driver, and
// again at execution.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "simulator/interface/objects/context.hpp"

namespace numpy_plugin::sim {

// One end of a copy: rows, `pitch` bytes apart.
struct CopyEnd {
  enum class Kind { kHost, kDevice, kAny };  // kAny: determined by the address
  Kind kind = Kind::kAny;
  std::uint64_t address = 0;
  std::uint64_t pitch = 0;
};

struct Copy {
  CopyEnd to;
  CopyEnd from;
  std::uint64_t width = 0;  // bytes per row
  std::uint64_t height = 1;
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

}  // namespace numpy_plugin::sim
