// Memory: of a device, in the order of its streams, and pinned memory of the host.
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

// Memory of another library, which goes on using it.
struct BorrowedMemory {
  CUdeviceptr address = 0;
  std::size_t n_bytes = 0;
  bool is_read_only = false;
  std::optional<CUstream> stream;  // its owner's, where that is known
  bool is_for_one_call = false;    // the owner goes on as soon as the buffer is gone
  std::shared_ptr<void> owner;     // lets the memory go
};

// Kind of access to memory; other libraries wait for work that writes to it.
enum class Access { kRead, kWrite };

class DeviceBuffer {
 public:
  // `origin` names the buffer in the simulator's messages. Throws load::CudaError (kDeviceMemory).
  DeviceBuffer(const std::shared_ptr<Stream>& stream, std::size_t n_bytes,
               const std::string& origin = {});
  // The stream goes on after all that the owner's stream was asked to do until now. When the buffer
  // goes, this thread waits for what uses the memory. Not so after one call: the owner's stream
  // waits, and where none is known, memory that was only read stays with us for as long as needed.
  // Throws load::CudaError.
  DeviceBuffer(const std::shared_ptr<Stream>& stream, BorrowedMemory memory);
  ~DeviceBuffer();  // after all that uses the memory
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  const std::shared_ptr<Device>& device() const { return device_; }
  CUdeviceptr address() const { return address_; }  // 0 where there are no bytes
  std::size_t n_bytes() const { return n_bytes_; }
  bool is_read_only() const { return borrowed_.is_read_only; }

  // To be called before work on this memory is given to a stream. Where either stream is a default
  // one, that work begins after all that uses the memory already.
  void use_on(const std::shared_ptr<Stream>& stream, Access access = Access::kWrite);
  // The stream to wait for before the memory is read: the last that was told to use it.
  std::shared_ptr<Stream> last_stream() const;

 private:
  void free() noexcept;
  void give_back() noexcept;

  std::shared_ptr<Device> device_;
  CUdeviceptr address_ = 0;
  std::size_t n_bytes_;
  bool is_from_pool_ = false;
  BorrowedMemory borrowed_;  // without an owner: the memory is the buffer's own
  mutable base::Mutex mutex_;
  std::vector<std::shared_ptr<Stream>> users_;  // not empty; guarded by mutex_
  bool is_written_ = false;                     // guarded by mutex_
};

// Memory of the host that copies reach without a detour, so that they need not be waited for.
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

// Whether memory of the host is pinned, by whomever.
bool is_pinned(const Device& device, const void* data);

}  // namespace numpy_plugin::run
