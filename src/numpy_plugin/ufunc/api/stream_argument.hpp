// The `stream=` argument of calls.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "numpy_plugin/run/device/current_device.hpp"

namespace numpy_plugin::ufunc {

// The Stream of an argument: one of this package, one of another library by its object or its
// handle; nullptr for None and Numba's 0, which mean this thread's stream of a device. Throws
// base::Error (kType, kValue).
std::shared_ptr<run::Stream> named_stream(nanobind::handle stream);

// Likewise; None and 0 are a base::Error (kValue).
std::shared_ptr<run::Stream> external_stream(nanobind::handle stream);

// The stream itself, or this thread's stream of the device for nullptr. Throws base::Error (kValue)
// for a stream of another device.
std::shared_ptr<run::Stream> stream_or_current(const std::shared_ptr<run::Stream>& stream,
                                               const std::shared_ptr<run::Device>& device);

// named_stream() and stream_or_current() combined.
std::shared_ptr<run::Stream> stream_argument(nanobind::handle stream,
                                             const std::shared_ptr<run::Device>& device);

// Makes an argument's stream current for its device in this thread during its lifetime; None and 0
// have no effect. Throws base::Error (kType).
class StreamScope {
 public:
  explicit StreamScope(nanobind::handle stream);
  ~StreamScope();
  StreamScope(const StreamScope&) = delete;
  StreamScope& operator=(const StreamScope&) = delete;

 private:
  std::shared_ptr<run::Stream> stream_;
};

}  // namespace numpy_plugin::ufunc
