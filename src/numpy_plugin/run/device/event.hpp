// Events of a device: the user's, and pooled ones that order streams.
#pragma once

#include <memory>
#include <optional>

#include "numpy_plugin/run/device/device.hpp"

namespace numpy_plugin::run {

class Event : public std::enable_shared_from_this<Event> {
 public:
  enum class Kind { kTimed, kOrderOnly };
  Event(std::shared_ptr<const Device> device, Kind kind);  // throws load::CudaError
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  const std::shared_ptr<const Device>& device() const { return device_; }
  CUevent handle() const { return handle_; }

  void record(CUstream stream);
  std::optional<CUstream> stream() const { return stream_; }  // that it was recorded on last
  void synchronize() const;
  bool is_done() const;
  // Time from this event to a later one; both were recorded and have completed.
  float milliseconds_to(const Event& later) const;

 private:
  std::shared_ptr<const Device> device_;
  CUevent handle_ = nullptr;
  std::optional<CUstream> stream_;
};

// The current end of a stream's work, for other streams to wait for. Its event comes from the
// device's pool, so that in steady state none is created.
class StreamMark {
 public:
  StreamMark(std::shared_ptr<Device> device, CUstream stream);  // throws load::CudaError
  ~StreamMark();
  StreamMark(const StreamMark&) = delete;
  StreamMark& operator=(const StreamMark&) = delete;

  void make_wait(CUstream stream) const;
  bool is_done() const;

 private:
  std::shared_ptr<Device> device_;
  CUevent event_ = nullptr;
};

}  // namespace numpy_plugin::run
