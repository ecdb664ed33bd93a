#include "numpy_plugin/ufunc/refusals/refused_call.hpp"

#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

int number_of(nb::handle dtype) { return as_descriptor(dtype)->type_num; }

bool can_cast(nb::handle from, nb::handle to, NPY_CASTING casting) {
  return PyArray_CanCastTypeTo(as_descriptor(from), as_descriptor(to), casting) != 0;
}

nb::object descriptor_of(int type_number) {
  return nb::steal(reinterpret_cast<PyObject*>(PyArray_DescrFromType(type_number)));
}

// A Python number, which has no astype.
bool is_plain(nb::handle operand) {
  PyObject* const object = operand.ptr();
  return PyFloat_CheckExact(object) || PyLong_Check(object) || PyComplex_CheckExact(object) ||
         PyUnicode_CheckExact(object) || PyBytes_CheckExact(object);
}

const char* python_type(int wanted) {
  if (wanted == NPY_BOOL) return "bool";
  if (PyTypeNum_ISINTEGER(wanted)) return "int";
  return PyTypeNum_ISCOMPLEX(wanted) ? "complex" : "float";
}

std::string numpy_type(nb::handle wanted) {
  const std::string module = PyTypeNum_ISUSERDEF(number_of(wanted)) ? "ml_dtypes." : "np.";
  return module + nb::str(wanted).c_str();
}

// The dtype of a complex number's real part.
nb::object part_dtype(const nb::object& dtype) {
  const int number = number_of(dtype);
  return descriptor_of(number == NPY_CFLOAT        ? NPY_FLOAT
                       : number == NPY_CLONGDOUBLE ? NPY_LONGDOUBLE
                                                   : NPY_DOUBLE);
}

std::string plain_conversion(bool is_real_part, nb::handle dtype, bool is_weak,
                             const std::string& name) {
  const std::string part = is_real_part ? name + ".real" : name;
  if (!is_weak) return format("{}({})", numpy_type(dtype), part);
  const int wanted = number_of(dtype);
  const bool is_float = wanted != NPY_BOOL && !PyTypeNum_ISINTEGER(wanted);
  if (is_real_part && is_float) return part;
  return format("{}({})", python_type(wanted), part);
}

std::string array_of(nb::handle operand, const std::string& name) {
  if (nb::hasattr(operand, "astype")) return name;
  return format("{}({})", is_on_device(operand) ? "cuda.as_device_array" : "np.asarray", name);
}

// Whether the result of array_of() has a `real` attribute, which device arrays lack.
bool has_real_part(nb::handle operand) {
  return nb::hasattr(operand, "real") ||
         (!nb::hasattr(operand, "astype") && !is_on_device(operand));
}

}  // namespace

bool takes(nb::handle type, nb::handle wanted, NPY_CASTING casting) {
  if (!PyType_Check(type.ptr())) return can_cast(type, wanted, casting);
  const int number = number_of(wanted);
  if (PyTypeNum_ISCOMPLEX(number)) return true;
  if (type.ptr() == reinterpret_cast<PyObject*>(&PyLong_Type)) return number != NPY_BOOL;
  const bool is_float = PyTypeNum_ISFLOAT(number) || PyTypeNum_ISUSERDEF(number);
  return type.ptr() == reinterpret_cast<PyObject*>(&PyFloat_Type) && is_float;
}

std::string conversion(nb::handle operand, const nb::object& dtype, nb::handle wanted,
                       const std::string& name, bool is_weak) {
  const bool is_real_part =
      PyTypeNum_ISCOMPLEX(number_of(dtype)) && !PyTypeNum_ISCOMPLEX(number_of(wanted));
  if (is_plain(operand)) return plain_conversion(is_real_part, wanted, is_weak, name);
  std::string value = array_of(operand, name);
  if (is_real_part && has_real_part(operand)) {
    value += ".real";
    if (can_cast(part_dtype(dtype), wanted, NPY_SAFE_CASTING)) return value;
  }
  return format("{}.astype({})", value, numpy_type(wanted));
}

nb::object nearest_kernel_dtype(const nb::object& dtype) {
  const int number = number_of(dtype);
  if (dtype_of_number(number) || PyTypeNum_ISDATETIME(number)) return dtype;
  if (number == NPY_CLONGDOUBLE) return descriptor_of(NPY_CDOUBLE);
  return number == NPY_VOID ? nb::object() : descriptor_of(NPY_DOUBLE);
}

}  // namespace numpy_plugin::ufunc
