#include "numpy_plugin/run/memory/array_layout.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <utility>

#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::run {
namespace {

using std::int64_t;

[[noreturn]] void fail(const std::string& message) {
  throw base::Error(base::ErrorKind::kValue, message);
}

void check_shape(const std::vector<int64_t>& shape, int64_t item_bytes) {
  int64_t n_bytes = item_bytes;
  for (const int64_t n : shape) {
    if (n < 0) fail(format("a dimension must be at least 0, found {}", n));
    if (n > 0 && n_bytes > std::numeric_limits<int64_t>::max() / n) {
      fail("the array is larger than the address space");
    }
    n_bytes *= std::max<int64_t>(n, 1);
  }
}

// Axes with several elements, by decreasing stride.
std::vector<std::size_t> axes_by_stride(const ArrayLayout& layout) {
  std::vector<std::size_t> axes(layout.shape.size());
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  std::erase_if(axes, [&](std::size_t axis) { return layout.shape[axis] == 1; });
  std::stable_sort(axes.begin(), axes.end(), [&](std::size_t one, std::size_t other) {
    return std::abs(layout.strides[one]) > std::abs(layout.strides[other]);
  });
  return axes;
}

// A group of old axes that holds as many elements as a group of new ones.
struct AxisGroup {
  std::size_t old_begin, old_end, new_begin, new_end;
};

// The next pair of groups after `before`; both shapes hold the same number of elements, not 0.
AxisGroup next_group(const AxisGroup& before, const std::vector<int64_t>& old_shape,
                     const std::vector<int64_t>& new_shape) {
  AxisGroup group = {before.old_end, before.old_end + 1, before.new_end, before.new_end + 1};
  int64_t n_old = old_shape[group.old_begin];
  int64_t n_new = new_shape[group.new_begin];
  while (n_old != n_new) {
    if (n_old < n_new) {
      n_old *= old_shape[group.old_end++];
    } else {
      n_new *= new_shape[group.new_end++];
    }
  }
  return group;
}

// Whether the old axes of a group can be traversed as one.
bool is_one_run(const ArrayLayout& layout, const AxisGroup& group) {
  for (std::size_t axis = group.old_begin; axis + 1 < group.old_end; ++axis) {
    if (layout.strides[axis] != layout.shape[axis + 1] * layout.strides[axis + 1]) return false;
  }
  return true;
}

ArrayLayout without_single_elements(const ArrayLayout& layout) {
  ArrayLayout result = {{}, {}, layout.offset, layout.item_bytes};
  for (std::size_t axis = 0; axis < layout.shape.size(); ++axis) {
    if (layout.shape[axis] == 1) continue;
    result.shape.push_back(layout.shape[axis]);
    result.strides.push_back(layout.strides[axis]);
  }
  return result;
}

}  // namespace

int64_t ArrayLayout::size() const {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

bool ArrayLayout::is_contiguous(ArrayOrder order) const {
  if (size() == 0) return true;
  int64_t expected = item_bytes;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t axis = order == ArrayOrder::kC ? shape.size() - 1 - i : i;
    if (shape[axis] != 1 && strides[axis] != expected) return false;
    expected *= shape[axis];
  }
  return true;
}

int64_t ArrayLayout::lowest_byte() const {
  int64_t lowest = offset;
  if (size() == 0) return lowest;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    lowest += std::min<int64_t>(strides[axis], 0) * (shape[axis] - 1);
  }
  return lowest;
}

int64_t ArrayLayout::span_bytes() const {
  if (size() == 0) return 0;
  int64_t span = item_bytes;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    span += std::abs(strides[axis]) * (shape[axis] - 1);
  }
  return span;
}

ArrayLayout make_layout(std::vector<int64_t> shape, int64_t item_bytes, ArrayOrder order) {
  check_shape(shape, item_bytes);
  ArrayLayout layout = {std::move(shape), {}, 0, item_bytes};
  layout.strides.resize(layout.shape.size());
  int64_t step = item_bytes;
  for (std::size_t i = 0; i < layout.shape.size(); ++i) {
    const std::size_t axis = order == ArrayOrder::kC ? layout.shape.size() - 1 - i : i;
    layout.strides[axis] = step;
    step *= std::max<int64_t>(layout.shape[axis], 1);
  }
  return layout;
}

ArrayLayout packed(const ArrayLayout& layout) {
  ArrayLayout result = {layout.shape, layout.strides, 0, layout.item_bytes};
  int64_t step = layout.item_bytes;
  std::vector<std::size_t> axes = axes_by_stride(layout);
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    const bool is_backward = layout.strides[*axis] < 0;
    result.strides[*axis] = is_backward ? -step : step;
    if (is_backward) result.offset += step * (layout.shape[*axis] - 1);
    step *= std::max<int64_t>(layout.shape[*axis], 1);
  }
  for (std::size_t axis = 0; axis < layout.shape.size(); ++axis) {
    if (layout.shape[axis] == 1) result.strides[axis] = layout.item_bytes;
  }
  if (layout.size() == 0) result.offset = 0;
  return result;
}

ArrayLayout transposed(const ArrayLayout& layout, const std::vector<int64_t>& axes) {
  ArrayLayout result = {{}, {}, layout.offset, layout.item_bytes};
  for (const int64_t axis : axes) {
    result.shape.push_back(layout.shape[static_cast<std::size_t>(axis)]);
    result.strides.push_back(layout.strides[static_cast<std::size_t>(axis)]);
  }
  return result;
}

std::optional<ArrayLayout> reshaped(const ArrayLayout& layout, const std::vector<int64_t>& shape) {
  ArrayLayout result = make_layout(shape, layout.item_bytes, ArrayOrder::kC);
  NPP_ASSERT(result.size() == layout.size(), "shapes of as many elements");
  result.offset = layout.offset;
  if (layout.size() <= 1 || layout.is_contiguous(ArrayOrder::kC)) return result;
  const ArrayLayout old_layout = without_single_elements(layout);
  const std::vector<int64_t> new_shape = without_single_elements(result).shape;
  std::vector<int64_t> new_strides(new_shape.size());
  AxisGroup group = {0, 0, 0, 0};
  while (group.old_end < old_layout.shape.size()) {
    group = next_group(group, old_layout.shape, new_shape);
    if (!is_one_run(old_layout, group)) return std::nullopt;
    int64_t step = old_layout.strides[group.old_end - 1];
    for (std::size_t axis = group.new_end; axis-- > group.new_begin;) {
      new_strides[axis] = step;
      step *= new_shape[axis];
    }
  }
  std::size_t next = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] != 1) result.strides[axis] = new_strides[next++];
  }
  return result;
}

ArrayLayout selected(ArrayLayout layout, std::size_t axis, int64_t index) {
  layout.offset += index * layout.strides[axis];
  layout.shape.erase(layout.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  layout.strides.erase(layout.strides.begin() + static_cast<std::ptrdiff_t>(axis));
  return layout;
}

ArrayLayout sliced(ArrayLayout layout, std::size_t axis, int64_t start, int64_t step, int64_t n) {
  if (n > 0) layout.offset += start * layout.strides[axis];
  layout.strides[axis] *= step;
  layout.shape[axis] = n;
  return layout;
}

ArrayLayout with_new_axis(ArrayLayout layout, std::size_t axis) {
  layout.shape.insert(layout.shape.begin() + static_cast<std::ptrdiff_t>(axis), 1);
  layout.strides.insert(layout.strides.begin() + static_cast<std::ptrdiff_t>(axis),
                        layout.item_bytes);
  return layout;
}

std::optional<ArrayLayout> broadcast(ArrayLayout from, const std::vector<std::int64_t>& shape) {
  while (from.shape.size() > shape.size() && from.shape.front() == 1) {
    from = selected(std::move(from), 0, 0);
  }
  while (from.shape.size() < shape.size()) from = with_new_axis(std::move(from), 0);
  for (std::size_t axis = 0; axis < from.shape.size(); ++axis) {
    if (axis >= shape.size()) return std::nullopt;
    if (from.shape[axis] == shape[axis]) continue;
    if (from.shape[axis] != 1) return std::nullopt;
    from.shape[axis] = shape[axis];
    from.strides[axis] = 0;
  }
  return from;
}

}  // namespace numpy_plugin::run
