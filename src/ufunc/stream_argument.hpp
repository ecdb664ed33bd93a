// The `stream=` of calls.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "numpy_plugin/run/current_device.hpp"

namespace numpy_plugin::ufunc {

// A Stream of the device; None or Numba's 0: this thread's stream of it. Throws base::Error (kType,
// kValue) for anything else.
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
