// Types of a launch's arguments, for kernels in Python without a signature.
#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/ufunc/arrays/foreign_array.hpp"
#include "numpy_plugin/ufunc/bindings/kernel_arguments.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

using base::DType;
using declare::OperandType;

[[noreturn]] void refuse(const std::string& where, const std::string& found) {
  throw base::Error(base::ErrorKind::kType,
                    format("{} is {}; expected an array or a number", where, found));
}

OperandType type_of(const std::string& where, const nb::object& dtype, std::size_t n_dimensions) {
  const auto known = dtype_of_descriptor(as_descriptor(dtype));
  if (!known) refuse(where, format("of dtype {}", nb::str(dtype).c_str()));
  return {*known, static_cast<int>(n_dimensions)};
}

OperandType array_type(const std::string& where, const nb::object& dtype,
                       std::size_t n_dimensions) {
  if (n_dimensions == 0) refuse(where, "an array without dimensions");
  return type_of(where, dtype, n_dimensions);
}

OperandType type_of_argument(const std::string& where, nb::handle value) {
  PyObject* const object = value.ptr();
  DeviceArray* array = nullptr;
  if (nb::try_cast(value, array) && array != nullptr) {
    return array_type(where, array->dtype, array->layout().shape.size());
  }
  if (PyArray_Check(object)) {
    const int n_dimensions = PyArray_NDIM(as_array(value));
    return array_type(where, value.attr("dtype"), static_cast<std::size_t>(n_dimensions));
  }
  if (PyArray_IsScalar(object, Generic)) return type_of(where, value.attr("dtype"), 0);
  if (PyBool_Check(object)) return {DType::kBool};
  if (PyLong_Check(object)) return {DType::kInt64};
  if (PyFloat_Check(object)) return {DType::kFloat64};
  if (PyComplex_Check(object)) return {DType::kComplex128};
  if (const auto foreign = foreign_device_array(value, nullptr)) {
    return array_type(where, foreign->dtype, foreign->layout().shape.size());
  }
  refuse(where, "a " + type_name_of(value));
}

void add_types(const std::string& what, const std::string& owner, const nb::tuple& values,
               std::vector<OperandType>& types) {
  std::size_t number = 0;
  for (const nb::handle value : values) {
    const std::string where = format("{} {} of {}", what, ++number, owner);
    if (value.is_none()) continue;
    if (nb::isinstance<nb::tuple>(value)) {
      add_types("item", where, nb::borrow<nb::tuple>(value), types);
    } else {
      types.push_back(type_of_argument(where, value));
    }
  }
}

}  // namespace

std::size_t n_items(const nb::tuple& arguments) {
  std::size_t n_found = 0;
  for (const nb::handle argument : arguments) {
    if (argument.is_none()) continue;
    const bool is_tuple = nb::isinstance<nb::tuple>(argument);
    n_found += is_tuple ? n_items(nb::borrow<nb::tuple>(argument)) : 1;
  }
  return n_found;
}

std::vector<OperandType> types_of_arguments(const std::string& kernel, const nb::tuple& arguments) {
  std::vector<OperandType> types;
  add_types("argument", format("'{}'", kernel), arguments, types);
  return types;
}

}  // namespace numpy_plugin::ufunc
