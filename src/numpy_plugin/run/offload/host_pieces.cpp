#include "numpy_plugin/run/offload/host_call.hpp"

#include <algorithm>
#include <span>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/run/memory/device_copy.hpp"
#include "numpy_plugin/system/threads/thread_pool.hpp"

namespace numpy_plugin::run {
namespace {

std::int64_t product(std::span<const std::int64_t> sizes) {
  std::int64_t result = 1;
  for (const std::int64_t n : sizes) result *= n;
  return result;
}

bool is_cut(const HostCallOperand& operand, std::size_t n_outer_axes) {
  if (operand.is_output) return true;  // even with a single element
  return !operand.is_value &&
         std::any_of(operand.strides.begin(),
                     operand.strides.begin() + static_cast<std::ptrdiff_t>(n_outer_axes),
                     [](std::int64_t stride) { return stride != 0; });
}

// Bytes of all operands that differ between pieces, per step of `axis`.
std::size_t bytes_of_step(const HostCall& call, std::size_t axis) {
  std::size_t n_bytes = 0;
  for (const HostCallOperand& operand : call.operands) {
    if (!is_cut(operand, axis + 1)) continue;
    std::size_t n_items = 1;
    for (std::size_t inner = axis + 1; inner < call.shape.size(); ++inner)
      if (operand.strides[inner] != 0) n_items *= static_cast<std::size_t>(call.shape[inner]);
    n_bytes += n_items * base::info(operand.dtype).n_bytes;
  }
  return n_bytes;
}

ArrayLayout packed_in_c_order(const ArrayLayout& layout) {
  return make_layout(layout.shape, layout.item_bytes, ArrayOrder::kC);
}

// Steps of an axis.
ArrayLayout part_of(ArrayLayout layout, std::size_t axis, std::int64_t begin, std::int64_t length) {
  layout.offset += begin * layout.strides[axis];
  layout.shape[axis] = length;
  return layout;
}

// By several threads where that is long: one of them does not read as fast as a bus.
void copy_by_threads(const ArrayLayout& to_layout, std::byte* to, const ArrayLayout& from_layout,
                     const std::byte* from) {
  constexpr std::int64_t kBytesOfThread = std::int64_t{1} << 19;
  const auto& shape = to_layout.shape;
  const auto axis =
      static_cast<std::size_t>(std::max_element(shape.begin(), shape.end()) - shape.begin());
  const std::int64_t n = shape.empty() ? 1 : shape[axis];
  const std::int64_t n_parts = std::min({static_cast<std::int64_t>(system::n_threads()), n,
                                         1 + to_layout.n_bytes() / kBytesOfThread});
  if (n_parts == 1) return copy_in_host(plan_copy(to_layout, from_layout), to, from);
  system::run_parallel(static_cast<std::size_t>(n_parts), [&](std::size_t number) {
    const auto part = static_cast<std::int64_t>(number);
    const std::int64_t begin = n * part / n_parts, end = n * (part + 1) / n_parts;
    copy_in_host(plan_copy(part_of(to_layout, axis, begin, end - begin),
                           part_of(from_layout, axis, begin, end - begin)),
                 to, from);
  });
}

}  // namespace

void HostBlock::gather(std::byte* packed) const {
  copy_by_threads(packed_in_c_order(layout), packed, layout, data);
}

void HostBlock::scatter(const std::byte* packed) const {
  copy_by_threads(layout, data, packed_in_c_order(layout), packed);
}

PieceCut cut_into_pieces(const HostCall& call, std::size_t most_bytes) {
  NPP_ASSERT(product(call.shape) > 0, "a call of no elements has no pieces");
  for (std::size_t axis = 0; axis < call.shape.size(); ++axis) {
    const std::size_t step = bytes_of_step(call, axis);
    const bool is_innermost = axis + 1 == call.shape.size();
    if (step > most_bytes && !is_innermost) continue;
    const auto most = static_cast<std::int64_t>(most_bytes / std::max<std::size_t>(step, 1));
    return {axis, std::clamp<std::int64_t>(most, 1, call.shape[axis])};
  }
  return {0, 1};  // one element
}

bool is_shared(const HostCall& call, const HostCallOperand& operand, const PieceCut& cut) {
  if (operand.is_value || call.shape.empty()) return false;
  return !is_cut(operand, cut.axis + 1);
}

std::int64_t count_pieces(const HostCall& call, const PieceCut& cut) {
  if (call.shape.empty()) return 1;
  const std::span<const std::int64_t> outer(call.shape.data(), cut.axis);
  return product(outer) * ((call.shape[cut.axis] + cut.length - 1) / cut.length);
}

void for_each_piece(const HostCall& call, const PieceCut& cut,
                    const std::function<void(const Piece&)>& visit) {
  Piece piece{std::vector<std::int64_t>(call.shape.size(), 0), call.shape};
  if (call.shape.empty()) return visit(piece);
  for (std::size_t axis = 0; axis < cut.axis; ++axis) piece.shape[axis] = 1;
  const std::int64_t n_pieces = count_pieces(call, cut);
  for (std::int64_t i = 0; i < n_pieces; ++i) {
    piece.shape[cut.axis] = std::min(cut.length, call.shape[cut.axis] - piece.begin[cut.axis]);
    visit(piece);
    piece.begin[cut.axis] += cut.length;
    for (std::size_t axis = cut.axis; axis > 0 && piece.begin[axis] >= call.shape[axis]; --axis) {
      piece.begin[axis] = 0;
      ++piece.begin[axis - 1];
    }
  }
}

HostBlock block_of(const HostCallOperand& operand, const Piece& piece) {
  const auto item_bytes = static_cast<std::int64_t>(base::info(operand.dtype).n_bytes);
  HostBlock block{operand.data, {piece.shape, operand.strides, 0, item_bytes}};
  for (std::size_t axis = 0; axis < piece.shape.size(); ++axis) {
    block.layout.offset += piece.begin[axis] * operand.strides[axis];
    if (operand.strides[axis] == 0) block.layout.shape[axis] = 1;
  }
  return block;
}

}  // namespace numpy_plugin::run
