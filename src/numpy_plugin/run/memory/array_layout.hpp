// Layout of an array in its buffer: shape, strides and offset, the latter two in bytes. Views are
// layouts derived from layouts.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace numpy_plugin::run {

enum class ArrayOrder { kC, kFortran };

struct ArrayLayout {
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  std::int64_t offset = 0;  // of the first element
  std::int64_t item_bytes = 1;

  std::int64_t size() const;  // number of elements
  std::int64_t n_bytes() const { return size() * item_bytes; }
  bool is_contiguous(ArrayOrder order) const;
  // Size in bytes of the range from the lowest to the highest element; 0 for no elements.
  std::int64_t lowest_byte() const;
  std::int64_t span_bytes() const;

  bool operator==(const ArrayLayout&) const = default;
};

// Contiguous in C order from offset 0. Throws base::Error (kValue) for a negative dimension and for
// sizes beyond the address space.
ArrayLayout make_layout(std::vector<std::int64_t> shape, std::int64_t item_bytes, ArrayOrder order);

// The same elements without gaps, the axes in their order in memory, so that copies between the two
// have the longest possible runs. Its offset is that of the first element in a block that begins at
// the lowest.
ArrayLayout packed(const ArrayLayout& layout);

// `axes` is a permutation.
ArrayLayout transposed(const ArrayLayout& layout, const std::vector<std::int64_t>& axes);

// The same elements in C order with another shape of the same size; nullopt where strides can't
// express it.
std::optional<ArrayLayout> reshaped(const ArrayLayout& layout,
                                    const std::vector<std::int64_t>& shape);

// Indexes an axis, which is removed; `index` is in bounds.
ArrayLayout selected(ArrayLayout layout, std::size_t axis, std::int64_t index);
// `n` elements of an axis from `start` on, `step` apart.
ArrayLayout sliced(ArrayLayout layout, std::size_t axis, std::int64_t start, std::int64_t step,
                   std::int64_t n);
ArrayLayout with_new_axis(ArrayLayout layout, std::size_t axis);

// Broadcasts the layout of an assignment's values: drops leading axes of size 1, and repeats along
// axes where the target has more, or larger, dimensions. nullopt for incompatible shapes.
std::optional<ArrayLayout> broadcast(ArrayLayout from, const std::vector<std::int64_t>& shape);

}  // namespace numpy_plugin::run
