#include "numpy_plugin/run/sort/row_sort.hpp"

#include <bit>
#include <string>
#include <utility>

#include <npp/sort/arguments.hpp>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/run/forms/device_cast.hpp"
#include "numpy_plugin/run/select/template_kernel.hpp"

namespace numpy_plugin::run {
namespace {

using base::DType;

// Longest rows that a block sorts in shared memory, with half as many threads.
constexpr int kCapacities[] = {64, 256, 1024};

std::string cpp_name(DType dtype) { return std::string(base::info(dtype).cpp_name); }

TemplateKernel short_rows_kernel(DType dtype, int capacity) {
  return {"sort/short_rows.hpp", "npp_sort_short_rows", "npp::ShortRowSort",
          "npp::sort_short_rows<" + cpp_name(dtype) + ", " + std::to_string(capacity) + ">",
          capacity / 2};
}

TemplateKernel digits_kernel(const std::string& function, const std::string& parameters = "") {
  return {"sort/digits.hpp", "npp_" + function, "npp::DigitPass", "npp::" + function + parameters,
          npp::kSortThreads};
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

std::string unsigned_type(std::size_t n_bytes) { return "npp::uint" + std::to_string(8 * n_bytes); }

// The passes over rows of one shape.
class RadixSort {
 public:
  RadixSort(std::shared_ptr<Stream> stream, const DeviceMemory& values, DType dtype)
      : stream_(std::move(stream)), dtype_(dtype), n_rows_(values.layout.shape[0]) {
    const std::int64_t n = values.layout.shape[1];
    const std::int64_t n_tiles = blocks_of(n, npp::kSortTile);
    const std::size_t n_bytes = key_parts(dtype).front().n_bytes;
    pass_.values = values.address();
    pass_.n = static_cast<std::uint64_t>(n);
    pass_.n_tiles = static_cast<std::uint64_t>(n_tiles);
    for (int i = 0; i < 2; ++i) {
      keys_[i] = allocate(n_rows_ * n * static_cast<std::int64_t>(n_bytes));
      positions_[i] = allocate(n_rows_ * n * kPositionBytes);
    }
    counts_ = allocate(n_rows_ * npp::kDigits * n_tiles * kPositionBytes);
    totals_ = allocate(n_rows_ * npp::kDigits * kPositionBytes);
    pass_.counts = counts_->address();
    pass_.totals = totals_->address();
  }

  // Sorts by one part of the keys.
  void sort_part(std::size_t part, const KeyPart& size) {
    launch(
        digits_kernel("extract_keys", "<" + cpp_name(dtype_) + ", " + std::to_string(part) + ">"));
    for (int shift = 0; shift < size.n_bits; shift += npp::kDigitBits) {
      pass_.shift = static_cast<std::uint64_t>(shift);
      sort_digit("<" + unsigned_type(size.n_bytes) + ">");
    }
  }

  // uint32, in C order.
  const std::shared_ptr<DeviceBuffer>& positions() const { return positions_[from_]; }

 private:
  static constexpr std::int64_t kPositionBytes = 4;

  std::shared_ptr<DeviceBuffer> allocate(std::int64_t n_bytes) const {
    return std::make_shared<DeviceBuffer>(stream_, static_cast<std::size_t>(n_bytes), "a sort");
  }

  void launch(const TemplateKernel& kernel) {
    pass_.keys = keys_[from_]->address();
    pass_.positions = positions_[from_]->address();
    pass_.sorted_keys = keys_[1 - from_]->address();
    pass_.sorted = positions_[1 - from_]->address();
    launch_template(stream_, kernel, n_rows_ * static_cast<std::int64_t>(pass_.n_tiles), pass_);
  }

  void sort_digit(const std::string& key) {
    launch(digits_kernel("count_digits", key));
    launch_template(stream_, digits_kernel("sum_digits"), n_rows_ * npp::kDigits, pass_);
    launch(digits_kernel("move_digits", key));
    from_ = 1 - from_;
  }

  std::shared_ptr<Stream> stream_;
  DType dtype_;
  std::int64_t n_rows_;
  npp::DigitPass pass_ = {};
  int from_ = 0;  // of the two buffers, that which is read
  std::shared_ptr<DeviceBuffer> keys_[2];
  std::shared_ptr<DeviceBuffer> positions_[2];
  std::shared_ptr<DeviceBuffer> counts_;
  std::shared_ptr<DeviceBuffer> totals_;
};

void sort_long_rows(const std::shared_ptr<Stream>& stream, const DeviceMemory& values, DType dtype,
                    const std::vector<KeyPart>& parts, const DeviceMemory& positions) {
  RadixSort sort(stream, values, dtype);
  for (std::size_t part = 0; part < parts.size(); ++part) sort.sort_part(part, parts[part]);
  const DeviceMemory narrow = {sort.positions(),
                               make_layout(values.layout.shape, 4, ArrayOrder::kC)};
  cast_on_device(stream, positions, DType::kInt64, narrow, DType::kUInt32);
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
    throw base::Error(base::ErrorKind::kValue, "a row of " + std::to_string(n) +
                                                   " elements can't be sorted on a device; "
                                                   "expected fewer than 2^32");
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
