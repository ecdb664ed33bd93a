// Checks in NumPy's order: numbers of dimensions, axes, sizes.
#include "numpy_plugin/ufunc/arguments/core_dimensions.hpp"

#include <algorithm>
#include <numeric>

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

// A Python index within n axes; nullopt where it is invalid or out of bounds.
std::optional<std::size_t> axis_number(nb::handle object, std::size_t n_axes) {
  if (!PyIndex_Check(object.ptr())) return {};
  const Py_ssize_t number = PyNumber_AsSsize_t(object.ptr(), nullptr);
  if (number == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();  // of an array, for example: NumPy reports it
    return {};
  }
  const auto n = static_cast<Py_ssize_t>(n_axes);
  if (number < -n || number >= n) return {};
  return static_cast<std::size_t>(number < 0 ? number + n : number);
}

// All axes in order, with the given ones moved to the end.
std::vector<std::size_t> with_last(std::size_t n_axes, const std::vector<std::size_t>& last) {
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < n_axes; ++axis) {
    if (std::find(last.begin(), last.end(), axis) == last.end()) axes.push_back(axis);
  }
  axes.insert(axes.end(), last.begin(), last.end());
  return axes;
}

bool has_kept_dimensions(const OperandAxes& output, const Shape& shape) {
  return std::all_of(output.axes.end() - static_cast<std::ptrdiff_t>(output.n_core),
                     output.axes.end(), [&](std::size_t axis) { return shape[axis] == 1; });
}

}  // namespace

bool CoreDimensions::find(const CallArguments& call, const Shapes& shapes) {
  left_out_.assign(layout_.names.size(), false);
  operands_.assign(shapes.size(), {});
  for (std::size_t i = 0; i < shapes.size(); ++i) operands_[i].n_core = layout_.operands[i].size();
  if (call.axis.is_valid() && call.axes.is_valid()) return false;
  const bool names_axes = call.axis.is_valid() || call.axes.is_valid();
  return omit_optional_dimensions(shapes) && keep_dimensions(call.keepdims) &&
         find_loop_dimensions(shapes) && move_axis(call.axis) && move_axes(call.axes) &&
         find_sizes(shapes, !names_axes);
}

Shape CoreDimensions::core_shape(std::size_t operand) const {
  if (is_output(operand) && keeps_dimensions_) return Shape(operands_[operand].n_core, 1);
  Shape shape;
  for (const declare::CoreDimension& dimension : layout_.operands[operand]) {
    if (!is_left_out(dimension))
      shape.push_back(sizes_[static_cast<std::size_t>(dimension.name_index)]);
  }
  return shape;
}

bool CoreDimensions::is_left_out(const declare::CoreDimension& dimension) const {
  return left_out_[static_cast<std::size_t>(dimension.name_index)];
}

void CoreDimensions::leave_out(int name) {
  left_out_[static_cast<std::size_t>(name)] = true;
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    for (const declare::CoreDimension& dimension : layout_.operands[i]) {
      if (dimension.name_index == name) --operands_[i].n_core;
    }
  }
}

// Omits optional names for operands with too few dimensions.
bool CoreDimensions::omit_optional_dimensions(const Shapes& shapes) {
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (!shapes[i]) continue;
    for (const declare::CoreDimension& dimension : layout_.operands[i]) {
      if (shapes[i]->size() >= operands_[i].n_core) break;
      const auto name = static_cast<std::size_t>(dimension.name_index);
      if (layout_.names[name].is_optional && !left_out_[name]) leave_out(dimension.name_index);
    }
    if (shapes[i]->size() < operands_[i].n_core) return false;
  }
  return true;
}

bool CoreDimensions::keep_dimensions(nb::handle keepdims) {
  if (!keepdims.is_valid()) return true;
  if (!PyBool_Check(keepdims.ptr())) return false;
  const std::size_t n_core = operands_.front().n_core;
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    if (operands_[i].n_core != (is_output(i) ? 0 : n_core)) return false;
  }
  keeps_dimensions_ = keepdims.ptr() == Py_True;
  if (!keeps_dimensions_) return true;
  for (OperandAxes& operand : operands_) operand.n_core = n_core;
  return true;
}

bool CoreDimensions::find_loop_dimensions(const Shapes& shapes) {
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (!shapes[i]) continue;
    if (shapes[i]->size() < operands_[i].n_core) return false;
    n_loop_ = std::max(n_loop_, shapes[i]->size() - operands_[i].n_core);
  }
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const std::size_t n_core = operands_[i].n_core;
    std::vector<std::size_t>& axes = operands_[i].axes;
    axes.resize(shapes[i] ? shapes[i]->size() : n_loop_ + n_core);
    std::iota(axes.begin(), axes.end(), std::size_t{0});
  }
  return true;
}

bool CoreDimensions::move_axis(nb::handle axis) {
  if (!axis.is_valid()) return true;
  std::optional<int> name;  // the name that all core dimensions share
  for (const auto& dimensions : layout_.operands) {
    for (const declare::CoreDimension& dimension : dimensions) {
      if (name.value_or(dimension.name_index) != dimension.name_index) return false;
      name = dimension.name_index;
    }
  }
  for (OperandAxes& operand : operands_) {
    if (operand.n_core > 1) return false;
    if (operand.n_core == 0) continue;
    const auto number = axis_number(axis, operand.axes.size());
    if (!number) return false;
    operand.axes = with_last(operand.axes.size(), {*number});
  }
  return name.has_value();
}

bool CoreDimensions::move_axes(nb::handle axes) {
  if (!axes.is_valid()) return true;
  if (!PyList_Check(axes.ptr())) return false;
  const auto n_given = static_cast<std::size_t>(PyList_GET_SIZE(axes.ptr()));
  const auto has_no_core_axes = [&](const auto& dimensions) { return dimensions.empty(); };
  const auto first_output =
      layout_.operands.begin() + static_cast<std::ptrdiff_t>(layout_.n_inputs);
  const bool may_omit_outputs = std::all_of(first_output, layout_.operands.end(), has_no_core_axes);
  if (n_given != operands_.size() && !(n_given == layout_.n_inputs && may_omit_outputs)) {
    return false;
  }
  for (std::size_t i = 0; i < n_given; ++i) {
    if (!move_operand(i, PyList_GET_ITEM(axes.ptr(), static_cast<Py_ssize_t>(i)))) return false;
  }
  return true;
}

// `axes` is a tuple, or an index for one core dimension.
bool CoreDimensions::move_operand(std::size_t operand, nb::handle axes) {
  OperandAxes& moved = operands_[operand];
  std::vector<nb::handle> items;
  if (PyTuple_Check(axes.ptr())) {
    for (const nb::handle item : nb::borrow<nb::tuple>(axes)) items.push_back(item);
  } else if (moved.n_core == 1) {
    items.push_back(axes);
  } else {
    return false;
  }
  if (items.size() != moved.n_core) return false;
  std::vector<std::size_t> last;
  for (const nb::handle item : items) {
    const auto number = axis_number(item, moved.axes.size());
    if (!number || std::find(last.begin(), last.end(), *number) != last.end()) return false;
    last.push_back(*number);
  }
  moved.axes = with_last(moved.axes.size(), last);
  return true;
}

bool CoreDimensions::find_sizes(const Shapes& shapes, bool stretches) {
  sizes_.clear();
  for (std::size_t name = 0; name < layout_.names.size(); ++name) {
    const bool can_stretch = stretches && layout_.names[name].is_broadcastable;
    sizes_.push_back(left_out_[name] ? 1 : layout_.names[name].frozen_size);
    if (can_stretch && sizes_.back() < 0)
      sizes_.back() = stretched_size(static_cast<int>(name), shapes);
  }
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    place_core_axes(i);
    if (!shapes[i]) continue;
    if (is_output(i) && keeps_dimensions_ && !has_kept_dimensions(operands_[i], *shapes[i])) {
      return false;
    }
    for (std::size_t number = 0; number < layout_.operands[i].size(); ++number) {
      if (!take_size(i, number, shapes, stretches)) return false;
    }
  }
  return std::all_of(sizes_.begin(), sizes_.end(), [](std::int64_t size) { return size >= 0; });
}

void CoreDimensions::place_core_axes(std::size_t operand) {
  OperandAxes& placed = operands_[operand];
  std::size_t next = placed.n_loop();
  for (const declare::CoreDimension& dimension : layout_.operands[operand]) {
    const bool is_there = !is_left_out(dimension) && next < placed.axes.size();
    placed.core_axes.push_back(is_there ? std::optional(placed.axes[next++]) : std::nullopt);
  }
}

// The size that inputs broadcast to: that of one where it is not 1, else 1.
std::int64_t CoreDimensions::stretched_size(int name, const Shapes& shapes) const {
  std::int64_t found = 1;
  for (std::size_t i = 0; i < layout_.n_inputs; ++i) {
    std::size_t next = operands_[i].n_loop();
    for (const declare::CoreDimension& dimension : layout_.operands[i]) {
      if (is_left_out(dimension)) continue;
      const std::int64_t size = (*shapes[i])[operands_[i].axes[next++]];
      if (dimension.name_index == name && size != 1) found = size;
    }
  }
  return found;
}

// The first operand with a dimension determines its size.
bool CoreDimensions::take_size(std::size_t operand, std::size_t number, const Shapes& shapes,
                               bool stretches) {
  std::optional<std::size_t>& axis = operands_[operand].core_axes[number];
  if (!axis) return true;
  const declare::CoreDimension& dimension = layout_.operands[operand][number];
  std::int64_t& known = sizes_[static_cast<std::size_t>(dimension.name_index)];
  const std::int64_t size = (*shapes[operand])[*axis];
  if (known < 0) known = size;
  if (size == known) return true;
  const bool can_stretch = stretches && dimension.is_broadcastable && !is_output(operand);
  if (!can_stretch || size != 1) return false;
  axis.reset();
  return true;
}

}  // namespace numpy_plugin::ufunc
