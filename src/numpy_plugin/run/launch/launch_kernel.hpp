// Launches of kernels, some of which can raise.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "numpy_plugin/run/device/stream.hpp"
#include "numpy_plugin/run/launch/launch_arguments.hpp"
#include "numpy_plugin/run/launch/raise_records.hpp"
#include "numpy_plugin/run/launch/raw_kernel.hpp"

namespace numpy_plugin::run {

// One launch on a stream, with its arguments as one buffer of bytes.
struct KernelLaunch {
  CUfunction function = nullptr;
  const std::string& name;  // "hypot (npp_contiguous_0)": in messages without the entry point
  unsigned grid = 0;        // blocks
  unsigned block = 0;       // threads
};

// Throws load::CudaError.
void launch_kernel(const Stream& stream, const KernelLaunch& launch, ArgumentBuffer& arguments);

// When exceptions of kernels are raised: by the call, which waits for the kernel, or by whatever
// waits for the work later.
enum class ErrorMode { kDeferred, kImmediate };

// Of this thread; kDeferred at first.
ErrorMode error_mode();
void set_error_mode(ErrorMode mode);

// Whether a launch on the stream is waited for, as always on simulated devices unless the user made
// the stream.
bool raises_at_once(const Stream& stream);

// The mode of this thread during its lifetime.
class ErrorModeScope {
 public:
  explicit ErrorModeScope(ErrorMode mode) : outer_(error_mode()) { set_error_mode(mode); }
  ~ErrorModeScope() { set_error_mode(outer_); }
  ErrorModeScope(const ErrorModeScope&) = delete;
  ErrorModeScope& operator=(const ErrorModeScope&) = delete;

 private:
  ErrorMode outer_;
};

// Launches one of a kernel's device kernels. Where it can raise, either waits for it and reports an
// element's exception in raised_error(), or leaves that to raise_late(). Recorded work keeps
// the kernel alive. Throws load::CudaError.
void launch_and_check(std::shared_ptr<const declare::TypedKernel> kernel,
                      const std::shared_ptr<Stream>& stream, const KernelLaunch& launch,
                      ArgumentBuffer& arguments);

// Likewise for a kernel that a user launches.
void launch_and_check(const RawKernel& kernel, const std::shared_ptr<Stream>& stream,
                      const std::shared_ptr<const LoadedRawKernel>& loaded,
                      const LaunchConfiguration& configuration, std::vector<std::byte> arguments);

}  // namespace numpy_plugin::run
