#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

#include <string_view>

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

// Types of nearly all operands; none of them dispatches by name.
bool is_plain_operand(PyObject* operand) {
  PyTypeObject* type = Py_TYPE(operand);
  return type == &PyArray_Type || type == &PyFloat_Type || type == &PyLong_Type ||
         type == &PyBool_Type || type == &PyComplex_Type || type == &PyList_Type ||
         type == &PyTuple_Type || operand == Py_None || PyArray_CheckScalar(operand);
}

PyObject* array_ufunc_name() {
  static PyObject* name = PyUnicode_InternFromString("__array_ufunc__");
  return name;
}

// Whether an operand's type overrides __array_ufunc__.
bool has_foreign_dispatch(PyObject* operand) {
  static PyObject* numpy_method =
      PyObject_GetAttr(reinterpret_cast<PyObject*>(&PyArray_Type), array_ufunc_name());
  PyObject* method =
      PyObject_GetAttr(reinterpret_cast<PyObject*>(Py_TYPE(operand)), array_ufunc_name());
  if (method == nullptr) {
    PyErr_Clear();
    return false;
  }
  const bool is_foreign = method != numpy_method;  // None as well: it rejects all ufuncs
  Py_DECREF(method);
  return is_foreign;
}

struct LibraryType {
  std::string_view package;
  std::string_view name;  // empty: all types of the package
  ForeignLibrary library;
};

constexpr LibraryType kLibraryTypes[] = {
    {"dask.array", "Array", ForeignLibrary::kDask},
    {"pandas", "", ForeignLibrary::kPandas},
    {"polars.series", "Series", ForeignLibrary::kPolars},
};

bool is_in_package(std::string_view module, std::string_view package) {
  return module.starts_with(package) &&
         (module.size() == package.size() || module[package.size()] == '.');
}

// By names of the type and its module: the libraries need not be installed.
ForeignLibrary library_of(PyTypeObject* type) {
  const nb::object module = nb::getattr(nb::handle(type), "__module__", nb::none());
  if (!nb::isinstance<nb::str>(module)) return ForeignLibrary::kOther;
  const std::string_view module_name = nb::cast<const char*>(module);
  const std::string_view type_name = type->tp_name;
  for (const LibraryType& known : kLibraryTypes) {
    const bool is_named = known.name.empty() || known.name == type_name;
    if (is_named && is_in_package(module_name, known.package)) return known.library;
  }
  return ForeignLibrary::kOther;
}

void look_at_operand(PyObject* operand, CallDispatch& dispatch) {
  if (is_plain_operand(operand)) return;
  if (is_on_device(operand)) {
    dispatch.has_device_array = true;
  } else if (has_foreign_dispatch(operand)) {
    const ForeignLibrary library = library_of(Py_TYPE(operand));
    const bool is_first = !dispatch.has_foreign_dispatch();
    dispatch.library = is_first || dispatch.library == library ? library : ForeignLibrary::kOther;
  }
}

// `out` may be a tuple with one entry per output.
void look_at_output(PyObject* output, CallDispatch& dispatch) {
  if (!PyTuple_CheckExact(output)) return look_at_operand(output, dispatch);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(output); ++i) {
    look_at_operand(PyTuple_GET_ITEM(output, i), dispatch);
  }
}

}  // namespace

CallDispatch classify_operands(const GivenArguments& given) {
  static const Name out("out"), where("where"), stream("stream");
  CallDispatch dispatch;
  for (std::size_t i = 0; i < given.n_positional; ++i) look_at_operand(given.values[i], dispatch);
  for (std::size_t i = 0; i < given.n_named(); ++i) {
    PyObject* const value = given.values[given.n_positional + i];
    if (out.is(given.name(i))) {
      look_at_output(value, dispatch);
    } else if (where.is(given.name(i))) {
      // NumPy does not dispatch on the mask's type.
      dispatch.has_device_array |= is_on_device(value);
    } else if (stream.is(given.name(i))) {
      dispatch.stream = value;
    }
  }
  return dispatch;
}

CallDispatch classify_method_operands(const GivenArguments& given) {
  CallDispatch dispatch;
  for (std::size_t i = 0; i < given.n_values(); ++i) look_at_output(given.values[i], dispatch);
  return dispatch;
}

}  // namespace numpy_plugin::ufunc
