// A device of a driver, a GPU or a simulated one: its properties and its context.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "numpy_plugin/load/driver.hpp"
#include "numpy_plugin/system/mutex.hpp"
#include "simulator/api/simulator_interface.hpp"

#include <npp/core/printed_line.hpp>

namespace numpy_plugin::run {

struct DeviceInfo {
  std::string name;  // "NVIDIA H200"
  std::string arch;  // "sm_90"
  std::string uuid;  // "GPU-3f8f...", as $CUDA_VISIBLE_DEVICES and nvidia-smi have it
  int n_multiprocessors = 0;
  std::size_t total_bytes = 0;
};

class Device : public std::enable_shared_from_this<Device> {
 public:
  // Creates no context, which would take device memory. Throws load::CudaError.
  Device(const load::Driver& driver, int ordinal);
  virtual ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const load::Driver& driver() const { return driver_; }
  const DeviceInfo& info() const { return info_; }
  int ordinal() const { return ordinal_; }
  CUdevice number() const { return number_; }  // the driver's handle
  bool is_simulated() const { return driver_.is_simulator; }
  // 0 where the driver does not know the attribute. Asked once. Throws load::CudaError where the
  // driver fails otherwise.
  int attribute(CUdevice_attribute name) const;

  // The primary context, shared by all libraries of the process; retained from the first call on.
  // Throws load::CudaError, also in a child forked from a process that uses CUDA.
  CUcontext context() const;
  // Likewise, for destructors: nullptr where none was created or this process was forked.
  CUcontext context_if_any() const noexcept;
  // The pool of stream-ordered allocations, this package's own; nullptr where the device has none.
  // Throws load::CudaError.
  CUmemoryPool memory_pool() const;
  // Waits for all work submitted to the device.
  void synchronize() const;

  // Code that is used no more: unloaded when the device is waited for, since a kernel may still be
  // running, and nothing can wait while a stream is captured.
  void retire(CUmodule module) noexcept;
  // The number of graphs that this package is recording.
  std::atomic<int>& n_recordings() { return n_recordings_; }

  // Events that order streams. A returned one is taken again: a wait for an event concerns the work
  // recorded until then, whatever is recorded later.
  CUevent take_event();  // throws load::CudaError
  void give_event(CUevent event) noexcept;

  // Blocking streams for a call each. A returned one is idle.
  CUstream take_stream();  // throws load::CudaError
  void give_stream(CUstream stream) noexcept;

  // Pinned host memory of this size, which kernels can write to.
  static constexpr std::size_t kRecordBytes = 64;
  std::byte* take_record();  // throws load::CudaError
  void give_record(std::byte* record) noexcept;

  // Pinned host memory for the lines that kernels print; null where no loaded code prints.
  npp::PrintRing* print_ring();  // throws load::CudaError
  npp::PrintRing* print_ring_if_any() const noexcept { return print_ring_; }

  // Pinned host memory in blocks of one size; returned blocks are kept for later calls.
  std::byte* take_pinned_block(std::size_t n_bytes);  // throws load::CudaError
  void give_pinned_block(std::byte* block) noexcept;

 protected:
  void release_context() noexcept;

 private:
  void free_resources() noexcept;
  CUresult wait_and_unload() const noexcept;

  const load::Driver& driver_;
  int ordinal_;
  CUdevice number_ = 0;
  DeviceInfo info_;
  mutable std::atomic<CUcontext> context_ = nullptr;  // created and released under the lock
  mutable system::Mutex mutex_;                       // also guards the members that follow
  mutable system::Mutex attributes_mutex_;            // guards attributes_
  mutable std::map<CUdevice_attribute, int> attributes_;
  mutable std::optional<CUmemoryPool> memory_pool_;
  std::vector<CUevent> idle_events_;
  std::vector<CUstream> idle_streams_;
  std::vector<std::byte*> record_blocks_;
  std::vector<std::byte*> idle_records_;
  std::vector<std::byte*> pinned_blocks_;
  mutable std::vector<CUmodule> retired_modules_;
  std::atomic<int> n_recordings_ = 0;
  std::atomic<npp::PrintRing*> print_ring_ = nullptr;  // created under the lock
};

// Makes the device's context current in this thread, and restores the previous one. A thread
// without a current context keeps it, as with CUDA's runtime: the next call finds it there. Within
// the scope of another such object for the device nothing is asked.
class CurrentContext {
 public:
  explicit CurrentContext(const Device& device);  // throws load::CudaError
  ~CurrentContext();
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;

 private:
  const load::Driver& driver_;
  CUcontext outer_;  // that of the enclosing object
  bool is_pushed_ = false;
};

CUstream create_stream(const Device& device, unsigned flags);  // throws load::CudaError

// Copies from the host, apart from all streams and what they are ordered with.
CUresult copy_apart(const load::Driver& driver, CUdeviceptr to, const void* from,
                    std::size_t n_bytes);

// Allows this thread the calls that captures of other libraries prohibit and that do not concern
// the captured streams: memory, code, waits for other streams.
class RelaxedCapture {
 public:
  explicit RelaxedCapture(const load::Driver& driver) noexcept;
  ~RelaxedCapture();
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  const load::Driver& driver_;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;  // then the thread's
  bool is_relaxed_;
};

// As CurrentContext, for destructors, which may run after the device was lost or in a forked
// process: then there is nothing left to free.
class ContextIfAny {
 public:
  explicit ContextIfAny(const Device& device) noexcept;
  ~ContextIfAny();
  ContextIfAny(const ContextIfAny&) = delete;
  ContextIfAny& operator=(const ContextIfAny&) = delete;

  explicit operator bool() const { return is_current_; }

 private:
  const load::Driver& driver_;
  bool is_current_ = false;
  bool is_pushed_ = false;
};

}  // namespace numpy_plugin::run
