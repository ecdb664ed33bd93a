#include "numpy_plugin/run/selection/search.hpp"

#include <bit>
#include <string>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/run/forms/device_move.hpp"
#include "numpy_plugin/run/selection/digit_passes.hpp"

namespace numpy_plugin::run {
namespace {

using base::DType;

// Longest rows that a block sorts in shared memory, with half as many threads.
constexpr int kCapacities[] = {64, 256, 1024};

// `name`: argsort_short_rows or sort_short_rows.
TemplateKernel short_rows_kernel(const char* name, DType dtype, int capacity) {
  return {"sort/short_rows.hpp",
          format("npp_{}", name),
          "sort",
          "npp::ShortRowSort",
          format("npp::{}<{}, {}>", name, ordered_type(dtype), capacity),
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

// A kernel that moves keys and positions, and one for each part that extracts the keys.
std::vector<TemplateKernel> argsort_kernels(DType dtype) {
  const std::vector<KeyPart> parts = key_parts(dtype);
  std::vector<TemplateKernel> kernels = {digits_kernel(
      "move_digits",
      format("move_digits<npp::KeysAndPositions<npp::uint{}>>", 8 * parts.front().n_bytes))};
  for (std::size_t part = 0; part < parts.size(); ++part) {
    kernels.push_back(digits_kernel(format("extract_keys_{}", part),
                                    format("extract_keys<{}, {}>", ordered_type(dtype), part)));
  }
  return kernels;
}

std::vector<TemplateKernel> sort_kernels(DType dtype) {
  const std::string type = ordered_type(dtype);
  return {digits_kernel("move_values", format("move_digits<npp::ValuesAlone<{}>>", type)),
          digits_kernel("count_values", format("count_values<{}>", type))};
}

constexpr std::size_t kPositionBytes = 4;

void argsort_long_rows(const std::shared_ptr<Stream>& stream, const DeviceMemory& values,
                       DType dtype, const std::vector<KeyPart>& parts,
                       const DeviceMemory& positions) {
  const std::size_t n_bytes = key_parts(dtype).front().n_bytes;
  const std::size_t buffers[] = {n_bytes, kPositionBytes, n_bytes, kPositionBytes};
  DigitPasses passes(stream, argsort_kernels(dtype), values, n_bytes, buffers);
  const SortedElements elements[] = {{passes.buffer(0), passes.buffer(1)},
                                     {passes.buffer(2), passes.buffer(3)}};
  std::size_t from = 0;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    passes.count(1 + part, parts[part].n_bits, elements[from]);
    for (std::uint32_t i = 0; i < passes.n_passes(); ++i, from = 1 - from)
      passes.move(elements[from], elements[1 - from]);
  }
  cast_on_device(stream, positions, DType::kInt64,
                 passes.buffer_of_rows(2 * from + 1, kPositionBytes), DType::kUInt32);
}

// The values are moved from pass to pass, the last time into the result.
void sort_long_rows(const std::shared_ptr<Stream>& stream, const DeviceMemory& values, DType dtype,
                    const DeviceMemory& sorted) {
  const KeyPart key = key_parts(dtype).front();
  const std::size_t buffers[] = {key.n_bytes};
  DigitPasses passes(stream, sort_kernels(dtype), values, key.n_bytes, buffers);
  SortedElements from = {values.address()};
  passes.count(1, key.n_bits, from);
  for (std::uint32_t left = passes.n_passes(); left > 0; --left) {
    const SortedElements to = {left % 2 == 1 ? sorted.address() : passes.buffer(0)};
    passes.move(from, to);
    from = to;
  }
}

// Returns false for rows that are too long.
bool sort_short_rows(const std::shared_ptr<Stream>& stream, const char* kernel,
                     const DeviceMemory& values, DType dtype, const DeviceMemory& sorted) {
  const std::int64_t n = values.layout.shape[1];
  for (const int capacity : kCapacities) {
    if (n > capacity) continue;
    const npp::ShortRowSort arguments = {values.address(), sorted.address(),
                                         static_cast<std::uint64_t>(n)};
    launch_template(stream, short_rows_kernel(kernel, dtype, capacity), values.layout.shape[0],
                    arguments);
    return true;
  }
  return false;
}

// Returns false if nothing is to be done.
bool prepare(const std::shared_ptr<Stream>& stream, const DeviceMemory& values,
             const DeviceMemory& sorted) {
  if (values.layout.size() == 0) return false;
  const std::int64_t n = values.layout.shape[1];
  if (n >= kMaxSortedRow) {
    throw base::Error(
        base::ErrorKind::kValue,
        format("a row of {} elements can't be sorted on a device; expected fewer than 2^32", n));
  }
  values.buffer->use_on(stream, Access::kRead);
  sorted.buffer->use_on(stream);
  return true;
}

void argsort(const std::shared_ptr<Stream>& stream, const DeviceMemory& values, DType dtype,
             const std::vector<KeyPart>& parts, const DeviceMemory& positions) {
  if (!prepare(stream, values, positions)) return;
  if (sort_short_rows(stream, "argsort_short_rows", values, dtype, positions)) return;
  argsort_long_rows(stream, values, dtype, parts, positions);
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

bool sort_rows(const std::shared_ptr<Stream>& stream, const DeviceMemory& values, DType dtype,
               const DeviceMemory& sorted) {
  if (!prepare(stream, values, sorted)) return true;
  if (sort_short_rows(stream, "sort_short_rows", values, dtype, sorted)) return true;
  if (base::is_complex(dtype)) return false;
  sort_long_rows(stream, values, dtype, sorted);
  return true;
}

}  // namespace numpy_plugin::run
