#include "numpy_plugin/run/memory/device_memory.hpp"

#include <algorithm>
#include <utility>

#include "numpy_plugin/run/device/current_device.hpp"
#include "numpy_plugin/run/device/kept_objects.hpp"
#include "numpy_plugin/run/device/simulated_device.hpp"
#include "numpy_plugin/run/memory/allocator.hpp"

namespace numpy_plugin::run {
namespace {

std::string bytes_text(std::size_t n_bytes) { return format("{} bytes", n_bytes); }

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

CUresult allocate_from_pool(const load::Driver& driver, CUmemoryPool pool, CUstream stream,
                            std::size_t n_bytes, CUdeviceptr* address) {
  const CUresult result = driver.cuMemAllocFromPoolAsync(address, n_bytes, pool, stream);
  if (result != CUDA_ERROR_OUT_OF_MEMORY) return result;
  release_kept();
  if (idle_pool_bytes(driver, pool) == 0) return result;
  // Idle memory may be fragmented.
  driver.cuCtxSynchronize();
  driver.cuMemPoolTrimTo(pool, 0);
  return driver.cuMemAllocFromPoolAsync(address, n_bytes, pool, stream);
}

// Memory of a recorded call lives as long as its array or the graph, not from one launch of the
// graph to the next.
const std::shared_ptr<Stream>& allocation_stream(const std::shared_ptr<Stream>& stream) {
  return stream->recording() == nullptr ? stream : stream->recording()->memory_stream;
}

// A stream that exists as long as the memory: this thread's instead of another library's.
std::shared_ptr<Stream> lasting_stream(const std::shared_ptr<Stream>& stream) {
  return stream->foreign_work() == nullptr ? stream : default_stream(stream->device());
}

}  // namespace

DeviceBuffer::DeviceBuffer(const std::shared_ptr<Stream>& stream, std::size_t n_bytes,
                           const std::string& origin)
    : device_(stream->device()), n_bytes_(n_bytes), users_{User(allocation_stream(stream))} {
  if (n_bytes == 0) return;
  const std::shared_ptr<const Allocator> allocator = current_allocator();
  if (allocator == nullptr) {
    allocate(stream, origin);
    return;
  }
  allocated_on_ = lasting_stream(allocation_stream(stream));
  users_.assign(1, User(allocated_on_));
  Allocation allocation = (*allocator)(*device_, n_bytes, allocated_on_->handle());
  address_ = allocation.address;
  allocation_ = std::move(allocation.owner);
}

// From the device's pool.
void DeviceBuffer::allocate(const std::shared_ptr<Stream>& stream, const std::string& origin) {
  const CurrentContext current(*device_);
  pool_ = device_->memory_pool();
  const load::Driver& driver = device_->driver();
  const Origin named(*device_, origin);
  const CUresult result =
      pool_ != nullptr ? allocate_from_pool(driver, pool_, allocation_stream(stream)->handle(),
                                            n_bytes_, &address_)
                       : driver.cuMemAlloc(&address_, n_bytes_);
  if (result == CUDA_SUCCESS) return;
  address_ = 0;
  const DeviceInfo& info = device_->info();
  driver.check(result, format("to allocate {} on '{}' ({} in all)", bytes_text(n_bytes_), info.name,
                              bytes_text(info.total_bytes)));
}

DeviceBuffer::DeviceBuffer(std::shared_ptr<Device> device, BorrowedMemory memory)
    : device_(std::move(device)),
      address_(memory.address),
      n_bytes_(memory.n_bytes),
      borrowed_(std::move(memory)) {
  if (!borrowed_.stream) return;
  auto work = std::make_shared<ForeignWork>(*borrowed_.stream);
  if (!borrowed_.is_for_one_call) {
    // Captured work comes at no time that could be waited for.
    if (Stream(device_, work->stream).recording() != nullptr) return;
    end_work(device_, *work);
  }
  users_.emplace_back(std::move(work));
}

DeviceBuffer::~DeviceBuffer() { borrowed_.owner == nullptr ? free() : give_back(); }

void DeviceBuffer::free() noexcept {
  if (address_ == 0) return;
  const ContextIfAny current(*device_);
  if (!current) return;
  if (allocation_ != nullptr) return release();
  const load::Driver& driver = device_->driver();
  if (pool_ == nullptr) {
    const RelaxedCapture relaxed(driver);
    driver.cuMemFree(address_);  // synchronizes with the device
    return;
  }
  try {
    if (is_freed_on_their_stream()) return;
    driver.cuMemFreeAsync(address_, last_stream()->handle());
  } catch (const base::Error&) {  // a lost device: nothing runs on it any more
    driver.cuMemFreeAsync(address_, nullptr);
  }
}

// Needs no event. Streams of this package are in order with the legacy default stream.
bool DeviceBuffer::is_freed_on_their_stream() {
  const std::optional<CUstream> theirs = foreign_stream();
  if (!theirs || *theirs == CU_STREAM_LEGACY) return false;
  if (device_->driver().cuMemFreeAsync(address_, *theirs) == CUDA_SUCCESS) return true;
  users_.clear();  // a consumer has destroyed its stream
  device_->synchronize();
  return false;
}

// The allocator uses the memory again in the order of the stream that it was allocated on.
void DeviceBuffer::release() noexcept {
  try {
    allocated_on_->wait_for(*last_stream());
  } catch (const base::Error&) {  // a lost device: nothing runs on it any more
  }
  allocation_ = nullptr;
}

// Ignores errors: a lost device runs nothing any more, so there is nothing to wait for.
void DeviceBuffer::give_back() noexcept {
  for (const User& user : users_) {
    try {
      give_back(user);
    } catch (const base::Error&) {
    }
  }
}

void DeviceBuffer::give_back(const User& user) {
  const bool is_known = borrowed_.is_for_one_call && borrowed_.stream;
  if (user.foreign != nullptr && borrowed_.stream == user.foreign->stream) return;
  const std::shared_ptr<Stream> last =
      user.stream != nullptr ? user.stream : default_stream(device_);
  CallOrder order(last);
  if (user.foreign != nullptr) user.make_wait(order);
  if (is_known) {
    last->make_wait(*borrowed_.stream);
  } else if (borrowed_.is_for_one_call && !is_written_) {
    last->keep(borrowed_.owner);
  } else {
    last->synchronize();
  }
}

void DeviceBuffer::give_back_after(CallOrder& call) {
  const bool is_recorded = call.stream()->recording() != nullptr;
  if (!borrowed_.is_for_one_call || !borrowed_.stream || is_recorded) return;
  call.make_wait(*borrowed_.stream);
  const std::lock_guard lock(mutex_);
  users_.clear();
}

CUstream DeviceBuffer::User::stream_handle() const {
  return stream != nullptr ? stream->handle() : foreign->stream;
}

// The handle of a stream that is gone may be another's.
bool DeviceBuffer::User::is_on(const Stream& other) const {
  return stream_handle() == other.handle() && (foreign == nullptr || !foreign->is_over);
}

void DeviceBuffer::User::make_wait(CallOrder& call) const {
  if (stream != nullptr) {
    call.wait_for(stream->handle());
  } else if (!foreign->is_over) {
    call.wait_for_theirs(foreign->stream);
  } else if (foreign->end != nullptr) {
    foreign->end->make_wait(call.stream()->handle());
  }
}

void DeviceBuffer::use_on(const std::shared_ptr<Stream>& stream, Access access) {
  CallOrder order(stream);
  use_in(order, access);
}

void DeviceBuffer::use_in(CallOrder& call, Access access) {
  const std::shared_ptr<Stream>& stream = call.stream();
  if (stream->recording() != nullptr) {
    stream->recording()->buffers.push_back(shared_from_this());
    return;
  }
  const std::lock_guard lock(mutex_);
  ++n_uses_;
  is_written_ = is_written_ || access == Access::kWrite;
  if (users_.size() == 1 && users_.front().stream == stream) return;
  const auto known = std::ranges::find(users_, stream, &User::stream);
  if (known != users_.end() && !stream->is_ordered()) {
    // Work of an ordered stream precedes that of all others and was waited for when this one was
    // added.
    std::rotate(known, known + 1, users_.end());
    return;
  }
  for (const User& user : users_) {
    if (user.is_ordered() || stream->is_ordered()) user.make_wait(call);
  }
  // An ordered stream is ordered after all others; each of the others still has to be waited for.
  std::erase_if(users_,
                [&](const User& user) { return stream->is_ordered() || user.is_on(*stream); });
  users_.emplace_back(stream);
}

std::shared_ptr<Stream> DeviceBuffer::last_stream() {
  std::unique_lock lock(mutex_);
  if (users_.size() == 1 && users_.front().stream != nullptr) return users_.front().stream;
  const bool is_own = !users_.empty() && users_.back().stream != nullptr;
  const std::shared_ptr<Stream> last = is_own ? users_.back().stream : default_stream(device_);
  CallOrder order(last);
  for (const User& user : users_) {
    if (!user.is_on(*last)) user.make_wait(order);
  }
  users_.assign(1, User(last));
  return last;
}

std::optional<CUstream> DeviceBuffer::foreign_stream() const {
  const std::lock_guard lock(mutex_);
  if (users_.size() != 1 || users_.front().foreign == nullptr) return std::nullopt;
  const ForeignWork& work = *users_.front().foreign;
  return work.is_over ? std::nullopt : std::optional(work.stream);
}

Loan DeviceBuffer::lend(CUstream consumer) {
  if (foreign_stream() != consumer) {
    const auto there = std::make_shared<Stream>(device_, consumer);
    if (there->recording() != nullptr) {
      there->recording()->buffers.push_back(shared_from_this());
      return {};
    }
    last_stream()->make_wait(consumer);
    const std::lock_guard lock(mutex_);
    return {consumer, n_uses_};
  }
  // The work of a call that ends now; the consumer's stream still exists.
  const std::lock_guard lock(mutex_);
  users_.assign(1, User(std::make_shared<ForeignWork>(consumer)));
  return {consumer, n_uses_};
}

void DeviceBuffer::take_back(const Loan& loan, bool is_last) {
  const auto there = std::make_shared<Stream>(device_, loan.consumer);
  if (there->recording() != nullptr) {
    // The graph outlasts the consumer's work before it.
    there->recording()->buffers.push_back(shared_from_this());
    const std::lock_guard lock(mutex_);
    std::erase_if(users_, [&](const User& user) { return user.is_on(*there); });
    return;
  }
  auto work = std::make_shared<ForeignWork>(loan.consumer);
  if (!is_last) end_work(device_, *work);
  const std::lock_guard lock(mutex_);
  if (n_uses_ == loan.n_uses) users_.clear();  // the consumer has waited for them
  users_.emplace_back(std::move(work));
}

PinnedBuffer::PinnedBuffer(std::shared_ptr<Device> device, std::size_t n_bytes,
                           const std::string& origin)
    : device_(std::move(device)) {
  const CurrentContext current(*device_);
  const RelaxedCapture relaxed(device_->driver());
  const Origin named(*device_, origin);
  device_->driver().check(device_->driver().cuMemHostAlloc(
                              &data_, std::max<std::size_t>(n_bytes, 1), CU_MEMHOSTALLOC_PORTABLE),
                          format("to allocate {} of pinned memory", bytes_text(n_bytes)));
}

PinnedBuffer::~PinnedBuffer() {
  const ContextIfAny current(*device_);
  if (!current) return;
  const RelaxedCapture relaxed(device_->driver());
  device_->driver().cuMemFreeHost(data_);
}

bool is_pinned(const Device& device, const void* data) {
  const CurrentContext current(device);
  unsigned type = 0;
  const auto address = reinterpret_cast<CUdeviceptr>(data);
  return device.driver().cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) ==
             CUDA_SUCCESS &&
         type == CU_MEMORYTYPE_HOST;
}

Staging::Staging(std::shared_ptr<Device> device)
    : device_(std::move(device)), data_(device_->take_pinned_block(kStagingBytes)) {}

Staging::~Staging() { device_->give_pinned_block(data_); }

}  // namespace numpy_plugin::run
