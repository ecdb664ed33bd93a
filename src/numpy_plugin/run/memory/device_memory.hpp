// Stream-ordered device memory, and pinned host memory.
#pragma once

#include <cstddef>
#include <cstdint>
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
  std::optional<CUstream> stream;  // of its owner's work, where known
  bool is_for_one_call = false;    // the owner proceeds as soon as the buffer is released
  std::shared_ptr<void> owner;     // releases the memory
};

// Memory in use by another library.
struct Loan {
  CUstream consumer = nullptr;
  std::uint64_t n_uses = 0;  // of the memory before it
};

// Kind of access; other libraries wait for work that writes.
enum class Access { kRead, kWrite };

class DeviceBuffer : public std::enable_shared_from_this<DeviceBuffer> {
 public:
  // `origin` names the buffer in the simulator's messages. Throws load::CudaError (kDeviceMemory).
  DeviceBuffer(const std::shared_ptr<Stream>& stream, std::size_t n_bytes,
               const std::string& origin = {});
  // The first use waits for the owner's work. Releasing the buffer waits for all its users. With
  // is_for_one_call the owner's stream waits instead and, where it is unknown, memory that was only
  // read is kept for as long as needed.
  DeviceBuffer(std::shared_ptr<Device> device, BorrowedMemory memory);
  ~DeviceBuffer();  // ordered after all uses of the memory
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  const std::shared_ptr<Device>& device() const { return device_; }
  CUdeviceptr address() const { return address_; }  // 0 for no bytes
  std::size_t n_bytes() const { return n_bytes_; }
  bool is_read_only() const { return borrowed_.is_read_only; }

  // Call before submitting work on this memory. The work is ordered after all current users of the
  // memory, except between two streams that the user made. Throws load::CudaError.
  void use_on(const std::shared_ptr<Stream>& stream, Access access = Access::kWrite);
  // Likewise, for all operands of a call.
  void use_in(CallOrder& call, Access access);
  // Orders the owner's later work after a call that has been submitted, where its stream is known.
  void give_back_after(CallOrder& call);
  // A stream to wait for before using the memory, ordered after all its users.
  std::shared_ptr<Stream> last_stream();
  // The stream of another library that all users of the memory are on; nullopt where there is none,
  // or where it may be gone.
  std::optional<CUstream> foreign_stream() const;
  // The stream of another library that owns the memory, where it is known.
  std::optional<CUstream> owner_stream() const { return borrowed_.stream; }
  // Orders a consumer's stream after all users of the memory. Until the memory is taken back, the
  // stream exists and the consumer uses it. Throws load::CudaError.
  Loan lend(CUstream consumer);
  // Orders later uses, and the release, after that stream's current work. `is_last`: nothing else
  // refers to the buffer.
  void take_back(const Loan& loan, bool is_last);

 private:
  // A stream of this package, or work on one of another library.
  struct User {
    std::shared_ptr<Stream> stream;
    std::shared_ptr<ForeignWork> foreign;

    explicit User(const std::shared_ptr<Stream>& on)
        : stream(on->foreign_work() == nullptr ? on : nullptr), foreign(on->foreign_work()) {}
    explicit User(std::shared_ptr<ForeignWork> work) : foreign(std::move(work)) {}
    CUstream stream_handle() const;
    bool is_on(const Stream& other) const;
    bool is_ordered() const { return stream == nullptr || stream->is_ordered(); }
    void make_wait(CallOrder& call) const;
  };

  void allocate(const std::shared_ptr<Stream>& stream, const std::string& origin);
  void free() noexcept;
  void release() noexcept;
  void give_back() noexcept;
  void give_back(const User& user);
  bool is_freed_on_their_stream();

  std::shared_ptr<Device> device_;
  CUdeviceptr address_ = 0;
  std::size_t n_bytes_;
  CUmemoryPool pool_ = nullptr;
  std::shared_ptr<void> allocation_;      // of another library's allocator
  std::shared_ptr<Stream> allocated_on_;  // likewise
  BorrowedMemory borrowed_;               // without an owner for memory allocated here
  mutable system::Mutex mutex_;
  std::vector<User> users_;   // guarded by mutex_
  std::uint64_t n_uses_ = 0;  // likewise
  bool is_written_ = false;   // likewise
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

// Pinned memory for copies between host and device: kept by the device between calls, because
// pinning takes longer than copying.

inline constexpr std::size_t kStagingBytes = std::size_t{8} << 20;

// RAII owner of kStagingBytes. Throws load::CudaError.
class Staging {
 public:
  explicit Staging(std::shared_ptr<Device> device);
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  std::byte* data() const { return data_; }

 private:
  std::shared_ptr<Device> device_;
  std::byte* data_;
};

}  // namespace numpy_plugin::run
