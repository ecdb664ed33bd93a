// Where the elements of an array are in its buffer: shape, strides, offset, all in bytes but for
// the shape. Views are layouts made from layouts.
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

  std::int64_t size() const;  // elements
  std::int64_t n_bytes() const { return size() * item_bytes; }
  bool is_contiguous(ArrayOrder order) const;
  // The bytes its elements are between, from the first byte of the lowest on; 0 for no elements.
  std::int64_t lowest_byte() const;
  std::int64_t span_bytes() const;

  bool operator==(const ArrayLayout&) const = default;
};

// All elements next to each other from offset 0 on. Throws base::Error (kValue) for a negative
// dimension and for more bytes than addresses.
ArrayLayout make_layout(std::vector<std::int64_t> shape, std::int64_t item_bytes, ArrayOrder order);

// The same elements next to each other, the axes in the order in which they are in memory, so that
// copies between the two are as long as they can be. Its offset is that of the first element in a
// block that begins at the lowest.
ArrayLayout packed(const ArrayLayout& layout);

// `axes` is a permutation.
ArrayLayout transposed(const ArrayLayout& layout, const std::vector<std::int64_t>& axes);

// The same elements in C order under another shape of as many elements; nothing where they do not
// are so that strides could say it.
std::optional<ArrayLayout> reshaped(const ArrayLayout& layout,
                                    const std::vector<std::int64_t>& shape);

// One element of an axis, which goes away; `index` is within it.
ArrayLayout selected(ArrayLayout layout, std::size_t axis, std::int64_t index);
// `n` elements of an axis from `start` on, `step` apart.
ArrayLayout sliced(ArrayLayout layout, std::size_t axis, std::int64_t start, std::int64_t step,
                   std::int64_t n);
ArrayLayout with_new_axis(ArrayLayout layout, std::size_t axis);

}  // namespace numpy_plugin::run
