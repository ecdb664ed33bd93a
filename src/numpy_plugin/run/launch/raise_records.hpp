// Exceptions of kernels whose launches are not waited for. Each launch of a kernel that can raise
// has a record in host memory that the device writes to; records are looked at when the work has
// been waited for anyway.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "numpy_plugin/kernel/kernel.hpp"
#include "numpy_plugin/run/device/stream.hpp"
#include "numpy_plugin/run/launch/launch_log.hpp"
#include "numpy_plugin/run/reports/kernel_reports.hpp"

namespace numpy_plugin::run {

// A kernel that can raise; keeps what it is part of alive.
using RaisingKernel = std::shared_ptr<const declare::PythonKernel>;

// A launched kernel's exception, found after its call has returned.
class LateRaise : public base::Error {
 public:
  LateRaise(const RaisedError& raised, RaisingKernel kernel,
            std::shared_ptr<const LaunchPlace> place);

  const RaisedError& raised() const { return raised_; }
  const std::shared_ptr<const LaunchPlace>& place() const { return place_; }  // may be null

 private:
  RaisedError raised_;
  RaisingKernel kernel_;
  std::shared_ptr<const LaunchPlace> place_;
};

// The record of one launch, or of all launches of a recorded one.
class RaiseRecord {
 public:
  // Cleared. Throws load::CudaError.
  RaiseRecord(const std::shared_ptr<Device>& device, RaisingKernel kernel);
  ~RaiseRecord();
  RaiseRecord(const RaiseRecord&) = delete;
  RaiseRecord& operator=(const RaiseRecord&) = delete;

  CUdeviceptr address() const { return reinterpret_cast<CUdeviceptr>(record_); }
  const RaisingKernel& kernel() const { return kernel_; }
  const std::shared_ptr<const LaunchPlace>& place() const { return place_; }
  bool has_raised() const;
  // The exception of the launch, which has completed; clears the record.
  RaisedError take() const;

 private:
  std::weak_ptr<Device> device_;
  RaisingKernel kernel_;
  std::shared_ptr<const LaunchPlace> place_;
  npp::Errors* record_;
};

// Lets the record be looked at once the stream has been waited for.
void look_later(const Stream& stream, std::shared_ptr<const RaiseRecord> record);

// Throws LateRaise for the first exception of launches on a stream that was waited for (nullopt:
// on all of the device), or of this thread's launches on others that have raised.
void raise_late(const Device& device, std::optional<CUstream> stream);

}  // namespace numpy_plugin::run
