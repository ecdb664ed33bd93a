// Streams of a device: this package's, and those of other libraries.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "numpy_plugin/run/device/device.hpp"
#include "numpy_plugin/run/device/event.hpp"

namespace numpy_plugin::run {

// Whether a stream exists as long as its context: CUDA's default streams, legacy and per thread.
inline bool is_lasting(CUstream stream) {
  return stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD;
}

// Work on a stream of another library, which may destroy that stream once a call has returned.
struct ForeignWork {
  CUstream stream = nullptr;
  bool is_over = false;                   // the stream may be gone
  std::unique_ptr<const StreamMark> end;  // then; none where the device is lost
};

// Marks the end of work whose stream may be destroyed or, as the default stream per thread, mean
// another one. The legacy default stream always exists. Throws load::CudaError.
void end_work(const std::shared_ptr<Device>& device, ForeignWork& work);

class Stream;

// A stream's recording of a graph, or the capture of another library's stream: its work is
// submitted with the graph, later and repeatedly.
struct Recording {
  std::vector<std::shared_ptr<void>> buffers;        // that the work uses, of DeviceBuffer
  std::vector<std::shared_ptr<void>> raise_records;  // of kernels in it that can raise
  std::vector<std::shared_ptr<void>> kept;           // code and other objects that it uses
  std::shared_ptr<Stream> memory_stream;             // allocations are not recorded

  bool is_empty() const { return buffers.empty() && raise_records.empty() && kept.empty(); }
};

class Stream : public std::enable_shared_from_this<Stream> {
 public:
  // kDefault: a thread's own. It keeps no device alive: a simulated one may be removed during the
  // thread's lifetime. kOfCall: for one call, at the end of which it is idle; the device keeps it
  // for others. kRecording: one to be recorded, while the legacy default stream is used. kForeign:
  // another library's, for the duration of one call.
  enum class Kind { kDefault, kOwn, kOfCall, kRecording, kForeign };
  Stream(std::shared_ptr<Device> device, Kind kind);  // throws load::CudaError
  Stream(std::shared_ptr<Device> device, CUstream foreign);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  std::shared_ptr<Device> device() const;
  CUstream handle() const { return handle_; }
  bool is_default() const { return kind_ == Kind::kDefault; }
  // Whether the memory that it uses is ordered between it and other streams without being asked.
  bool is_ordered() const { return kind_ == Kind::kDefault || kind_ == Kind::kForeign; }
  // Throws base::Error (kRuntime) where another library's stream is being captured: work of this
  // one would become part of the graph, or run before it.
  void refuse_captured(CUstream other) const;
  // Whether work of both is in the order of its submission: also that of CUDA's legacy default
  // stream and of blocking ones, which those of this package are.
  bool is_in_order_with(CUstream other) const;
  // Of a foreign stream, else nullptr.
  const std::shared_ptr<ForeignWork>& foreign_work() const { return foreign_; }

  // Null outside of a recording. Another library's stream is asked once, by a call's first use.
  const std::shared_ptr<Recording>& recording() const;
  // Null ends it.
  void set_recording(std::shared_ptr<Recording> recording) { recording_ = std::move(recording); }
  // Throws base::Error (kRuntime) while the stream records, as the next two do.
  void refuse_waiting() const;

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
  void end_foreign_work() noexcept;
  void leave_to_graph() const;

  std::weak_ptr<Device> device_;
  std::shared_ptr<Device> kept_device_;  // except for default streams
  Kind kind_;
  CUstream handle_ = nullptr;
  std::shared_ptr<ForeignWork> foreign_;
  mutable std::shared_ptr<Recording> recording_;
  mutable bool is_asked_ = true;  // whether a recording of another library is known
};

// The stream itself or, of another library, an object for one more call: it may be captured now.
std::shared_ptr<Stream> for_one_call(std::shared_ptr<Stream> stream);

// Order between the stream of a call and those of its operands' libraries: one event for each
// stream, however many operands are on it.
class CallOrder {
 public:
  explicit CallOrder(const std::shared_ptr<Stream>& stream) : stream_(stream) {}
  const std::shared_ptr<Stream>& stream() const { return stream_; }

  // Orders the call after that stream's current work. Throws load::CudaError.
  void wait_for(CUstream other);
  // Likewise, for a stream of another library. Throws base::Error (kRuntime) while it is captured.
  void wait_for_theirs(CUstream other);
  // Orders that stream's later work after the call, which has been submitted.
  void make_wait(CUstream other);

 private:
  bool has_waited_for(CUstream other) const;

  std::shared_ptr<Stream> stream_;
  std::vector<CUstream> waited_for_;
  std::vector<CUstream> made_to_wait_;
  std::unique_ptr<const StreamMark> end_;
};

}  // namespace numpy_plugin::run
