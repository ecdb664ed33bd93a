// Destructors ignore the driver's result: freeing fails only when the device is lost or the driver
// is shutting down, and the next call reports the former.
#include "numpy_plugin/run/device/device.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <new>
#include <utility>

#include "numpy_plugin/run/device/device_module.hpp"
#include "numpy_plugin/run/device/kept_objects.hpp"

namespace numpy_plugin::run {
namespace {

CUdevice device_number(const load::Driver& driver, int ordinal) {
  CUdevice device = 0;
  driver.check(driver.cuDeviceGet(&device, ordinal), format("to find device {}", ordinal));
  return device;
}

int required_attribute(const load::Driver& driver, CUdevice_attribute name, CUdevice device) {
  int value = 0;
  driver.check(driver.cuDeviceGetAttribute(&value, name, device), "to read a device's properties");
  return value;
}

// "GPU-", and the bytes as groups of hexadecimal digits.
std::string uuid_text(const CUuuid& uuid) {
  std::string text = "GPU";
  for (std::size_t index = 0; index < sizeof uuid.bytes; ++index) {
    const bool begins_group = index == 0 || (index >= 4 && index <= 10 && index % 2 == 0);
    std::array<char, 4> digits = {};
    std::snprintf(digits.data(), digits.size(), begins_group ? "-%02x" : "%02x",
                  static_cast<unsigned char>(uuid.bytes[index]));
    text += digits.data();
  }
  return text;
}

DeviceInfo describe(const load::Driver& driver, CUdevice device) {
  std::array<char, 256> name = {};
  DeviceInfo info;
  driver.check(driver.cuDeviceGetName(name.data(), static_cast<int>(name.size()) - 1, device),
               "to read a device's name");
  driver.check(driver.cuDeviceTotalMem(&info.total_bytes, device), "to read a device's memory");
  CUuuid uuid = {};
  driver.check(driver.cuDeviceGetUuid(&uuid, device), "to read a device's UUID");
  info.name = name.data();
  info.uuid = uuid_text(uuid);
  const auto attribute = [&](CUdevice_attribute key) {
    return required_attribute(driver, key, device);
  };
  info.arch = format("sm_{}{}", attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                     attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  info.n_multiprocessors = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  return info;
}

// Freed memory remains in the pool: getting it from the system again costs more than a kernel. The
// device's default pool belongs to the whole process.
CUmemoryPool make_pool(const load::Driver& driver, int ordinal) {
  CUmemPoolProps properties = {};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = ordinal};
  CUmemoryPool pool = nullptr;
  driver.check(driver.cuMemPoolCreate(&pool, &properties), "to create a memory pool");
  cuuint64_t everything = std::numeric_limits<cuuint64_t>::max();
  driver.cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &everything);
  return pool;
}

npp::PrintRing* make_print_ring(const load::Driver& driver) {
  constexpr const char* kTask = "to allocate memory for the lines that kernels print";
  void* block = nullptr;
  driver.check(driver.cuMemHostAlloc(&block, sizeof(npp::PrintRing),
                                     CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP),
               kTask);
  auto* const ring = new (block) npp::PrintRing{};
  CUdeviceptr n_written = 0;
  CUresult result = driver.cuMemAlloc(&n_written, sizeof *ring->n_written);
  if (result == CUDA_SUCCESS) {
    result = copy_apart(driver, n_written, &ring->n_read, sizeof ring->n_read);  // 0
  }
  if (result != CUDA_SUCCESS) {
    driver.cuMemFree(n_written);
    driver.cuMemFreeHost(block);
  }
  driver.check(result, kTask);
  ring->n_written = reinterpret_cast<npp::uint64*>(n_written);
  return ring;
}

// One of the kept handles; null where there is none.
template <typename Handle>
Handle take_idle(system::Mutex& mutex, std::vector<Handle>& idle) {
  const std::lock_guard lock(mutex);
  if (idle.empty()) return nullptr;
  const Handle handle = idle.back();
  idle.pop_back();
  return handle;
}

// The context that this thread has entered and not left.
thread_local CUcontext entered_context = nullptr;

}  // namespace

CUstream create_stream(const Device& device, unsigned flags) {
  const CurrentContext current(device);
  const RelaxedCapture relaxed(device.driver());
  CUstream stream = nullptr;
  device.driver().check(device.driver().cuStreamCreate(&stream, flags), "to create a stream");
  return stream;
}

CUresult copy_apart(const load::Driver& driver, CUdeviceptr to, const void* from,
                    std::size_t n_bytes) {
  CUstream stream = nullptr;
  CUresult result = driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
  if (result != CUDA_SUCCESS) return result;
  result = driver.cuMemcpyHtoDAsync(to, from, n_bytes, stream);
  if (result == CUDA_SUCCESS) result = driver.cuStreamSynchronize(stream);
  driver.cuStreamDestroy(stream);
  return result;
}

Device::Device(const load::Driver& driver, int ordinal)
    : driver_(driver),
      ordinal_(ordinal),
      number_(device_number(driver, ordinal)),
      info_(describe(driver, number_)) {}

Device::~Device() { release_context(); }

int Device::attribute(CUdevice_attribute name) const {
  const std::lock_guard lock(attributes_mutex_);
  if (const auto known = attributes_.find(name); known != attributes_.end()) return known->second;
  int value = 0;
  const CUresult result = driver_.cuDeviceGetAttribute(&value, name, number_);
  if (result == CUDA_ERROR_INVALID_VALUE) value = 0;
  if (result != CUDA_ERROR_INVALID_VALUE) driver_.check(result, "to read a device's properties");
  return attributes_.emplace(name, value).first->second;
}

CUcontext Device::context() const {
  if (!driver_.is_of_this_process()) {
    driver_.fail(CUDA_ERROR_NOT_INITIALIZED, format("to use '{}'", info_.name));
  }
  if (const CUcontext context = context_; context != nullptr) return context;
  const std::lock_guard lock(mutex_);
  if (context_ == nullptr) {
    CUcontext context = nullptr;
    driver_.check(driver_.cuDevicePrimaryCtxRetain(&context, number_),
                  format("to create a context on '{}'", info_.name));
    context_ = context;
  }
  return context_;
}

CUcontext Device::context_if_any() const noexcept {
  return driver_.is_of_this_process() ? context_.load() : nullptr;
}

std::byte* Device::take_pinned_block(std::size_t n_bytes) {
  if (std::byte* const idle = take_idle(mutex_, pinned_blocks_)) return idle;
  const CurrentContext current(*this);
  const RelaxedCapture relaxed(driver_);
  void* block = nullptr;
  driver_.check(driver_.cuMemHostAlloc(&block, n_bytes, CU_MEMHOSTALLOC_PORTABLE),
                format("to allocate {} bytes of pinned memory", n_bytes));
  return static_cast<std::byte*>(block);
}

void Device::give_pinned_block(std::byte* block) noexcept {
  const std::lock_guard lock(mutex_);
  pinned_blocks_.push_back(block);
}

CUevent Device::take_event() {
  if (const CUevent idle = take_idle(mutex_, idle_events_)) return idle;
  const CurrentContext current(*this);
  CUevent event = nullptr;
  driver_.check(driver_.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), "to create an event");
  return event;
}

void Device::give_event(CUevent event) noexcept {
  const std::lock_guard lock(mutex_);
  idle_events_.push_back(event);
}

CUstream Device::take_stream() {
  if (const CUstream idle = take_idle(mutex_, idle_streams_)) return idle;
  return create_stream(*this, CU_STREAM_DEFAULT);
}

void Device::give_stream(CUstream stream) noexcept {
  const std::lock_guard lock(mutex_);
  idle_streams_.push_back(stream);
}

std::byte* Device::take_record() {
  constexpr std::size_t kRecordsOfABlock = 1024;
  const std::lock_guard lock(mutex_);
  if (idle_records_.empty()) {
    const CurrentContext current(*this);
    const RelaxedCapture relaxed(driver_);
    void* block = nullptr;
    driver_.check(driver_.cuMemHostAlloc(&block, kRecordsOfABlock * kRecordBytes,
                                         CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP),
                  "to allocate memory for the exceptions of kernels");
    record_blocks_.push_back(static_cast<std::byte*>(block));
    for (std::size_t i = kRecordsOfABlock; i-- > 0;) {
      idle_records_.push_back(record_blocks_.back() + i * kRecordBytes);
    }
  }
  std::byte* const record = idle_records_.back();
  idle_records_.pop_back();
  return record;
}

void Device::give_record(std::byte* record) noexcept {
  const std::lock_guard lock(mutex_);
  idle_records_.push_back(record);
}

npp::PrintRing* Device::print_ring() {
  const std::lock_guard lock(mutex_);
  if (print_ring_ == nullptr) {
    const CurrentContext current(*this);
    const RelaxedCapture relaxed(driver_);
    print_ring_ = make_print_ring(driver_);
  }
  return print_ring_;
}

void Device::free_resources() noexcept {
  const ContextIfAny current(*this);
  if (!current) return;
  if (!retired_modules_.empty()) wait_and_unload();
  if (npp::PrintRing* const ring = print_ring_.exchange(nullptr)) {
    driver_.cuMemFree(reinterpret_cast<CUdeviceptr>(ring->n_written));
    driver_.cuMemFreeHost(ring);
  }
  for (std::byte* block : pinned_blocks_) driver_.cuMemFreeHost(block);
  for (std::byte* block : record_blocks_) driver_.cuMemFreeHost(block);
  for (const CUevent event : idle_events_) driver_.cuEventDestroy(event);
  for (const CUstream stream : idle_streams_) driver_.cuStreamDestroy(stream);
  if (memory_pool_.value_or(nullptr) != nullptr) driver_.cuMemPoolDestroy(*memory_pool_);
}

void Device::release_context() noexcept {
  const CUcontext context = context_if_any();
  if (context == nullptr) return;
  free_resources();
  CUcontext current = nullptr;
  driver_.cuCtxGetCurrent(&current);
  if (current == context) driver_.cuCtxSetCurrent(nullptr);
  driver_.cuDevicePrimaryCtxRelease(number_);
  const std::lock_guard lock(mutex_);
  context_ = nullptr;
}

CUmemoryPool Device::memory_pool() const {
  const std::lock_guard lock(mutex_);
  if (!memory_pool_) {
    const bool has_pools = attribute(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED) != 0;
    const RelaxedCapture relaxed(driver_);
    memory_pool_ = has_pools ? make_pool(driver_, ordinal_) : nullptr;
  }
  return *memory_pool_;
}

void Device::retire(CUmodule module) noexcept {
  constexpr std::size_t kMostRetired = 256;
  bool has_many = false;
  {
    const std::lock_guard lock(mutex_);
    retired_modules_.push_back(module);
    has_many = retired_modules_.size() > kMostRetired;
  }
  if (has_many && n_recordings_ == 0) wait_and_unload();
}

// Code that is retired during the wait may be running.
CUresult Device::wait_and_unload() const noexcept {
  std::vector<CUmodule> unused;
  {
    const std::lock_guard lock(mutex_);
    unused.swap(retired_modules_);
  }
  const CUresult result = driver_.cuCtxSynchronize();
  if (result == CUDA_SUCCESS) {
    for (const CUmodule module : unused) driver_.cuModuleUnload(module);
  } else {
    const std::lock_guard lock(mutex_);
    retired_modules_.insert(retired_modules_.end(), unused.begin(), unused.end());
  }
  return result;
}

void Device::synchronize() const {
  const CurrentContext current(*this);
  driver_.check(wait_and_unload(), format("during synchronization of '{}'", info_.name));
  show_printed(*this);
  release_kept();
}

CurrentContext::CurrentContext(const Device& device)
    : driver_(device.driver()), outer_(entered_context) {
  const CUcontext context = device.context();
  if (outer_ == context) return;
  CUcontext current = nullptr;
  if (driver_.cuCtxGetCurrent(&current) != CUDA_SUCCESS || current != context) {
    is_pushed_ = current != nullptr;
    driver_.check(is_pushed_ ? driver_.cuCtxPushCurrent(context) : driver_.cuCtxSetCurrent(context),
                  "to enter its context");
  }
  entered_context = context;
}

CurrentContext::~CurrentContext() {
  entered_context = outer_;
  CUcontext popped = nullptr;
  if (is_pushed_) driver_.cuCtxPopCurrent(&popped);
}

RelaxedCapture::RelaxedCapture(const load::Driver& driver) noexcept
    : driver_(driver),
      is_relaxed_(driver.cuThreadExchangeStreamCaptureMode(&mode_) == CUDA_SUCCESS) {}

RelaxedCapture::~RelaxedCapture() {
  if (is_relaxed_) driver_.cuThreadExchangeStreamCaptureMode(&mode_);
}

ContextIfAny::ContextIfAny(const Device& device) noexcept : driver_(device.driver()) {
  const CUcontext context = device.context_if_any();
  if (context == nullptr) return;
  CUcontext current = entered_context;
  if (current != context) driver_.cuCtxGetCurrent(&current);
  is_pushed_ = current != context && driver_.cuCtxPushCurrent(context) == CUDA_SUCCESS;
  is_current_ = is_pushed_ || current == context;
}

ContextIfAny::~ContextIfAny() {
  CUcontext popped = nullptr;
  if (is_pushed_) driver_.cuCtxPopCurrent(&popped);
}

}  // namespace numpy_plugin::run
