// Fills by driver calls: words of 1 or 4 bytes in pitched rows. Few elements of several different
// words are copied from the host in one call, others are filled word by word.
#include <cstring>
#include <span>
#include <utility>

#include "numpy_plugin/run/memory/device_copy.hpp"

namespace numpy_plugin::run {
namespace {

using std::int64_t;

// Word size in bytes: address, element size and all strides are multiples of it.
int64_t word_bytes_of(const DeviceMemory& array) {
  int64_t all = array.layout.item_bytes | static_cast<int64_t>(array.address());
  for (const int64_t stride : array.layout.strides) all |= stride;
  return all % 4 == 0 ? 4 : 1;
}

std::uint32_t word_at(const void* element, int64_t word, int64_t word_bytes) {
  std::uint32_t value = 0;
  std::memcpy(&value, static_cast<const std::byte*>(element) + word * word_bytes,
              static_cast<std::size_t>(word_bytes));
  return value;
}

bool has_equal_words(const void* element, int64_t n_words, int64_t word_bytes) {
  for (int64_t word = 1; word < n_words; ++word) {
    if (word_at(element, word, word_bytes) != word_at(element, 0, word_bytes)) return false;
  }
  return true;
}

// `width` contiguous words, repeated `height` times at a pitch.
struct Rows {
  CUdeviceptr begin = 0;
  int64_t width = 1;
  int64_t height = 1;
  int64_t pitch = 0;
};

void fill_rows(const DeviceMemory& array, CUstream stream, const Rows& rows, std::uint32_t value) {
  const load::Driver& driver = array.buffer->device()->driver();
  const auto width = static_cast<std::size_t>(rows.width);
  const auto height = static_cast<std::size_t>(rows.height);
  const auto pitch = static_cast<std::size_t>(rows.pitch);
  const auto byte = static_cast<unsigned char>(value);
  const bool is_one = height == 1;
  const CUresult result =
      word_bytes_of(array) == 4
          ? (is_one ? driver.cuMemsetD32Async(rows.begin, value, width, stream)
                    : driver.cuMemsetD2D32Async(rows.begin, pitch, value, width, height, stream))
          : (is_one ? driver.cuMemsetD8Async(rows.begin, byte, width, stream)
                    : driver.cuMemsetD2D8Async(rows.begin, pitch, byte, width, height, stream));
  driver.check(result, "to fill device memory");
}

// Rows of one pitched block for elements with differing words: one word of each element.
std::vector<Rows> element_rows(const CopyPlan& plan, CUdeviceptr begin, int64_t item_bytes) {
  if (plan.row_bytes == item_bytes) return {{begin, 1, plan.n_rows, plan.to_pitch}};
  std::vector<Rows> rows;
  for (int64_t row = 0; row < plan.n_rows; ++row) {
    rows.push_back({begin + static_cast<CUdeviceptr>(row * plan.to_pitch), 1,
                    plan.row_bytes / item_bytes, item_bytes});
  }
  return rows;
}

// As many bytes as the driver takes from the host at once, without waiting for the stream.
constexpr int64_t kMostCopiedBytes = 1 << 16;

// A captured copy would read the host's memory when the graph is launched.
bool may_be_captured(const Stream& stream, const load::Driver& driver) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return driver.cuStreamIsCapturing(stream.handle(), &status) != CUDA_SUCCESS ||
         status != CU_STREAM_CAPTURE_STATUS_NONE;
}

void copy_elements(const load::Driver& driver, CUstream stream, CUdeviceptr begin,
                   std::span<const std::byte> element, int64_t n_bytes) {
  std::vector<std::byte> block;
  block.reserve(static_cast<std::size_t>(n_bytes));
  while (std::ssize(block) < n_bytes) block.insert(block.end(), element.begin(), element.end());
  driver.check(driver.cuMemcpyHtoDAsync(begin, block.data(), block.size(), stream),
               "to fill device memory");
}

}  // namespace

bool is_one_fill(const DeviceMemory& array, const void* element) {
  if (array.layout.size() == 0) return true;
  const CopyPlan plan = plan_copy(array.layout, array.layout);
  const int64_t word_bytes = word_bytes_of(array);
  return plan.n_calls() == 1 && plan.n_rows == 1 &&
         has_equal_words(element, array.layout.item_bytes / word_bytes, word_bytes);
}

void fill(const std::shared_ptr<Stream>& stream, const DeviceMemory& array, const void* element) {
  if (array.layout.size() == 0) return;
  const CurrentContext current(*array.buffer->device());
  array.buffer->use_on(stream);
  const int64_t item_bytes = array.layout.item_bytes;
  const int64_t word_bytes = word_bytes_of(array);
  const int64_t n_words = item_bytes / word_bytes;
  const bool is_even = has_equal_words(element, n_words, word_bytes);
  const CopyPlan plan = plan_copy(array.layout, array.layout);
  const bool is_one_block = plan.n_calls() == 1 && plan.n_rows == 1;
  const load::Driver& driver = array.buffer->device()->driver();
  if (!is_even && is_one_block && plan.row_bytes <= kMostCopiedBytes &&
      !may_be_captured(*stream, driver)) {
    const std::span bytes(static_cast<const std::byte*>(element),
                          static_cast<std::size_t>(item_bytes));
    const CUdeviceptr begin = array.buffer->address() + static_cast<CUdeviceptr>(plan.to_offset);
    return copy_elements(driver, stream->handle(), begin, bytes, plan.row_bytes);
  }
  plan.for_each_block([&](int64_t offset, int64_t) {
    const CUdeviceptr begin = array.buffer->address() + static_cast<CUdeviceptr>(offset);
    if (is_even) {
      const Rows rows = {begin, plan.row_bytes / word_bytes, plan.n_rows, plan.to_pitch};
      fill_rows(array, stream->handle(), rows, word_at(element, 0, word_bytes));
      return;
    }
    for (Rows rows : element_rows(plan, begin, item_bytes)) {
      for (int64_t word = 0; word < n_words; ++word) {
        Rows of_word = rows;
        of_word.begin += static_cast<CUdeviceptr>(word * word_bytes);
        fill_rows(array, stream->handle(), of_word, word_at(element, word, word_bytes));
      }
    }
  });
}

void clear(const std::shared_ptr<Stream>& stream, const std::shared_ptr<DeviceBuffer>& buffer,
           std::int64_t offset, std::int64_t n_bytes) {
  constexpr std::uint32_t kZero = 0;
  constexpr auto kWordBytes = static_cast<std::int64_t>(sizeof kZero);
  ArrayLayout words = make_layout({n_bytes / kWordBytes}, kWordBytes, ArrayOrder::kC);
  words.offset = offset;
  fill(stream, {buffer, std::move(words)}, &kZero);
}

}  // namespace numpy_plugin::run
