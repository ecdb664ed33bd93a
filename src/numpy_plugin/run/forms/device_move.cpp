#include "numpy_plugin/run/forms/device_move.hpp"

#include <cstring>
#include <optional>

#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::run {
namespace {

using base::DType;

// Fewer elements are not worth a compilation.
constexpr std::int64_t kFewElements = 1 << 14;

// From this length on, the driver's pitched copies are as fast as a kernel.
constexpr std::int64_t kLongRow = 256;

// A dtype of the item size, whose kernel moves the bytes unchanged.
std::optional<DType> dtype_of_size(std::int64_t n_bytes) {
  switch (n_bytes) {
    case 1:
      return DType::kUInt8;
    case 2:
      return DType::kUInt16;
    case 4:
      return DType::kUInt32;
    case 8:
      return DType::kUInt64;
    case 16:
      return DType::kComplex128;
    default:
      return std::nullopt;
  }
}

bool is_aligned(const DeviceMemory& array, std::int64_t n_bytes) {
  std::int64_t all = static_cast<std::int64_t>(array.address());
  for (const std::int64_t stride : array.layout.strides) all |= stride;
  return all % n_bytes == 0;
}

bool is_one_block(const CopyPlan& plan) { return plan.n_calls() == 1 && plan.n_rows == 1; }

bool has_short_rows(const CopyPlan& plan) {
  return !is_one_block(plan) && plan.row_bytes < kLongRow;
}

CUdeviceptr address_at(const DeviceMemory& array, std::int64_t offset) {
  return array.buffer->address() + static_cast<CUdeviceptr>(offset);
}

// Whether a kernel is launched: false where there is no compiler.
template <class Launch>
bool is_launched(const Launch& launch) {
  try {
    launch();
    return true;
  } catch (const base::Error& error) {
    if (error.kind() != base::ErrorKind::kCompiler) throw;
    return false;
  }
}

bool is_moved_by_kernel(const std::shared_ptr<Stream>& stream, const DeviceMemory& to,
                        const DeviceMemory& from) {
  const std::int64_t item_bytes = to.layout.item_bytes;
  const std::optional<DType> dtype = dtype_of_size(item_bytes);
  if (!dtype || to.layout.size() < kFewElements) return false;
  if (!is_aligned(to, item_bytes) || !is_aligned(from, item_bytes)) return false;
  if (!has_short_rows(plan_copy(to.layout, from.layout))) return false;
  return is_launched([&] { launch_cast(stream, to, *dtype, from, *dtype); });
}

DeviceMemory packed_memory(const std::shared_ptr<Stream>& stream, const DeviceMemory& array) {
  ArrayLayout layout = packed(array.layout);
  auto buffer =
      std::make_shared<DeviceBuffer>(stream, static_cast<std::size_t>(layout.n_bytes()), "a copy");
  return {std::move(buffer), std::move(layout)};
}

bool needs_packing(const DeviceMemory& array) {
  return array.layout.size() >= kFewElements &&
         has_short_rows(plan_copy(packed(array.layout), array.layout));
}

}  // namespace

void move_on_device(const std::shared_ptr<Stream>& stream, const DeviceMemory& to,
                    const DeviceMemory& from) {
  if (to.layout.size() == 0 || is_moved_by_kernel(stream, to, from)) return;
  copy_on_device(stream, to, from);
}

void move_to_host(const std::shared_ptr<Stream>& stream, const DeviceMemory& array, void* block) {
  if (!needs_packing(array)) return copy_to_host(stream, array, block);
  const DeviceMemory whole = packed_memory(stream, array);
  move_on_device(stream, whole, array);
  copy_to_host(stream, whole, block);
}

void move_from_host(const std::shared_ptr<Stream>& stream, const DeviceMemory& array,
                    const void* block) {
  if (!needs_packing(array)) return copy_from_host(stream, array, block);
  const DeviceMemory whole = packed_memory(stream, array);
  copy_from_host(stream, whole, block);
  move_on_device(stream, array, whole);
}

// Both devices wait for the other's users of the memory before the copy, and for the copy after it.
void move_between_devices(const std::shared_ptr<Stream>& to_stream, const DeviceMemory& to,
                          const std::shared_ptr<Stream>& from_stream, const DeviceMemory& from) {
  if (to.layout.size() == 0) return;
  const CopyPlan plan = plan_copy(to.layout, from.layout);
  if (!is_one_block(plan)) {
    const DeviceMemory source = packed_memory(from_stream, from);
    const DeviceMemory target = packed_memory(to_stream, from);
    move_on_device(from_stream, source, from);
    move_between_devices(to_stream, target, from_stream, source);
    return move_on_device(to_stream, to, target);
  }
  to.buffer->use_on(to_stream);
  from.buffer->use_on(from_stream, Access::kRead);
  const Device& device = *to_stream->device();
  StreamMark(from_stream->device(), from_stream->handle()).make_wait(to_stream->handle());
  {
    const CurrentContext current(device);
    device.driver().check(device.driver().cuMemcpyPeerAsync(
                              address_at(to, plan.to_offset), device.context(),
                              address_at(from, plan.from_offset), from_stream->device()->context(),
                              static_cast<std::size_t>(plan.row_bytes), to_stream->handle()),
                          format("to copy {} bytes between devices", plan.row_bytes));
  }
  StreamMark(to_stream->device(), to_stream->handle()).make_wait(from_stream->handle());
}

void fill_on_device(const std::shared_ptr<Stream>& stream, const DeviceMemory& array,
                    const void* element) {
  const std::int64_t item_bytes = array.layout.item_bytes;
  const std::optional<DType> dtype = dtype_of_size(item_bytes);
  const bool is_large = dtype && array.layout.size() >= kFewElements;
  const bool is_for_kernel =
      is_large && is_aligned(array, item_bytes) && !is_one_fill(array, element);
  if (is_for_kernel && is_launched([&] { launch_fill(stream, array, *dtype, element); })) return;
  fill(stream, array, element);
}

}  // namespace numpy_plugin::run
