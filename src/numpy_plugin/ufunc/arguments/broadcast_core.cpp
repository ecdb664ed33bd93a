#include "numpy_plugin/ufunc/arguments/core_dimensions.hpp"

#include <algorithm>

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

// Calls visit(core dimension, axis) for the core dimensions of one operand.
template <class Visit>
void visit_core(const declare::CoreSignature& layout, std::size_t operand, const nb::object& array,
                const Visit& visit) {
  const auto& dimensions = layout.operands[operand];
  const int first = PyArray_NDIM(as_array(array)) - static_cast<int>(dimensions.size());
  if (first < 0) return;
  for (std::size_t i = 0; i < dimensions.size(); ++i)
    visit(dimensions[i], first + static_cast<int>(i));
}

// The size of each name, from operands that are not broadcast there.
std::vector<npy_intp> name_sizes(const declare::CoreSignature& layout,
                                 const std::vector<nb::object>& arrays) {
  std::vector<npy_intp> sizes(layout.names.size(), 1);
  for (std::size_t operand = 0; operand < arrays.size(); ++operand) {
    visit_core(layout, operand, arrays[operand], [&](const auto& dimension, int axis) {
      const npy_intp size = PyArray_DIM(as_array(arrays[operand]), axis);
      if (size != 1) sizes[static_cast<std::size_t>(dimension.name_index)] = size;
    });
  }
  return sizes;
}

nb::object stretched(const declare::CoreSignature& layout, std::size_t operand,
                     const nb::object& array, const std::vector<npy_intp>& sizes) {
  nb::list shape;
  for (int axis = 0; axis < PyArray_NDIM(as_array(array)); ++axis) {
    shape.append(PyArray_DIM(as_array(array), axis));
  }
  bool is_changed = false;
  visit_core(layout, operand, array, [&](const auto& dimension, int axis) {
    const npy_intp size = sizes[static_cast<std::size_t>(dimension.name_index)];
    if (!dimension.is_broadcastable || PyArray_DIM(as_array(array), axis) == size) return;
    if (PyArray_DIM(as_array(array), axis) != 1) return;
    shape[static_cast<std::size_t>(axis)] = size;
    is_changed = true;
  });
  if (!is_changed) return array;
  return nb::module_::import_("numpy").attr("broadcast_to")(array, nb::tuple(shape));
}

}  // namespace

bool has_broadcastable_dimensions(const declare::CoreSignature& layout) {
  return std::any_of(layout.names.begin(), layout.names.end(),
                     [](const declare::DimensionName& name) { return name.is_broadcastable; });
}

std::vector<nb::object> broadcast_core_dimensions(const declare::CoreSignature& layout,
                                                  PyObject* const* args) {
  std::vector<nb::object> arrays;
  for (std::size_t i = 0; i < layout.n_inputs; ++i) {
    nb::object array = nb::steal(PyArray_FROM_O(args[i]));
    if (!array.is_valid()) throw nb::python_error();
    arrays.push_back(std::move(array));
  }
  const std::vector<npy_intp> sizes = name_sizes(layout, arrays);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    arrays[i] = stretched(layout, i, arrays[i], sizes);
  }
  return arrays;
}

}  // namespace numpy_plugin::ufunc
