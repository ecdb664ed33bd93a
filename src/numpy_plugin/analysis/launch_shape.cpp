// Elements per thread: from the widest operand, the inputs' registers and the body's cost.
#include "numpy_plugin/analysis/device_form.hpp"

#include <algorithm>

namespace numpy_plugin::analysis {
namespace {

constexpr int kVectorBytes = 16, kLongVectorBytes = 32;
constexpr int kLongVectorArchitecture = 100;
// All inputs are loaded before the computation: with more registers than this for them, fewer
// threads fit on a multiprocessor.
constexpr std::size_t kInputRegisters = 32;
// The body is unrolled once per element of a thread, which costs compile time and instruction
// cache: upper bound of the total cost.
constexpr int kThreadCost = 16;

// Bytes of each input that a thread has in flight. CUB's DeviceTransform aims at 16 KiB per
// multiprocessor on sm_80, 48 on sm_90, 64 on sm_100; 32 bytes in 2048 threads are 64 KiB per
// input.
struct InFlight {
  int least_architecture;
  std::size_t most_inputs;  // for kernels without function calls
  int n_bytes;
};
constexpr InFlight kInFlight[] = {{90, 1, 64}, {0, 64, 32}};

// Bytes in flight of a thread of the strided form. Narrow elements take a register each, so that
// fewer threads fit, which need more.
constexpr std::size_t kStridedBytes = 32, kNarrowStridedBytes = 48;
constexpr std::size_t kStridedRegisters = 48;
// Of the transposed form. Static shared memory cannot exceed 48 KiB.
constexpr std::size_t kTileLanes = 32, kMostTileBytes = 48 << 10, kTileRegisters = 64;
constexpr std::size_t kFewestStridedItems = 4, kMostStridedItems = 48;

int most_bytes(const declare::TypedKernel& kernel, int cost, int architecture) {
  for (const InFlight& row : kInFlight) {
    const bool is_light = cost == 0 && kernel.signature.inputs.size() <= row.most_inputs;
    if (architecture >= row.least_architecture && (is_light || row.least_architecture == 0))
      return row.n_bytes;
  }
  return kVectorBytes;
}

std::size_t widest(const std::vector<base::DType>& dtypes) {
  std::size_t n_bytes = 1;
  for (const base::DType dtype : dtypes) n_bytes = std::max(n_bytes, base::info(dtype).n_bytes);
  return n_bytes;
}

// Narrow elements are unpacked and take a register each, unless whole words are computed.
std::size_t input_registers(const declare::TypedKernel& kernel,
                            const std::vector<base::DType>& stored, int n_elements) {
  const bool is_packed = has_packed_body(kernel) && stored == stored_types(kernel, {});
  std::size_t n_bytes = 0;
  for (std::size_t i = 0; i < kernel.signature.inputs.size(); ++i)
    n_bytes += std::max<std::size_t>(is_packed ? 1 : 4, base::info(stored[i]).n_bytes);
  return n_bytes * static_cast<std::size_t>(n_elements) / 4;
}

// Bytes that are read for one element, including the mask.
std::size_t read_bytes(const declare::TypedKernel& kernel, const DeviceForm& form,
                       const std::vector<base::DType>& stored) {
  std::size_t n_bytes = form.is_masked ? 1 : 0;
  for (std::size_t i = 0; i < kernel.signature.inputs.size(); ++i)
    n_bytes += base::info(stored[i]).n_bytes;
  return std::max<std::size_t>(n_bytes, 1);
}

std::size_t rounded_up(std::size_t number, std::size_t divisor) {
  return (number + divisor - 1) / divisor * divisor;
}

// Elements of a thread, for enough bytes in flight.
int strided_items(const declare::TypedKernel& kernel, const DeviceForm& form,
                  const std::vector<base::DType>& stored) {
  const std::size_t each = read_bytes(kernel, form, stored);
  const bool is_narrow = each < 4;
  const std::size_t wanted = is_narrow ? kNarrowStridedBytes : kStridedBytes;
  const std::size_t n = rounded_up((wanted + each - 1) / each, kFewestStridedItems);
  return static_cast<int>(std::clamp(n, kFewestStridedItems, kMostStridedItems));
}

// As many vectors of `most` as registers and the body's cost permit.
ThreadWork most_work(const declare::TypedKernel& kernel, const std::vector<base::DType>& stored,
                     int cost, const ThreadWork& most, std::size_t most_registers) {
  for (int n_vectors = most.n_vectors; n_vectors >= 1; n_vectors /= 2) {
    const int n_elements = most.width * n_vectors;
    const bool has_registers =
        n_vectors == 1 || input_registers(kernel, stored, n_elements) <= most_registers;
    if (has_registers && cost * n_elements <= kThreadCost) return {most.width, n_vectors};
  }
  return {};
}

// Bytes of shared memory for the tiles of what is read; templates/npp/cuda/transposed.hpp.
std::size_t tile_bytes(const declare::TypedKernel& kernel, const DeviceForm& form,
                       const std::vector<base::DType>& stored, std::size_t n_items) {
  const auto of_one = [n_items](std::size_t item_bytes) {
    return kTileLanes * (4 * n_items * item_bytes + std::max<std::size_t>(item_bytes, 4));
  };
  std::size_t n_bytes = form.is_masked ? of_one(1) : 0;
  for (std::size_t i = 0; i < kernel.signature.inputs.size(); ++i)
    n_bytes += of_one(base::info(stored[i]).n_bytes);
  return n_bytes;
}

// Work for the transposed form, or one element per thread where it is of no use.
ThreadWork transposed_work(const declare::TypedKernel& kernel, const DeviceForm& form, int cost) {
  const std::vector<base::DType> stored = stored_types(kernel, form);
  const std::size_t each = read_bytes(kernel, form, stored);
  const std::size_t n_items = each >= 4 ? 8 : each == 3 ? 16 : each == 2 ? 24 : 40;
  const int n = static_cast<int>(n_items);
  const bool fits = input_registers(kernel, stored, n) <= kTileRegisters &&
                    tile_bytes(kernel, form, stored, n_items) <= kMostTileBytes;
  return fits && cost * n <= kThreadCost ? ThreadWork{1, n} : ThreadWork{};
}

}  // namespace

std::vector<base::DType> stored_types(const declare::TypedKernel& kernel, const DeviceForm& form) {
  const declare::TypeSignature& signature = kernel.signature;
  const std::size_t n_operands = signature.inputs.size() + signature.outputs.size();
  NPP_ASSERT(form.stored.empty() || form.stored.size() == n_operands, signature.text());
  if (!form.stored.empty()) return form.stored;
  std::vector<base::DType> dtypes;
  for (const declare::OperandType& input : signature.inputs) dtypes.push_back(input.dtype);
  for (const declare::OperandType& output : signature.outputs) dtypes.push_back(output.dtype);
  return dtypes;
}

ThreadWork thread_work(const declare::TypedKernel& kernel, const DeviceForm& form) {
  const KernelTraits kernel_traits = traits(kernel);
  // Loops keep a thread busy; several elements per thread would only leave other threads idle.
  if (kernel.layout || kernel_traits.has_loops) return {};
  const std::vector<base::DType> stored = stored_types(kernel, form);
  const int cost = kernel_traits.cost;
  if (form.launch == LaunchForm::kTransposed) return transposed_work(kernel, form, cost);
  if (form.launch == LaunchForm::kStrided) {
    const int n_items = strided_items(kernel, form, stored);
    return most_work(kernel, stored, cost, {1, n_items}, kStridedRegisters);
  }
  const int n_bytes = most_bytes(kernel, cost, form.architecture);
  const int widest_bytes = static_cast<int>(widest(stored));
  if (has_long_vectors(form)) {
    const ThreadWork most{kLongVectorBytes / widest_bytes, std::max(n_bytes / kLongVectorBytes, 1)};
    const ThreadWork work = most_work(kernel, stored, cost, most, kInputRegisters);
    if (work.width > 1 &&
        input_registers(kernel, stored, work.width * work.n_vectors) <= kInputRegisters)
      return work;
  }
  return most_work(kernel, stored, cost,
                   {kVectorBytes / widest_bytes, std::max(n_bytes / kVectorBytes, 1)},
                   kInputRegisters);
}

bool has_long_vectors(const DeviceForm& form) {
  return form.architecture >= kLongVectorArchitecture && !form.has_short_vectors;
}

bool has_tiles(const declare::TypedKernel& kernel, const DeviceForm& form) {
  return thread_work(kernel, form).n_vectors > 1;
}

LaunchShape launch_shape(const ThreadWork& work) {
  return {kThreads * work.width * work.n_vectors, work.width};
}

}  // namespace numpy_plugin::analysis
