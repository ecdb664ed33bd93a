// Stream-ordered device memory, and pinned host memory.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "numpy_plugin/run/device/device.hpp"
#include "numpy_plugin/run/device/stream.hpp"
#include "numpy_plugin/system/mutex.hpp"

namespace numpy_plugin::run {

// Memory of another library, which keeps using it.
struct BorrowedMemory {
  CUdeviceptr address = 0;
  std::size_t n_bytes = 0;
  bool is_read_only = false;
  std::optional<CUstream> stream;  // its owner's, where known
  bool is_for_one_call = false;    // the owner proceeds as soon as the buffer is released
  std::shared_ptr<void> owner;     // releases the memory
};

// Kind of access; other libraries wait for work that writes.
enum class Access { kRead, kWrite };

class DeviceBuffer {
 public:
  // `origin` names the buffer in the simulator's messages. Throws load::CudaError (kDeviceMemory).
  DeviceBuffer(const std::shared_ptr<Stream>& stream, std::size_t n_bytes,
               const std::string& origin = {});
  // Orders the stream after the current work of the owner's stream. Releasing the buffer waits for
  // all its users. With is_for_one_call the owner's stream waits instead and, where it is unknown,
  // memory that was only read is kept for as long as needed. Throws load::CudaError.
  DeviceBuffer(const std::shared_ptr<Stream>& stream, BorrowedMemory memory);
  ~DeviceBuffer();  // ordered after all uses of the memory
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  const std::shared_ptr<Device>& device() const { return device_; }
  CUdeviceptr address() const { return address_; }  // 0 for no bytes
  std::size_t n_bytes() const { return n_bytes_; }
  bool is_read_only() const { return borrowed_.is_read_only; }

  // Call before submitting work on this memory. Where either stream is a default one, that work is
  // ordered after all current users of the memory.
  void use_on(const std::shared_ptr<Stream>& stream, Access access = Access::kWrite);
  // The stream to wait for before reading the memory: its last user.
  std::shared_ptr<Stream> last_stream() const;

 private:
  void free() noexcept;
  void give_back() noexcept;

  std::shared_ptr<Device> device_;
  CUdeviceptr address_ = 0;
  std::size_t n_bytes_;
  bool is_from_pool_ = false;
  BorrowedMemory borrowed_;  // without an owner for memory allocated here
  mutable base::Mutex mutex_;
  std::vector<std::shared_ptr<Stream>> users_;  // not empty; guarded by mutex_
  bool is_written_ = false;                     // guarded by mutex_
};

// Pinned host memory, which makes copies asynchronous.
class PinnedBuffer {
 public:
  PinnedBuffer(std::shared_ptr<Device> device, std::size_t n_bytes, const std::string& origin = {});
  ~PinnedBuffer();
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;

  void* data() const { return data_; }

 private:
  std::shared_ptr<Device> device_;
  void* data_ = nullptr;
};

// Whether host memory is pinned, by any library.
bool is_pinned(const Device& device, const void* data);

}  // namespace numpy_plugin::run
