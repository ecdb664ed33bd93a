#include "numpy_plugin/ufunc/object/call_hook.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <string>
#include <vector>

#include "numpy_plugin/run/device/current_device.hpp"
#include "numpy_plugin/run/offload/cost_model.hpp"
#include "numpy_plugin/ufunc/api/events.hpp"
#include "numpy_plugin/ufunc/api/python_error.hpp"
#include "numpy_plugin/ufunc/api/stream_argument.hpp"
#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"
#include "numpy_plugin/ufunc/arguments/core_dimensions.hpp"
#include "numpy_plugin/ufunc/device_calls/device_call.hpp"
#include "numpy_plugin/ufunc/loops/ufunc_loops.hpp"
#include "numpy_plugin/ufunc/offload/offload.hpp"
#include "numpy_plugin/ufunc/refusals/raising_call.hpp"
#include "numpy_plugin/ufunc/refusals/refused_call.hpp"
#include "numpy_plugin/ufunc/threads/shared_call.hpp"

namespace numpy_plugin::ufunc {

namespace nb = nanobind;

namespace {

namespace nb = nanobind;

// NumPy's call with broadcast core dimensions. Calls with axis= or axes=, which move core
// dimensions, go to NumPy unchanged.
PyObject* call_stretched(PyObject* callable, const UfuncState& state, const GivenArguments& given) {
  const declare::CoreSignature& layout = *state.library->declaration().layout;
  const std::vector<nb::object> inputs = broadcast_core_dimensions(layout, given.values);
  std::vector<PyObject*> changed(given.values, given.values + given.n_values());
  for (std::size_t i = 0; i < inputs.size(); ++i) changed[i] = inputs[i].ptr();
  return state.numpy_call(callable, changed.data(), given.n_positional, given.names);
}

bool names_axes(PyObject* names) {
  for (Py_ssize_t i = 0; names != nullptr && i < PyTuple_GET_SIZE(names); ++i) {
    PyObject* const name = PyTuple_GET_ITEM(names, i);
    if (is_name(name, "axes") || is_name(name, "axis")) return true;
  }
  return false;
}

// Makes calls on a library's types; null where NumPy's dispatch makes all of them.
const LazyFunction* hook_of(ForeignLibrary library) {
  switch (library) {
    case ForeignLibrary::kDask:
      return &hooks().call_on_dask;
    case ForeignLibrary::kPandas:
      return &hooks().call_on_pandas;
    case ForeignLibrary::kPolars:
      return &hooks().call_on_polars;
    case ForeignLibrary::kNone:
    case ForeignLibrary::kOther:
      break;
  }
  return nullptr;
}

// NumPy dispatches the call to the __array_ufunc__ of an operand's type.
PyObject* call_with_foreign_dispatch(PyObject* callable, const UfuncState& state,
                                     const GivenArguments& given, const CallDispatch& dispatch) {
  const bool is_for_stand_in = state.has_known_name;
  const nb::object called = is_for_stand_in ? stand_in_of(callable) : nb::borrow(callable);
  if (const LazyFunction* const hook = hook_of(dispatch.library)) {
    nb::object result = try_library_call(*hook, called, given);
    if (result.is_valid()) return result.release().ptr();
  }
  return find_state(called.ptr())
      ->numpy_call(called.ptr(), given.values, given.n_positional, given.names);
}

// Calls without device operands, which NumPy makes.
PyObject* call_with_numpy(PyObject* callable, UfuncState& state, const GivenArguments& given,
                          const CallDispatch& dispatch) {
  if (dispatch.has_foreign_dispatch()) {
    return call_with_foreign_dispatch(callable, state, given, dispatch);
  }
  nb::object result = try_host_call_on_device(callable, state, given);
  if (result.is_valid()) return result.release().ptr();
  const bool is_for_device = state.library->declaration().call_target == declare::CallTarget::kCuda;
  if (is_for_device && run::find_current_device() == nullptr) warn_without_device();
  const ResultMemoryScope results(given);
  result = try_shared_call(callable, state, given);
  if (result.is_valid()) return result.release().ptr();
  const bool has_inputs = given.n_positional >= state.library->declaration().n_inputs;
  if (state.stretches_operands && has_inputs && !names_axes(given.names)) {
    return call_stretched(callable, state, given);
  }
  return state.numpy_call(callable, given.values, given.n_positional, given.names);
}

// A host array too small to be offloaded or shared by threads, or a number.
bool is_small_operand(PyObject* operand) {
  PyTypeObject* const type = Py_TYPE(operand);
  if (type != &PyArray_Type) return type == &PyFloat_Type || type == &PyLong_Type;
  const PyArrayObject* const array = as_array(operand);
  npy_intp n_elements = 1;
  for (int axis = 0; axis < PyArray_NDIM(array); ++axis) n_elements *= PyArray_DIM(array, axis);
  static_assert(kLeastSharedElements <= run::kMinimumDeviceElements);
  return n_elements < kLeastSharedElements;
}

bool names_only_output(const GivenArguments& given) {
  static const Name out("out");
  return given.n_named() == 0 || (given.n_named() == 1 && out.is(given.name(0)));
}

// Fast path: small host operands, no keyword but out=.
bool takes_fast_path(const UfuncState& state, const GivenArguments& given) {
  return state.leaves_small_calls && names_only_output(given) &&
         std::all_of(given.values, given.values + given.n_values(), is_small_operand);
}

PyObject* call_or_throw(PyObject* callable, UfuncState& state, const GivenArguments& given) {
  if (takes_fast_path(state, given)) {
    return state.numpy_call(callable, given.values, given.n_positional, given.names);
  }
  const CallDispatch dispatch = classify_operands(given);
  if (dispatch.has_device_array && !dispatch.has_foreign_dispatch()) {
    return call_on_device(callable, state, read_call(callable, state, given)).release().ptr();
  }
  if (!dispatch.stream.is_valid()) {
    return call_with_numpy(callable, state, given, dispatch);
  }
  const StreamScope scope(dispatch.stream);
  const ArgumentsWithoutStream others(given);
  return call_with_numpy(callable, state, others.given(), dispatch);
}

// Fewer positional operands than parameters: the others have names or defaults.
bool needs_binding(const UfuncState& state, const GivenArguments& given) {
  return given.n_positional < state.parameters.size();
}

PyObject* call_or_set_error(PyObject* callable, UfuncState& state, const GivenArguments& given) {
  try {
    PyObject* const result = call_or_throw(callable, state, given);
    log_events();
    return result_or_interruption(result);
  } catch (...) {
    set_python_error(std::current_exception());
    return nullptr;
  }
}

// Without outputs, a promoter's answer can equal NumPy's question, which NumPy takes for an endless
// promotion: it finds the loop that was registered on the way when it is asked again.
PyObject* call_again_with_loop(PyObject* callable, UfuncState& state, const GivenArguments& given) {
  const LazyLoop* const newest = state.lazy_loops.newest();
  PyObject* const result = call_or_set_error(callable, state, given);
  if (result != nullptr || state.lazy_loops.newest() == newest) return result;
  PyErr_Clear();
  return call_or_set_error(callable, state, given);
}

// Adds this package's notes to NumPy's exceptions.
PyObject* call_with_note(PyObject* callable, UfuncState& state, const GivenArguments& given) {
  const bool has_outputs = state.library->declaration().n_outputs > 0;
  PyObject* const result = has_outputs ? call_or_set_error(callable, state, given)
                                       : call_again_with_loop(callable, state, given);
  if (result != nullptr) return result;
  note_refused_types(callable, CalledAs::kCall, given);
  if (!state.output_only_name.empty()) note_unsized_output(callable, state, given);
  return result;
}

PyObject* call(PyObject* callable, PyObject* const* args, std::size_t n_args_flag,
               PyObject* names) {
  try {
    const auto n_positional = static_cast<std::size_t>(PyVectorcall_NARGS(n_args_flag));
    const GivenArguments given{args, n_positional, names};
    UfuncState& state = *find_state(callable);
    if (!needs_binding(state, given)) return call_with_note(callable, state, given);
    return call_with_note(callable, state, BoundArguments(state, given).given());
  } catch (...) {
    set_python_error(std::current_exception());
    return nullptr;
  }
}

// Likewise for ufuncs with a loop that sets the Python error, for which NumPy does not check.
PyObject* call_and_check_error(PyObject* callable, PyObject* const* args, std::size_t n_args_flag,
                               PyObject* names) {
  PyObject* const result = call(callable, args, n_args_flag, names);
  if (PyErr_Occurred() == nullptr) return result;
  Py_XDECREF(result);
  return nullptr;
}

// Likewise for kernels that can raise.
PyObject* call_raising(PyObject* callable, PyObject* const* args, std::size_t n_args_flag,
                       PyObject* names) {
  const auto n_positional = static_cast<std::size_t>(PyVectorcall_NARGS(n_args_flag));
  const GivenArguments given{args, n_positional, names};
  try {
    const UfuncState& state = *find_state(callable);
    if (!needs_binding(state, given)) return call_and_raise(callable, given, call_and_check_error);
    return call_and_raise(callable, BoundArguments(state, given).given(), call_and_check_error);
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
  state.leaves_small_calls =
      state.library->declaration().call_target != declare::CallTarget::kCuda &&
      !state.stretches_operands;
  const declare::CallTarget target = state.library->declaration().call_target;
  state.is_elementwise_on_cpu = !layout && target != declare::CallTarget::kCuda;
  state.shares_calls = state.is_elementwise_on_cpu && target != declare::CallTarget::kCpu;
  state.has_known_name = is_known_name(state.name);
  if (layout) state.output_only_name = layout->output_only_name();
  state.numpy_call = NumpyCall(ufunc->vectorcall);
  ufunc->vectorcall = state.can_raise                    ? call_raising
                      : has_missing_loop(*state.library) ? call_and_check_error
                                                         : call;
}

nb::object try_library_call(const LazyFunction& hook, nb::handle called,
                            const GivenArguments& given) {
  std::vector<PyObject*> values = {called.ptr()};
  values.insert(values.end(), given.values, given.values + given.n_values());
  nb::object result = checked(
      PyObject_Vectorcall(hook.get().ptr(), values.data(), given.n_positional + 1, given.names));
  return result.is(nb::handle(Py_NotImplemented)) ? nb::object() : result;
}

}  // namespace numpy_plugin::ufunc
