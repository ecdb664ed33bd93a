// The dimensions of a call as its kernel goes through them: as few as possible, innermost first.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "numpy_plugin/run/launch/elementwise_call.hpp"

namespace numpy_plugin::run {

// At least one dimension. Uses no heap, and of its storage only what the call needs.
class Iteration {
 public:
  // Dimensions of one element are dropped; the rest are sorted by the sizes of their strides, where
  // operands that come last decide first (outputs come after inputs); dimensions that are one for
  // all operands are merged; one that no operand goes through upwards is turned round.
  // `strides` has one pointer an operand, to a stride in bytes for each dimension of the shape, or
  // null: 0 in all of them. Throws base::Error (kValue) for more than 2^63 - 1 elements.
  Iteration(std::span<const std::int64_t> shape, std::span<const std::int64_t* const> strides);
  Iteration(const Iteration&) = delete;
  Iteration& operator=(const Iteration&) = delete;

  std::size_t n_operands() const { return n_operands_; }
  std::size_t n_dimensions() const { return n_dimensions_; }
  std::int64_t n_elements() const { return n_elements_; }
  std::int64_t size(std::size_t dimension) const { return sizes_[dimension]; }
  // Of all operands in one dimension, in bytes.
  std::span<const std::int64_t> strides(std::size_t dimension) const {
    return {&strides_[dimension * n_operands_], n_operands_};
  }
  // From an operand's first element to the one where the iteration begins, in bytes.
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

  static constexpr std::size_t kMaxCallOperands = kMaxOperands + 1;  // with a mask

  std::size_t n_operands_;
  std::size_t n_dimensions_ = 0;
  std::int64_t n_elements_ = 1;
  // Not initialized: they are large, and mostly unused.
  std::array<std::int64_t, kMaxCallOperands> offsets_;
  std::array<std::int64_t, kMaxDimensions> sizes_;
  std::array<std::int64_t, kMaxDimensions * kMaxCallOperands> strides_;
};

}  // namespace numpy_plugin::run
