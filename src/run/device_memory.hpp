// Memory: of a device, in the order of its streams, and pinned memory of the host.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "numpy_plugin/run/device.hpp"
#include "numpy_plugin/run/stream.hpp"

namespace numpy_plugin::run {

class DeviceBuffer {
 public:
  // `origin` names the buffer in the simulator's messages. Throws load::CudaError (kDeviceMemory).
  DeviceBuffer(const std::shared_ptr<Stream>& stream, std::size_t n_bytes,
               const std::string& origin = {});
  ~DeviceBuffer();  // after all that uses the memory
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  const std::shared_ptr<Device>& device() const { return device_; }
  CUdeviceptr address() const { return address_; }  // 0 where there are no bytes
  std::size_t n_bytes() const { return n_bytes_; }

  // To be called before work on this memory is given to a stream. Where either stream is a default
  // one, that work begins after all that uses the memory already.
  void use_on(const std::shared_ptr<Stream>& stream);
  // The stream to wait for before the memory is read: the last that was told to use it.
  std::shared_ptr<Stream> last_stream() const;

 private:
  std::shared_ptr<Device> device_;
  CUdeviceptr address_ = 0;
  std::size_t n_bytes_;
  bool is_from_pool_ = false;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<Stream>> users_;  // not empty; guarded by mutex_
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
