// Indexing: each step of the key transforms the layout into that of the view.
#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/ufunc/arrays/device_array.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

using run::ArrayLayout;

std::vector<nb::object> steps_of(nb::handle key) {
  std::vector<nb::object> steps;
  if (!nb::isinstance<nb::tuple>(key)) return {nb::borrow(key)};
  for (const nb::handle step : nb::borrow<nb::tuple>(key)) steps.push_back(nb::borrow(step));
  return steps;
}

bool is_ellipsis(const nb::object& step) { return step.ptr() == Py_Ellipsis; }

// Arrays without axes are integers too.
bool is_integer(nb::handle step) {
  if (PyArray_Check(step.ptr())) {
    return PyArray_NDIM(as_array(step)) == 0 && PyTypeNum_ISINTEGER(PyArray_TYPE(as_array(step)));
  }
  const bool is_bool = PyBool_Check(step.ptr()) || PyArray_IsScalar(step.ptr(), Bool);
  return PyIndex_Check(step.ptr()) != 0 && !is_bool && !nb::isinstance<DeviceArray>(step);
}

// Number of the array's axes that the steps consume.
std::size_t count_axes(const std::vector<nb::object>& steps) {
  std::size_t n_axes = 0;
  std::size_t n_ellipses = 0;
  for (const nb::object& step : steps) {
    const bool is_slice = PySlice_Check(step.ptr()) != 0;
    if (is_ellipsis(step)) ++n_ellipses;
    if (is_slice || is_integer(step)) ++n_axes;
    NPP_ASSERT(is_basic_step(step), type_name_of(step));
  }
  if (n_ellipses > 1) raise_index_error("an index has at most one '...'");
  return n_axes;
}

}  // namespace

void raise_index_error(const std::string& text) {
  PyErr_SetString(PyExc_IndexError, text.c_str());
  throw nb::python_error();
}

void check_index(std::int64_t index, std::size_t axis, std::int64_t n) {
  if (index >= -n && index < n) return;
  raise_index_error(format("index {} is out of bounds for axis {} with size {}", index, axis, n));
}

void check_axes(std::size_t n_axes, std::size_t n_dimensions) {
  if (n_axes <= n_dimensions) return;
  raise_index_error(
      format("too many indices for array: array is {}-dimensional, but {} were indexed",
             n_dimensions, n_axes));
}

std::int64_t checked_index(const nb::object& step, std::size_t axis, std::int64_t n) {
  const Py_ssize_t index = PyNumber_AsSsize_t(step.ptr(), PyExc_IndexError);
  if (index == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  check_index(index, axis, n);
  return index < 0 ? index + n : index;
}

ArrayLayout sliced_by(ArrayLayout layout, std::size_t axis, const nb::object& slice) {
  Py_ssize_t start = 0, stop = 0, step = 1;
  if (PySlice_Unpack(slice.ptr(), &start, &stop, &step) < 0) throw nb::python_error();
  const Py_ssize_t n = PySlice_AdjustIndices(layout.shape[axis], &start, &stop, step);
  return run::sliced(std::move(layout), axis, start, step, n);
}

bool is_basic_step(nb::handle step) {
  return step.is_none() || step.ptr() == Py_Ellipsis || PySlice_Check(step.ptr()) != 0 ||
         is_integer(step);
}

ArrayLayout indexed(const ArrayLayout& layout, nb::handle key) {
  const std::vector<nb::object> steps = steps_of(key);
  const std::size_t n_axes = count_axes(steps);
  check_axes(n_axes, layout.shape.size());
  ArrayLayout view = layout;
  std::size_t axis = 0;           // of the view, the next to be indexed
  std::size_t original_axis = 0;  // of the array, for messages
  for (const nb::object& step : steps) {
    if (is_ellipsis(step)) {
      axis += layout.shape.size() - n_axes;
      original_axis += layout.shape.size() - n_axes;
    } else if (step.is_none()) {
      view = run::with_new_axis(std::move(view), axis++);
    } else if (PySlice_Check(step.ptr()) != 0) {
      view = sliced_by(std::move(view), axis++, step);
      ++original_axis;
    } else {
      const std::int64_t index = checked_index(step, original_axis++, view.shape[axis]);
      view = run::selected(std::move(view), axis, index);
    }
  }
  return view;
}

DeviceArray field_of(const DeviceArray& array, nb::handle name) {
  const nb::object fields = array.dtype.attr("fields");
  if (fields.is_none() || !nb::cast<bool>(fields.attr("__contains__")(name))) {
    const std::string text = nb::str(name).c_str();
    throw base::Error(base::ErrorKind::kValue, "no field of name " + text);
  }
  const nb::object field = fields[name];
  const nb::object dtype = field[0];
  DeviceArray view = array;
  view.memory.layout.offset += nb::cast<std::int64_t>(field[1]);
  view.dtype = dtype.attr("base");
  ArrayLayout& layout = view.memory.layout;
  layout.item_bytes = nb::cast<std::int64_t>(view.dtype.attr("itemsize"));
  const auto inner = run::make_layout(nb::cast<std::vector<std::int64_t>>(dtype.attr("shape")),
                                      layout.item_bytes, run::ArrayOrder::kC);
  layout.shape.insert(layout.shape.end(), inner.shape.begin(), inner.shape.end());
  layout.strides.insert(layout.strides.end(), inner.strides.begin(), inner.strides.end());
  return view;
}

}  // namespace numpy_plugin::ufunc
