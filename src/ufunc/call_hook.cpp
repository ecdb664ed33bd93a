#include "numpy_plugin/ufunc/call_hook.hpp"

#include <cstddef>
#include <exception>
#include <string>
#include <vector>

#include "numpy_plugin/run/device_notice.hpp"
#include "numpy_plugin/ufunc/broadcast_core.hpp"
#include "numpy_plugin/ufunc/make_ufunc.hpp"
#include "numpy_plugin/ufunc/parallel_call.hpp"
#include "numpy_plugin/ufunc/python_error.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

// The types nearly all operands have; none of them dispatches by name.
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

// Whether an operand's type has an __array_ufunc__ of its own.
bool has_foreign_dispatch(PyObject* operand) {
  if (is_plain_operand(operand)) return false;
  static PyObject* numpy_method =
      PyObject_GetAttr(reinterpret_cast<PyObject*>(&PyArray_Type), array_ufunc_name());
  PyObject* method =
      PyObject_GetAttr(reinterpret_cast<PyObject*>(Py_TYPE(operand)), array_ufunc_name());
  if (method == nullptr) {
    PyErr_Clear();
    return false;
  }
  const bool is_foreign = method != Py_None && method != numpy_method;
  Py_DECREF(method);
  return is_foreign;
}

// `out` may come as a tuple with one place an output.
bool output_has_foreign_dispatch(PyObject* output) {
  if (!PyTuple_CheckExact(output)) return has_foreign_dispatch(output);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(output); ++i) {
    if (has_foreign_dispatch(PyTuple_GET_ITEM(output, i))) return true;
  }
  return false;
}

bool call_has_foreign_dispatch(PyObject* const* args, Py_ssize_t n_positional, PyObject* names) {
  for (Py_ssize_t i = 0; i < n_positional; ++i) {
    if (has_foreign_dispatch(args[i])) return true;
  }
  if (names == nullptr) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
    if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, i), "out") == 0 &&
        output_has_foreign_dispatch(args[n_positional + i])) {
      return true;
    }
  }
  return false;
}

// The twin is made from the same library, so nothing is compiled again. It never becomes reachable
// from the ufunc it belongs to except through the state, so there is no cycle.
PyObject* twin_of(UfuncState& state) {
  if (!state.twin.is_valid()) {
    state.twin = make_ufunc(state.library, state.identity, "numpy_plugin." + state.name);
  }
  return state.twin.ptr();
}

bool is_twin(const UfuncState& state) { return state.name.find('.') != std::string::npos; }

// Once a process: a ufunc asked for a GPU and this machine has none that can be used.
void warn_without_device() {
  static bool has_warned = false;
  if (has_warned) return;
  has_warned = true;
  const std::string text = run::missing_device_notice();
  if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 1) < 0) throw nb::python_error();
}

// NumPy's call with stretched core dimensions. A call with axis= or axes=, which moves the core
// dimensions elsewhere, goes to NumPy as it is.
PyObject* call_stretched(PyObject* callable, const UfuncState& state, PyObject* const* args,
                         std::size_t n_args_flag, PyObject* names) {
  const declare::CoreSignature& layout = *state.library->declaration().layout;
  const Py_ssize_t n_positional = PyVectorcall_NARGS(n_args_flag);
  const std::vector<nb::object> inputs = broadcast_core_dimensions(layout, args);
  const Py_ssize_t n_named = names ? PyTuple_GET_SIZE(names) : 0;
  std::vector<PyObject*> changed(args, args + n_positional + n_named);
  for (std::size_t i = 0; i < inputs.size(); ++i) changed[i] = inputs[i].ptr();
  return state.numpy_call(callable, changed.data(), static_cast<std::size_t>(n_positional), names);
}

bool names_axes(PyObject* names) {
  for (Py_ssize_t i = 0; names != nullptr && i < PyTuple_GET_SIZE(names); ++i) {
    PyObject* name = PyTuple_GET_ITEM(names, i);
    if (PyUnicode_CompareWithASCIIString(name, "axes") == 0) return true;
    if (PyUnicode_CompareWithASCIIString(name, "axis") == 0) return true;
  }
  return false;
}

PyObject* call_or_throw(PyObject* callable, PyObject* const* args, std::size_t n_args_flag,
                        PyObject* names) {
  UfuncState& state = *find_state(callable);
  if (state.library->declaration().target == run::CallTarget::kCuda) warn_without_device();
  if (!is_twin(state) && call_has_foreign_dispatch(args, PyVectorcall_NARGS(n_args_flag), names)) {
    const nb::object twin = nb::borrow(twin_of(state));
    return find_state(twin.ptr())->numpy_call(twin.ptr(), args, n_args_flag, names);
  }
  const run::Declaration& declaration = state.library->declaration();
  if (state.stretches_operands && !names_axes(names) &&
      PyVectorcall_NARGS(n_args_flag) >= static_cast<Py_ssize_t>(declaration.n_inputs)) {
    return call_stretched(callable, state, args, n_args_flag, names);
  }
  return state.numpy_call(callable, args, n_args_flag, names);
}

PyObject* call(PyObject* callable, PyObject* const* args, std::size_t n_args_flag,
               PyObject* names) {
  try {
    return call_or_throw(callable, args, n_args_flag, names);
  } catch (...) {
    set_python_error(std::current_exception());
    return nullptr;
  }
}

}  // namespace

bool numpy_uses_vectorcall_field() {
  return PyUFunc_Type.tp_vectorcall_offset == offsetof(PyUFuncObject, vectorcall);
}

void install_call_hook(PyUFuncObject* ufunc, UfuncState& state) {
  if (!numpy_uses_vectorcall_field()) return;
  const auto& layout = state.library->declaration().layout;
  state.stretches_operands = layout && has_broadcastable_dimensions(*layout);
  state.numpy_call = ufunc->vectorcall;
  ufunc->vectorcall = call;
}

}  // namespace numpy_plugin::ufunc
