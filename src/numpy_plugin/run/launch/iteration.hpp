// Dimensions of a call as its kernel traverses them: as few as possible, innermost first.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "numpy_plugin/run/launch/elementwise_call.hpp"

namespace numpy_plugin::run {

// The stride's distance in either direction, also of the least number.
inline std::uint64_t magnitude(std::int64_t stride) {
  const auto bits = static_cast<std::uint64_t>(stride);
  return stride < 0 ? 0 - bits : bits;
}

// kMemory: elements may be visited in any order. kElements: in their own order within each
// dimension, and the dimensions in that of the first operand's memory. kShape: in C order.
enum class IterationOrder { kMemory, kElements, kShape };

// At least one dimension. Allocates nothing, and initializes only the storage that the call needs.
class Iteration {
 public:
  // Drops dimensions of size 1; sorts the rest by the sizes of their strides, where later operands
  // take precedence (outputs come after inputs); merges dimensions that are contiguous in all
  // operands; reverses those that no operand traverses upwards. `strides` has one pointer per
  // operand, to a stride in bytes for each dimension of the shape, or null: 0 in all of them. With
  // kElements, only the first operand's strides sort, and nothing is reversed; with kShape, nothing
  // is sorted either. Throws base::Error (kValue) for more than 2^63 - 1 elements.
  Iteration(std::span<const std::int64_t> shape, std::span<const std::int64_t* const> strides,
            IterationOrder order = IterationOrder::kMemory);
  Iteration(const Iteration&) = delete;
  Iteration& operator=(const Iteration&) = delete;

  std::size_t n_operands() const { return n_operands_; }
  std::size_t n_dimensions() const { return n_dimensions_; }
  std::int64_t n_elements() const { return n_elements_; }
  std::int64_t size(std::size_t dimension) const { return sizes_[dimension]; }
  // Strides of all operands in one dimension, in bytes.
  std::span<const std::int64_t> strides(std::size_t dimension) const {
    return {&strides_[dimension * n_operands_], n_operands_};
  }
  // Bytes from an operand's first element to the one where the iteration begins.
  std::int64_t offset(std::size_t operand) const { return offsets_[operand]; }

 private:
  void read(std::span<const std::int64_t> shape, std::span<const std::int64_t* const> strides);
  void turn_round();
  void sort();
  void merge();
  std::int64_t* row(std::size_t dimension) { return &strides_[dimension * n_operands_]; }
  bool is_inside(std::size_t dimension, std::size_t other) const;
  bool continues(std::size_t outer, std::size_t inner) const;
  void swap(std::size_t dimension, std::size_t other);

  static constexpr std::size_t kMaxCallOperands = kMaxOperands + 1;  // including a mask

  std::size_t n_operands_;
  IterationOrder order_;
  std::size_t n_dimensions_ = 0;
  std::int64_t n_elements_ = 1;
  // Uninitialized: large and mostly unused.
  std::array<std::int64_t, kMaxCallOperands> offsets_;
  std::array<std::int64_t, kMaxDimensions> sizes_;
  std::array<std::int64_t, kMaxDimensions * kMaxCallOperands> strides_;
};

}  // namespace numpy_plugin::run
