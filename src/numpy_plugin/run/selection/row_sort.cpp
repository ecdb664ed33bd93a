#include "numpy_plugin/run/selection/search.hpp"

#include <bit>
#include <string>
#include <utility>

#include <npp/sort/arguments.hpp>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/run/forms/device_move.hpp"
#include "numpy_plugin/run/selection/template_kernel.hpp"

namespace numpy_plugin::run {
namespace {

using base::DType;

// Longest rows that a block sorts in shared memory, with half as many threads.
constexpr int kCapacities[] = {64, 256, 1024};

std::string cpp_name(DType dtype) { return std::string(base::info(dtype).cpp_name); }

TemplateKernel short_rows_kernel(DType dtype, int capacity) {
  return {"sort/short_rows.hpp",
          "npp_sort_short_rows",
          "sort",
          "npp::ShortRowSort",
          format("npp::sort_short_rows<{}, {}>", cpp_name(dtype), capacity),
          capacity / 2};
}

TemplateKernel digits_kernel(const std::string& name, const std::string& function) {
  return {"sort/digits.hpp", "npp_" + name,      "sort",
          "npp::DigitPass",  "npp::" + function, npp::kSortThreads};
}

// Parts of a dtype's key, the least significant first: see templates/npp/sort/keys.hpp.
struct KeyPart {
  std::size_t n_bytes;
  int n_bits;  // that differ between keys
};

std::vector<KeyPart> key_parts(DType dtype) {
  const std::size_t n_bytes = base::info(dtype).n_bytes;
  if (!base::is_complex(dtype)) return {{n_bytes, dtype == DType::kBool ? 1 : int(8 * n_bytes)}};
  const std::size_t half = n_bytes / 2;
  return {{half, int(8 * half)}, {half, int(8 * half)}, {half, 2}};
}

// Of a radix sort, compiled together.
enum SortKernel : std::size_t { kMoveDigits, kExtractKeys };

std::vector<TemplateKernel> radix_kernels(DType dtype) {
  const std::vector<KeyPart> parts = key_parts(dtype);
  const std::string key = format("<npp::uint{}>", 8 * parts.front().n_bytes);
  std::vector<TemplateKernel> kernels = {digits_kernel("move_digits", "move_digits" + key)};
  for (std::size_t part = 0; part < parts.size(); ++part) {
    kernels.push_back(digits_kernel(format("extract_keys_{}", part),
                                    format("extract_keys<{}, {}>", cpp_name(dtype), part)));
  }
  return kernels;
}

// The passes over rows of one shape.
class RadixSort {
 public:
  RadixSort(std::shared_ptr<Stream> stream, const DeviceMemory& values, DType dtype)
      : stream_(std::move(stream)),
        module_(stream_->device(), radix_kernels(dtype)),
        n_rows_(values.layout.shape[0]) {
    const std::int64_t n = values.layout.shape[1];
    const std::int64_t n_tiles = blocks_of(n, npp::kSortTile);
    const std::size_t n_bytes = key_parts(dtype).front().n_bytes;
    pass_.values = values.address();
    pass_.n = static_cast<std::uint64_t>(n);
    pass_.n_tiles = static_cast<std::uint64_t>(n_tiles);
    for (int i = 0; i < 2; ++i) {
      keys_[i] = reserve(n_rows_ * n * static_cast<std::int64_t>(n_bytes));
      positions_[i] = reserve(n_rows_ * n * kPositionBytes);
    }
    constexpr std::int64_t kStateBytes = 8, kTotalBytes = 4;
    states_ = reserve_cleared((n_rows_ * n_tiles * npp::kDigits + 1) * kStateBytes);
    totals_ =
        reserve_cleared(n_rows_ * static_cast<std::int64_t>(n_bytes) * npp::kDigits * kTotalBytes);
    scratch_ =
        std::make_shared<DeviceBuffer>(stream_, static_cast<std::size_t>(n_reserved_), "a sort");
    pass_.states = scratch_->address() + states_.begin;
    pass_.totals = scratch_->address() + totals_.begin;
  }

  // Sorts by one part of the keys.
  void sort_part(std::size_t part, const KeyPart& size) {
    pass_.n_passes = static_cast<std::uint32_t>(blocks_of(size.n_bits, npp::kDigitBits));
    clear(totals_);
    launch(kExtractKeys + part);
    for (pass_.pass = 0; pass_.pass < pass_.n_passes; ++pass_.pass) {
      clear(states_);
      launch(kMoveDigits);
      from_ = 1 - from_;
    }
  }

  // uint32, in C order.
  DeviceMemory positions() const {
    ArrayLayout layout =
        make_layout({n_rows_, static_cast<std::int64_t>(pass_.n)}, kPositionBytes, ArrayOrder::kC);
    layout.offset = static_cast<std::int64_t>(positions_[from_]);
    return {scratch_, std::move(layout)};
  }

 private:
  static constexpr std::int64_t kPositionBytes = 4;

  // A part of the scratch memory that is set to 0 before launches.
  struct Cleared {
    std::uint64_t begin;
    std::int64_t n_bytes;
  };

  Cleared reserve_cleared(std::int64_t n_bytes) { return {reserve(n_bytes), n_bytes}; }

  void clear(const Cleared& part) const {
    run::clear(stream_, scratch_, static_cast<std::int64_t>(part.begin), part.n_bytes);
  }

  // The offset of a part of the scratch memory.
  std::uint64_t reserve(std::int64_t n_bytes) {
    constexpr std::int64_t kAlignment = 256;
    const std::int64_t offset = n_reserved_;
    n_reserved_ += (n_bytes + kAlignment - 1) / kAlignment * kAlignment;
    return static_cast<std::uint64_t>(offset);
  }

  void launch(std::size_t kernel) {
    pass_.keys = scratch_->address() + keys_[from_];
    pass_.positions = scratch_->address() + positions_[from_];
    pass_.sorted_keys = scratch_->address() + keys_[1 - from_];
    pass_.sorted = scratch_->address() + positions_[1 - from_];
    module_.launch(stream_, kernel, n_rows_ * static_cast<std::int64_t>(pass_.n_tiles), pass_);
  }

  std::shared_ptr<Stream> stream_;
  TemplateModule module_;
  std::int64_t n_rows_;
  npp::DigitPass pass_ = {};
  int from_ = 0;  // of the two buffers, that which is read
  std::int64_t n_reserved_ = 0;
  std::uint64_t keys_[2];       // offsets in the scratch memory
  std::uint64_t positions_[2];  // likewise
  Cleared states_, totals_;
  std::shared_ptr<DeviceBuffer> scratch_;
};

void sort_long_rows(const std::shared_ptr<Stream>& stream, const DeviceMemory& values, DType dtype,
                    const std::vector<KeyPart>& parts, const DeviceMemory& positions) {
  RadixSort sort(stream, values, dtype);
  for (std::size_t part = 0; part < parts.size(); ++part) sort.sort_part(part, parts[part]);
  cast_on_device(stream, positions, DType::kInt64, sort.positions(), DType::kUInt32);
}

bool sort_short_rows(const std::shared_ptr<Stream>& stream, const DeviceMemory& values, DType dtype,
                     const DeviceMemory& positions) {
  const std::int64_t n = values.layout.shape[1];
  for (const int capacity : kCapacities) {
    if (n > capacity) continue;
    const npp::ShortRowSort arguments = {values.address(), positions.address(),
                                         static_cast<std::uint64_t>(n)};
    launch_template(stream, short_rows_kernel(dtype, capacity), values.layout.shape[0], arguments);
    return true;
  }
  return false;
}

void argsort(const std::shared_ptr<Stream>& stream, const DeviceMemory& values, DType dtype,
             const std::vector<KeyPart>& parts, const DeviceMemory& positions) {
  if (values.layout.size() == 0) return;
  const std::int64_t n = values.layout.shape[1];
  if (n >= kMaxSortedRow) {
    throw base::Error(
        base::ErrorKind::kValue,
        format("a row of {} elements can't be sorted on a device; expected fewer than 2^32", n));
  }
  values.buffer->use_on(stream, Access::kRead);
  positions.buffer->use_on(stream);
  if (sort_short_rows(stream, values, dtype, positions)) return;
  sort_long_rows(stream, values, dtype, parts, positions);
}

}  // namespace

void argsort_rows(const std::shared_ptr<Stream>& stream, const DeviceMemory& values, DType dtype,
                  const DeviceMemory& positions) {
  argsort(stream, values, dtype, key_parts(dtype), positions);
}

void argsort_numbers(const std::shared_ptr<Stream>& stream, const DeviceMemory& numbers,
                     std::int64_t limit, const DeviceMemory& positions) {
  const int n_bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(limit)));
  argsort(stream, numbers, DType::kUInt64, {{sizeof(std::uint64_t), n_bits}}, positions);
}

}  // namespace numpy_plugin::run
