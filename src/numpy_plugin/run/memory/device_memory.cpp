#include "numpy_plugin/run/memory/device_memory.hpp"

#include <algorithm>
#include <utility>

#include "numpy_plugin/run/device/simulated_device.hpp"

namespace numpy_plugin::run {
namespace {

std::string bytes_text(std::size_t n_bytes) { return std::to_string(n_bytes) + " bytes"; }

// Bytes that the device's pool holds unused.
std::size_t idle_pool_bytes(const load::Driver& driver, CUmemoryPool pool) {
  cuuint64_t reserved = 0;
  cuuint64_t used = 0;
  if (driver.cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved) !=
          CUDA_SUCCESS ||
      driver.cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used) != CUDA_SUCCESS) {
    return 0;
  }
  return reserved > used ? reserved - used : 0;
}

CUresult allocate_from_pool(const Device& device, CUstream stream, std::size_t n_bytes,
                            CUdeviceptr* address) {
  const load::Driver& driver = device.driver();
  const CUresult result = driver.cuMemAllocAsync(address, n_bytes, stream);
  CUmemoryPool pool = nullptr;
  if (result != CUDA_ERROR_OUT_OF_MEMORY ||
      driver.cuDeviceGetDefaultMemPool(&pool, device.number()) != CUDA_SUCCESS ||
      idle_pool_bytes(driver, pool) == 0) {
    return result;
  }
  // Idle memory may be fragmented.
  driver.cuCtxSynchronize();
  driver.cuMemPoolTrimTo(pool, 0);
  return driver.cuMemAllocAsync(address, n_bytes, stream);
}

}  // namespace

DeviceBuffer::DeviceBuffer(const std::shared_ptr<Stream>& stream, std::size_t n_bytes,
                           const std::string& origin)
    : device_(stream->device()),
      n_bytes_(n_bytes),
      is_from_pool_(device_->has_memory_pool()),
      users_{stream} {
  if (n_bytes == 0) return;
  const CurrentContext current(*device_);
  const load::Driver& driver = device_->driver();
  const Origin named(*device_, origin);
  const CUresult result = is_from_pool_
                              ? allocate_from_pool(*device_, stream->handle(), n_bytes, &address_)
                              : driver.cuMemAlloc(&address_, n_bytes);
  if (result == CUDA_SUCCESS) return;
  address_ = 0;
  const DeviceInfo& info = device_->info();
  driver.check(result, "to allocate " + bytes_text(n_bytes) + " on '" + info.name + "' (" +
                           bytes_text(info.total_bytes) + " in all)");
}

DeviceBuffer::DeviceBuffer(const std::shared_ptr<Stream>& stream, BorrowedMemory memory)
    : device_(stream->device()),
      address_(memory.address),
      n_bytes_(memory.n_bytes),
      borrowed_(std::move(memory)),
      users_{stream} {
  if (borrowed_.stream) stream->wait_for(*borrowed_.stream);
}

DeviceBuffer::~DeviceBuffer() { borrowed_.owner == nullptr ? free() : give_back(); }

void DeviceBuffer::free() noexcept {
  if (address_ == 0) return;
  const ContextIfAny current(*device_);
  if (!current) return;
  const load::Driver& driver = device_->driver();
  if (!is_from_pool_) {
    driver.cuMemFree(address_);  // synchronizes with the device
    return;
  }
  Stream& last = *users_.back();
  try {
    for (const std::shared_ptr<Stream>& user : users_) last.wait_for(*user);
  } catch (const base::Error&) {  // a lost device: nothing runs on it any more
  }
  driver.cuMemFreeAsync(address_, last.handle());
}

// Ignores errors: a lost device runs nothing any more, so there is nothing to wait for.
void DeviceBuffer::give_back() noexcept {
  for (const std::shared_ptr<Stream>& user : users_) {
    try {
      if (user->is_done()) continue;
      if (borrowed_.is_for_one_call && borrowed_.stream) {
        user->make_wait(*borrowed_.stream);
      } else if (borrowed_.is_for_one_call && !is_written_) {
        user->keep(borrowed_.owner);
      } else {
        user->synchronize();
      }
    } catch (const base::Error&) {
    }
  }
}

void DeviceBuffer::use_on(const std::shared_ptr<Stream>& stream, Access access) {
  const std::lock_guard lock(mutex_);
  is_written_ = is_written_ || access == Access::kWrite;
  if (users_.size() == 1 && users_.front() == stream) return;
  const auto known = std::find(users_.begin(), users_.end(), stream);
  if (known != users_.end() && !stream->is_default()) {
    // Work of a default stream precedes that of all others and was waited for when this one was
    // added.
    std::rotate(known, known + 1, users_.end());
    return;
  }
  for (const std::shared_ptr<Stream>& user : users_) {
    if (user->is_default() || stream->is_default()) stream->wait_for(*user);
  }
  // A default stream is ordered after all others; each of the others still has to be waited for.
  std::erase_if(users_, [&](const std::shared_ptr<Stream>& user) {
    return stream->is_default() || user == stream;
  });
  users_.push_back(stream);
}

std::shared_ptr<Stream> DeviceBuffer::last_stream() const {
  const std::lock_guard lock(mutex_);
  return users_.back();
}

PinnedBuffer::PinnedBuffer(std::shared_ptr<Device> device, std::size_t n_bytes,
                           const std::string& origin)
    : device_(std::move(device)) {
  const CurrentContext current(*device_);
  const Origin named(*device_, origin);
  device_->driver().check(device_->driver().cuMemHostAlloc(
                              &data_, std::max<std::size_t>(n_bytes, 1), CU_MEMHOSTALLOC_PORTABLE),
                          "to allocate " + bytes_text(n_bytes) + " of pinned memory");
}

PinnedBuffer::~PinnedBuffer() {
  const ContextIfAny current(*device_);
  if (current) device_->driver().cuMemFreeHost(data_);
}

bool is_pinned(const Device& device, const void* data) {
  const CurrentContext current(device);
  unsigned type = 0;
  const auto address = reinterpret_cast<CUdeviceptr>(data);
  return device.driver().cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) ==
             CUDA_SUCCESS &&
         type == CU_MEMORYTYPE_HOST;
}

}  // namespace numpy_plugin::run
