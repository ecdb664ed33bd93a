#include "numpy_plugin/ufunc/arguments/stand_ins.hpp"

#include <vector>

#include "numpy_plugin/system/pages.hpp"
#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"
#include "numpy_plugin/ufunc/arrays/foreign_array.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

nb::object stand_in_for(nb::handle object) {
  if (const DeviceArray* array = find_device_array(object)) return stand_in(*array);
  if (is_on_device(object)) return stand_in(*foreign_device_array(object, nullptr));
  return nb::borrow(object);
}

}  // namespace

nb::object stand_in(const DeviceArray& array) {
  return stand_in(array.dtype, array.layout().shape, !array.memory.buffer->is_read_only());
}

nb::object stand_in(const nb::object& dtype, const std::vector<std::int64_t>& shape,
                    bool is_writable) {
  nb::object element = checked(PyArray_Zeros(0, nullptr, new_descriptor(dtype), 0));
  const std::vector<npy_intp> strides(shape.size());
  const int flags = is_writable ? NPY_ARRAY_WRITEABLE : 0;
  nb::object result = checked(PyArray_NewFromDescr(
      &PyArray_Type, new_descriptor(dtype), static_cast<int>(shape.size()), shape.data(),
      strides.data(), PyArray_DATA(as_array(element)), flags, nullptr));
  if (PyArray_SetBaseObject(as_array(result), element.release().ptr()) < 0) {
    throw nb::python_error();
  }
  return result;
}

nb::object strided_stand_in(const DeviceArray& array) {
  const run::ArrayLayout& layout = array.layout();
  char* const lowest = system::zero_pages(static_cast<std::size_t>(layout.span_bytes()));
  return checked(PyArray_NewFromDescr(
      &PyArray_Type, new_descriptor(array.dtype), static_cast<int>(layout.shape.size()),
      layout.shape.data(), layout.strides.data(), lowest + (layout.offset - layout.lowest_byte()),
      /*flags=*/0, nullptr));
}

nb::object with_stand_ins(nb::handle object) {
  if (!PyTuple_CheckExact(object.ptr())) return stand_in_for(object);
  nb::list items;
  for (const nb::handle item : nb::borrow<nb::tuple>(object)) items.append(stand_in_for(item));
  return nb::tuple(items);
}

}  // namespace numpy_plugin::ufunc
