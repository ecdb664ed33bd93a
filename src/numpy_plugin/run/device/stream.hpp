// Streams of a device: this package's, and those of other libraries.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "numpy_plugin/run/device/device.hpp"
#include "numpy_plugin/run/device/event.hpp"
#include "numpy_plugin/system/mutex.hpp"

namespace numpy_plugin::run {

// Whether a stream exists as long as its context: CUDA's default streams, legacy and per thread.
inline bool is_lasting(CUstream stream) {
  return stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD;
}

// Work on a stream of another library, which may destroy that stream once a call has returned.
struct ForeignWork {
  CUstream stream = nullptr;
  std::unique_ptr<const StreamMark> end;  // set when the call returns; none for lasting streams
};

class Stream;

// A stream's recording of a graph: its work is submitted with the graph, later and repeatedly.
struct Recording {
  std::vector<std::shared_ptr<void>> buffers;        // that the work uses, of DeviceBuffer
  std::vector<std::shared_ptr<void>> raise_records;  // of kernels in it that can raise
  std::vector<std::shared_ptr<void>> kept;           // code and other objects that it uses
  std::shared_ptr<Stream> memory_stream;             // allocations are not recorded
};

class Stream : public std::enable_shared_from_this<Stream> {
 public:
  // kDefault: a thread's own. It keeps no device alive: a simulated one may be removed during the
  // thread's lifetime. kForeign: another library's, for the duration of one call.
  enum class Kind { kDefault, kOwn, kForeign };
  Stream(std::shared_ptr<Device> device, Kind kind);  // throws load::CudaError
  Stream(std::shared_ptr<Device> device, CUstream foreign);
  // Waits for work whose objects it still keeps.
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  std::shared_ptr<Device> device() const;
  CUstream handle() const { return handle_; }
  bool is_default() const { return kind_ == Kind::kDefault; }
  // Whether the memory that it uses is ordered between it and other streams without being asked.
  bool is_ordered() const { return kind_ != Kind::kOwn; }
  // Of a foreign stream, else nullptr.
  const std::shared_ptr<ForeignWork>& foreign_work() const { return foreign_; }

  // Null outside of a recording; ends it where null is given.
  const std::shared_ptr<Recording>& recording() const { return recording_; }
  void set_recording(std::shared_ptr<Recording> recording) { recording_ = std::move(recording); }

  // Throws base::Error (kRuntime) while the stream records, as is_done() does.
  void synchronize();
  bool is_done() const;
  // Orders all later work of this stream after the event, or after the other stream's current work.
  void wait_for(const Event& event);
  void wait_for(const Stream& other);
  // Likewise for a stream of another library.
  void wait_for(CUstream other);
  // The reverse: orders that stream's later work after this stream's current work.
  void make_wait(CUstream other);
  // Keeps an object alive until all work submitted so far is done.
  void keep(std::shared_ptr<void> object);

 private:
  struct Kept {
    std::unique_ptr<const StreamMark> done;
    std::shared_ptr<void> object;
  };
  std::vector<Kept> take_finished();
  void end_foreign_work() noexcept;
  void refuse_waiting() const;

  std::weak_ptr<Device> device_;
  std::shared_ptr<Device> kept_device_;  // except for default streams
  Kind kind_;
  CUstream handle_ = nullptr;
  std::shared_ptr<ForeignWork> foreign_;
  std::shared_ptr<Recording> recording_;
  system::Mutex mutex_;  // guards kept_
  std::vector<Kept> kept_;
};

// Order between the stream of a call and those of its operands' libraries: one event for each
// stream, however many operands are on it.
class CallOrder {
 public:
  explicit CallOrder(const std::shared_ptr<Stream>& stream) : stream_(stream) {}
  const std::shared_ptr<Stream>& stream() const { return stream_; }

  // Orders the call after that stream's current work. Throws load::CudaError.
  void wait_for(CUstream other);
  // Orders that stream's later work after the call, which has been submitted.
  void make_wait(CUstream other);

 private:
  std::shared_ptr<Stream> stream_;
  std::vector<CUstream> waited_for_;
  std::vector<CUstream> made_to_wait_;
  std::unique_ptr<const StreamMark> end_;
};

}  // namespace numpy_plugin::run
