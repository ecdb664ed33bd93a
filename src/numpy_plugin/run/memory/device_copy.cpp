// Plans a copy as few driver calls: axes that are contiguous on both sides are merged, the last two
// become a pitched copy, the others a loop.
#include "numpy_plugin/run/memory/device_copy.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::run {
namespace {

using std::int64_t;

// With more driver calls than this, the bytes between the elements are copied as well, unless there
// are many.
constexpr int64_t kMaxCallsToHost = 16;
constexpr int64_t kMostSpanBytes = int64_t{1} << 28;

// The longest pitch of the driver's copies and fills: CU_DEVICE_ATTRIBUTE_MAX_PITCH of every GPU.
constexpr int64_t kMostPitch = std::numeric_limits<std::int32_t>::max();

// Whether an axis can be the rows of a pitched block. Longer steps are few.
bool is_pitch(int64_t stride, int64_t row_bytes) {
  return stride >= row_bytes && stride <= kMostPitch;
}

std::vector<CopyPlan::Axis> sorted_axes(const ArrayLayout& to, const ArrayLayout& from) {
  std::vector<CopyPlan::Axis> axes;
  for (std::size_t i = 0; i < to.shape.size(); ++i) {
    if (to.shape[i] != 1) axes.push_back({to.shape[i], to.strides[i], from.strides[i]});
  }
  std::stable_sort(axes.begin(), axes.end(), [](const auto& one, const auto& other) {
    return std::abs(one.to_stride) > std::abs(other.to_stride);
  });
  return axes;
}

// Reverses axes that have negative strides on the first side.
void turn_forward(CopyPlan& plan, std::vector<CopyPlan::Axis>& axes) {
  for (CopyPlan::Axis& axis : axes) {
    if (axis.to_stride >= 0) continue;
    plan.to_offset += axis.to_stride * (axis.n - 1);
    plan.from_offset += axis.from_stride * (axis.n - 1);
    axis.to_stride = -axis.to_stride;
    axis.from_stride = -axis.from_stride;
  }
}

std::vector<CopyPlan::Axis> merged(const std::vector<CopyPlan::Axis>& axes) {
  std::vector<CopyPlan::Axis> result;
  for (const CopyPlan::Axis& axis : axes) {
    if (!result.empty()) {
      CopyPlan::Axis& last = result.back();
      if (last.to_stride == axis.n * axis.to_stride &&
          last.from_stride == axis.n * axis.from_stride) {
        last = {last.n * axis.n, axis.to_stride, axis.from_stride};
        continue;
      }
    }
    result.push_back(axis);
  }
  return result;
}

std::string copy_text(const CopyPlan& plan, const char* where) {
  int64_t n_bytes = plan.row_bytes * plan.n_rows;
  for (const CopyPlan::Axis& axis : plan.outer) n_bytes *= axis.n;
  return format("to copy {} bytes {}", n_bytes, where);
}

// The driver's description of one pitched block of a copy.
CUDA_MEMCPY2D pitched(const CopyPlan& plan) {
  CUDA_MEMCPY2D block = {};
  block.WidthInBytes = static_cast<std::size_t>(plan.row_bytes);
  block.Height = static_cast<std::size_t>(plan.n_rows);
  block.srcPitch = static_cast<std::size_t>(plan.n_rows > 1 ? plan.from_pitch : plan.row_bytes);
  block.dstPitch = static_cast<std::size_t>(plan.n_rows > 1 ? plan.to_pitch : plan.row_bytes);
  return block;
}

CUdeviceptr at(CUdeviceptr address, int64_t offset) {
  return address + static_cast<CUdeviceptr>(offset);
}

void copy_span_to_host(Stream& stream, const DeviceMemory& array, std::byte* block) {
  const load::Driver& driver = array.buffer->device()->driver();
  ArrayLayout in_span = array.layout;
  in_span.offset -= array.layout.lowest_byte();
  std::vector<std::byte> span(static_cast<std::size_t>(array.layout.span_bytes()));
  const CopyPlan plan = plan_copy(packed(array.layout), in_span);
  driver.check(
      driver.cuMemcpyDtoHAsync(span.data(), at(array.buffer->address(), array.layout.lowest_byte()),
                               span.size(), stream.handle()),
      copy_text(plan, "from the device"));
  stream.synchronize();
  copy_in_host(plan, block, span.data());
}

}  // namespace

CUdeviceptr DeviceMemory::address() const {
  return layout.size() == 0 ? 0 : at(buffer->address(), layout.offset);
}

bool DeviceMemory::overlaps(const DeviceMemory& other) const {
  const auto begin = [](const DeviceMemory& array) {
    return at(array.buffer->address(), array.layout.lowest_byte());
  };
  const auto end = [&](const DeviceMemory& array) {
    return at(begin(array), array.layout.span_bytes());
  };
  return begin(*this) < end(other) && begin(other) < end(*this);
}

int64_t CopyPlan::n_calls() const {
  int64_t n = 1;
  for (const Axis& axis : outer) n *= axis.n;
  return n;
}

void CopyPlan::for_each_block(const std::function<void(int64_t, int64_t)>& visit) const {
  std::vector<int64_t> index(outer.size(), 0);
  for (int64_t left = n_calls(); left > 0; --left) {
    int64_t to = to_offset;
    int64_t from = from_offset;
    for (std::size_t axis = 0; axis < index.size(); ++axis) {
      to += index[axis] * outer[axis].to_stride;
      from += index[axis] * outer[axis].from_stride;
    }
    visit(to, from);
    for (std::size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] < outer[axis].n) break;
      index[axis] = 0;
    }
  }
}

CopyPlan plan_copy(const ArrayLayout& to, const ArrayLayout& from) {
  NPP_ASSERT(to.shape == from.shape && to.size() > 0, "layouts of one shape, not empty");
  CopyPlan plan;
  plan.to_offset = to.offset;
  plan.from_offset = from.offset;
  plan.row_bytes = to.item_bytes;
  std::vector<CopyPlan::Axis> axes = sorted_axes(to, from);
  turn_forward(plan, axes);
  axes = merged(axes);
  if (!axes.empty() && axes.back().to_stride == to.item_bytes &&
      axes.back().from_stride == to.item_bytes) {
    plan.row_bytes *= axes.back().n;
    axes.pop_back();
  }
  if (!axes.empty() && is_pitch(axes.back().to_stride, plan.row_bytes) &&
      is_pitch(axes.back().from_stride, plan.row_bytes)) {
    plan.n_rows = axes.back().n;
    plan.to_pitch = axes.back().to_stride;
    plan.from_pitch = axes.back().from_stride;
    axes.pop_back();
  }
  plan.outer = std::move(axes);
  return plan;
}

void copy_in_host(const CopyPlan& plan, std::byte* to, const std::byte* from) {
  plan.for_each_block([&](int64_t to_offset, int64_t from_offset) {
    for (int64_t row = 0; row < plan.n_rows; ++row) {
      std::memcpy(to + to_offset + row * plan.to_pitch, from + from_offset + row * plan.from_pitch,
                  static_cast<std::size_t>(plan.row_bytes));
    }
  });
}

void copy_to_host(const std::shared_ptr<Stream>& stream, const DeviceMemory& array, void* block) {
  if (array.layout.size() == 0) return;
  const load::Driver& driver = array.buffer->device()->driver();
  const CurrentContext current(*array.buffer->device());
  array.buffer->use_on(stream, Access::kRead);
  const CopyPlan plan = plan_copy(packed(array.layout), array.layout);
  auto* const to = static_cast<std::byte*>(block);
  if (plan.n_calls() > kMaxCallsToHost && array.layout.span_bytes() <= kMostSpanBytes) {
    stream->refuse_waiting();
    return copy_span_to_host(*stream, array, to);
  }
  plan.for_each_block([&](int64_t to_offset, int64_t from_offset) {
    CUDA_MEMCPY2D copy = pitched(plan);
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = to + to_offset;
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = at(array.buffer->address(), from_offset);
    driver.check(plan.n_rows == 1 ? driver.cuMemcpyDtoHAsync(copy.dstHost, copy.srcDevice,
                                                             copy.WidthInBytes, stream->handle())
                                  : driver.cuMemcpy2DAsync(&copy, stream->handle()),
                 copy_text(plan, "from the device"));
  });
}

void copy_from_host(const std::shared_ptr<Stream>& stream, const DeviceMemory& array,
                    const void* block) {
  if (array.layout.size() == 0) return;
  const load::Driver& driver = array.buffer->device()->driver();
  const CurrentContext current(*array.buffer->device());
  array.buffer->use_on(stream);
  const CopyPlan plan = plan_copy(array.layout, packed(array.layout));
  plan.for_each_block([&](int64_t to_offset, int64_t from_offset) {
    CUDA_MEMCPY2D copy = pitched(plan);
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = at(array.buffer->address(), to_offset);
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = static_cast<const std::byte*>(block) + from_offset;
    driver.check(plan.n_rows == 1 ? driver.cuMemcpyHtoDAsync(copy.dstDevice, copy.srcHost,
                                                             copy.WidthInBytes, stream->handle())
                                  : driver.cuMemcpy2DAsync(&copy, stream->handle()),
                 copy_text(plan, "to the device"));
  });
}

void copy_on_device(const std::shared_ptr<Stream>& stream, const DeviceMemory& to,
                    const DeviceMemory& from) {
  if (to.layout.size() == 0) return;
  const load::Driver& driver = to.buffer->device()->driver();
  const CurrentContext current(*to.buffer->device());
  to.buffer->use_on(stream);
  from.buffer->use_on(stream, Access::kRead);
  const CopyPlan plan = plan_copy(to.layout, from.layout);
  plan.for_each_block([&](int64_t to_offset, int64_t from_offset) {
    CUDA_MEMCPY2D copy = pitched(plan);
    copy.dstMemoryType = copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = at(to.buffer->address(), to_offset);
    copy.srcDevice = at(from.buffer->address(), from_offset);
    driver.check(plan.n_rows == 1 ? driver.cuMemcpyDtoDAsync(copy.dstDevice, copy.srcDevice,
                                                             copy.WidthInBytes, stream->handle())
                                  : driver.cuMemcpy2DAsync(&copy, stream->handle()),
                 copy_text(plan, "on the device"));
  });
}

}  // namespace numpy_plugin::run
