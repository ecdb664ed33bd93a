// The `stream=` of calls.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "numpy_plugin/run/device/current_device.hpp"

namespace numpy_plugin::ufunc {

// The Stream that an argument is; nullptr for None and Numba's 0, which stand for this thread's
// stream of a device. Throws base::Error (kType) for anything else.
std::shared_ptr<run::Stream> named_stream(nanobind::handle stream);

// The stream, or for nullptr this thread's stream of the device. Throws base::Error (kValue) for a
// stream of another device.
std::shared_ptr<run::Stream> stream_or_current(const std::shared_ptr<run::Stream>& stream,
                                               const std::shared_ptr<run::Device>& device);

// Both in one.
std::shared_ptr<run::Stream> stream_argument(nanobind::handle stream,
                                             const std::shared_ptr<run::Device>& device);

// While it lives, an argument's stream is the one of its device in this thread; None and 0 change
// nothing. Throws base::Error (kType).
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
