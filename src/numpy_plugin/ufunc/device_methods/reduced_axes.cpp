#include "numpy_plugin/ufunc/device_methods/method_call.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

bool is_first_or_last(nb::handle axis) {
  const int value = PyArray_PyIntAsInt(axis.ptr());
  return PyErr_Occurred() == nullptr && (value == 0 || value == -1);
}

}  // namespace

// False for anything but an axis that has not been added yet.
bool ReducedAxes::add(nb::handle axis) {
  const int given = PyArray_PyIntAsInt(axis.ptr());  // which takes no bool
  const int n = static_cast<int>(n_dimensions_);
  if (PyErr_Occurred() != nullptr || given < -n || given >= n) {
    PyErr_Clear();
    return false;
  }
  bool& flag = is_reduced_[static_cast<std::size_t>(given < 0 ? given + n : given)];
  if (flag) return false;
  flag = true;
  ++n_reduced_;
  return true;
}

std::optional<ReducedAxes> ReducedAxes::read(nb::handle axis, std::size_t n_dimensions) {
  ReducedAxes axes(n_dimensions);
  if (axis.is_valid() && axis.is_none()) {
    axes.n_reduced_ = n_dimensions;
    axes.is_reduced_.fill(true);
    return axes;
  }
  const nb::object first = nb::int_(0);
  if (!axis.is_valid()) axis = first;
  if (PyTuple_Check(axis.ptr())) {
    for (const nb::handle item : nb::borrow<nb::tuple>(axis)) {
      if (!axes.add(item)) return std::nullopt;
    }
    return axes;
  }
  // NumPy takes these for an array without axes.
  if (n_dimensions == 0 && is_first_or_last(axis)) return axes;
  PyErr_Clear();
  if (!axes.add(axis)) return std::nullopt;
  return axes;
}

run::ArrayLayout ReducedAxes::kept(const run::ArrayLayout& array) const {
  run::ArrayLayout view{{}, {}, array.offset, array.item_bytes};
  for (std::size_t i = 0; i < n_dimensions_; ++i) {
    if (is_reduced_[i]) continue;
    view.shape.push_back(array.shape[i]);
    view.strides.push_back(array.strides[i]);
  }
  return view;
}

std::vector<std::int64_t> ReducedAxes::result_shape(const std::vector<std::int64_t>& shape,
                                                    bool keeps_dimensions) const {
  std::vector<std::int64_t> result;
  for (std::size_t i = 0; i < n_dimensions_; ++i) {
    if (!is_reduced_[i]) result.push_back(shape[i]);
    if (is_reduced_[i] && keeps_dimensions) result.push_back(1);
  }
  return result;
}

std::vector<std::int64_t> ReducedAxes::result_strides(const run::ArrayLayout& result,
                                                      bool keeps_dimensions) const {
  std::vector<std::int64_t> strides;
  std::size_t axis = 0;
  for (std::size_t i = 0; i < n_dimensions_; ++i) {
    strides.push_back(is_reduced_[i] ? 0 : result.strides[axis]);
    if (!is_reduced_[i] || keeps_dimensions) ++axis;
  }
  return strides;
}

}  // namespace numpy_plugin::ufunc
