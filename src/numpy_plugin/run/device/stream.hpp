// Streams and events of a device.
#pragma once

#include <memory>
#include <vector>

#include "numpy_plugin/run/device/device.hpp"
#include "numpy_plugin/system/mutex.hpp"

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
  void synchronize() const;
  bool is_done() const;
  // Time from this event to a later one; both were recorded and have completed.
  float milliseconds_to(const Event& later) const;

 private:
  std::shared_ptr<const Device> device_;
  CUevent handle_ = nullptr;
};

class Stream : public std::enable_shared_from_this<Stream> {
 public:
  // kDefault: a thread's own, which is ordered after all others that use the same memory. It keeps
  // no device alive: a simulated one may be removed during the thread's lifetime.
  enum class Kind { kDefault, kOwn };
  Stream(std::shared_ptr<Device> device, Kind kind);  // throws load::CudaError
  // Waits for work whose objects it still keeps.
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  std::shared_ptr<Device> device() const;
  CUstream handle() const { return handle_; }
  bool is_default() const { return kind_ == Kind::kDefault; }

  void synchronize();
  bool is_done() const;
  // Orders all later work of this stream after the event, or after the other stream's current work.
  void wait_for(const Event& event);
  void wait_for(Stream& other);
  // Likewise for a stream of another library.
  void wait_for(CUstream other);
  // The reverse: orders that stream's later work after this stream's current work.
  void make_wait(CUstream other);
  // Keeps an object alive until all work submitted so far is done.
  void keep(std::shared_ptr<void> object);

 private:
  struct Kept {
    std::unique_ptr<Event> done;
    std::shared_ptr<void> object;
  };
  std::vector<Kept> take_finished();

  std::weak_ptr<Device> device_;
  std::shared_ptr<Device> kept_device_;  // except for default streams
  Kind kind_;
  CUstream handle_ = nullptr;
  base::Mutex mutex_;  // guards kept_
  std::vector<Kept> kept_;
};

}  // namespace numpy_plugin::run
