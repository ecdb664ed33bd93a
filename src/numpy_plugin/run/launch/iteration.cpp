#include "numpy_plugin/run/launch/iteration.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::run {
namespace {

std::int64_t count_elements(std::span<const std::int64_t> shape) {
  std::int64_t n_elements = 1;
  bool is_too_large = false;
  for (const std::int64_t size : shape) {
    if (size == 0) return 0;
    is_too_large |= __builtin_mul_overflow(n_elements, size, &n_elements);
  }
  if (is_too_large) {
    throw base::Error(base::ErrorKind::kValue,
                      format("the shape of the call has more than {} elements",
                             std::numeric_limits<std::int64_t>::max()));
  }
  return n_elements;
}

}  // namespace

Iteration::Iteration(std::span<const std::int64_t> shape,
                     std::span<const std::int64_t* const> strides, IterationOrder order)
    : n_operands_(strides.size()), order_(order), n_elements_(count_elements(shape)) {
  NPP_ASSERT(shape.size() <= kMaxDimensions && n_operands_ <= kMaxCallOperands,
             format("{} dimensions, {}", shape.size(), n_operands_));
  std::fill_n(offsets_.begin(), n_operands_, 0);
  if (n_elements_ > 1) {
    read(shape, strides);
    if (order_ == IterationOrder::kMemory) turn_round();
    if (order_ != IterationOrder::kShape) sort();
    merge();
  } else {
    n_dimensions_ = 1;
    sizes_[0] = n_elements_;
    std::fill_n(row(0), n_operands_, 0);
  }
}

void Iteration::read(std::span<const std::int64_t> shape,
                     std::span<const std::int64_t* const> strides) {
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] == 1) continue;
    sizes_[n_dimensions_] = shape[axis];
    std::int64_t* const of_axis = row(n_dimensions_++);
    for (std::size_t operand = 0; operand < n_operands_; ++operand) {
      of_axis[operand] = strides[operand] == nullptr ? 0 : strides[operand][axis];
    }
  }
}

void Iteration::turn_round() {
  for (std::size_t dimension = 0; dimension < n_dimensions_; ++dimension) {
    const std::span<std::int64_t> of_dimension(row(dimension), n_operands_);
    const auto [least, most] = std::minmax_element(of_dimension.begin(), of_dimension.end());
    if (n_operands_ == 0 || *least == 0 || *most > 0) continue;
    for (std::size_t operand = 0; operand < n_operands_; ++operand) {
      offsets_[operand] += of_dimension[operand] * (sizes_[dimension] - 1);
      of_dimension[operand] = -of_dimension[operand];
    }
  }
}

// Insertion sort: dimensions are few, and mostly sorted already. Stable: ties keep the shape's
// order.
void Iteration::sort() {
  for (std::size_t end = 1; end < n_dimensions_; ++end) {
    for (std::size_t i = end; i > 0 && is_inside(i, i - 1); --i) swap(i, i - 1);
  }
}

bool Iteration::is_inside(std::size_t dimension, std::size_t other) const {
  const auto of_dimension = strides(dimension), of_other = strides(other);
  const std::size_t n_sorting = order_ == IterationOrder::kMemory ? n_operands_ : 1;
  for (std::size_t operand = n_sorting; operand-- > 0;) {
    const std::uint64_t one = magnitude(of_dimension[operand]), two = magnitude(of_other[operand]);
    if (one != 0 && two != 0 && one != two) return one < two;
  }
  return false;
}

void Iteration::swap(std::size_t dimension, std::size_t other) {
  std::swap(sizes_[dimension], sizes_[other]);
  std::swap_ranges(row(dimension), row(dimension) + n_operands_, row(other));
}

void Iteration::merge() {
  std::size_t last = 0;
  for (std::size_t next = 1; next < n_dimensions_; ++next) {
    if (continues(next, last)) {
      sizes_[last] *= sizes_[next];
      continue;
    }
    ++last;
    sizes_[last] = sizes_[next];
    std::copy_n(row(next), n_operands_, row(last));
  }
  n_dimensions_ = last + 1;
}

// Whether the outer dimension continues where the inner one ends, in all operands. Products of
// foreign arrays' strides may overflow.
bool Iteration::continues(std::size_t outer, std::size_t inner) const {
  const auto of_outer = strides(outer), of_inner = strides(inner);
  const auto size = static_cast<std::uint64_t>(sizes_[inner]);
  for (std::size_t operand = 0; operand < n_operands_; ++operand) {
    const auto end = static_cast<std::uint64_t>(of_inner[operand]) * size;
    if (end != static_cast<std::uint64_t>(of_outer[operand])) return false;
  }
  return true;
}

}  // namespace numpy_plugin::run
