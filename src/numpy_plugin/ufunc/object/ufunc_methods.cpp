#include "numpy_plugin/ufunc/object/call_hook.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <utility>
#include <vector>

#include "numpy_plugin/ufunc/api/python_error.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"
#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"
#include "numpy_plugin/ufunc/arguments/reduction_arguments.hpp"
#include "numpy_plugin/ufunc/device_methods/device_method.hpp"
#include "numpy_plugin/ufunc/offload/offload.hpp"
#include "numpy_plugin/ufunc/refusals/refused_call.hpp"
#include "numpy_plugin/ufunc/threads/shared_call.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

// In the order of CalledAs.
constexpr std::array kNames = {"reduce", "accumulate", "reduceat", "outer", "at"};
constexpr std::size_t kReductions = 3;  // the first entries, in the order of Reduction
constexpr std::size_t kOuter = 3;
constexpr std::size_t kAt = 4;
constexpr std::size_t kSharedMethods = 2;  // likewise, of SharedMethod

constexpr std::size_t kMostPlainValues = 4;

// The method of NumPy's ufunc type; leaked on purpose.
PyObject* numpys_method(std::size_t method) {
  static const std::array<PyObject*, kNames.size()> found = [] {
    std::array<PyObject*, kNames.size()> methods;
    const nb::handle type(reinterpret_cast<PyObject*>(&PyUFunc_Type));
    std::ranges::transform(kNames, methods.begin(),
                           [&](const char* name) { return type.attr(name).inc_ref().ptr(); });
    return methods;
  }();
  return found[method];
}

template <std::size_t Method>
PyObject* call_numpys(const nb::object& ufunc, const GivenArguments& given) {
  std::vector<PyObject*> values = {ufunc.ptr()};
  values.insert(values.end(), given.values, given.values + given.n_values());
  return result_or_interruption(call_python([&] {
    return PyObject_Vectorcall(numpys_method(Method), values.data(), given.n_positional + 1,
                               given.names);
  }));
}

bool is_axes(PyObject* value) {
  if (!PyTuple_CheckExact(value)) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); ++i) {
    if (!PyLong_CheckExact(PyTuple_GET_ITEM(value, i))) return false;
  }
  return true;
}

// Whether a call is NumPy's as it is, as most are: of an array with an axis or flags.
bool is_plain(const GivenArguments& given) {
  const auto is_plain_value = [](PyObject* value) {
    return PyArray_CheckExact(value) || PyLong_CheckExact(value) || PyBool_Check(value) ||
           value == Py_None || is_axes(value);
  };
  return given.n_values() > 0 && given.n_values() <= kMostPlainValues &&
         PyArray_CheckExact(given.values[0]) &&
         std::all_of(given.values + 1, given.values + given.n_values(), is_plain_value);
}

// Fast path: short reductions take less than a microsecond.
template <std::size_t Method>
PyObject* call_plain(PyObject* ufunc, const GivenArguments& given) {
  std::array<PyObject*, 1 + kMostPlainValues> values = {ufunc};
  std::copy_n(given.values, given.n_values(), values.begin() + 1);
  return result_or_interruption(call_python([&] {
    return PyObject_Vectorcall(numpys_method(Method), values.data(), given.n_positional + 1,
                               given.names);
  }));
}

// NumPy's method; threads share the lines of arrays with several axes.
template <std::size_t Method>
PyObject* call_plain_sharing(PyObject* ufunc, const UfuncState& state,
                             const GivenArguments& given) {
  if constexpr (Method < kSharedMethods) {
    constexpr auto kMethod = static_cast<SharedMethod>(Method);
    if (may_share_lines(state, kMethod, given)) {
      return result_or_interruption(call_sharing_lines(ufunc, kMethod, given, call_plain<Method>));
    }
  }
  return call_plain<Method>(ufunc, given);
}

// Likewise try_library_call() of a method.
template <std::size_t Method>
nb::object try_library_method(nb::handle ufunc, ForeignLibrary library,
                              const GivenArguments& given) {
  if (Method == kOuter && library == ForeignLibrary::kDask) {
    return try_library_call(hooks().outer_on_dask, ufunc, given);
  }
  if (library != ForeignLibrary::kPandas || Method == kAt) return nb::object();
  return try_library_call(hooks().call_on_pandas, ufunc.attr(kNames[Method]), given);
}

template <std::size_t Method>
PyObject* call_or_throw(PyObject* ufunc, const GivenArguments& given) {
  UfuncState& state = *find_state(ufunc);
  const bool is_for_device = state.library->declaration().call_target == declare::CallTarget::kCuda;
  if (is_plain(given) && !is_for_device &&
      (Method >= kReductions || !changes_reductions_of(state, given.values[0]))) {
    return call_plain_sharing<Method>(ufunc, state, given);
  }
  const CallDispatch dispatch = classify_method_operands(given);
  const bool has_foreign_dispatch = dispatch.has_foreign_dispatch();
  static const DeviceMethod* const device_method = find_device_method(kNames[Method]);
  if (dispatch.has_device_array && !has_foreign_dispatch) {
    return device_method->run(ufunc, state, given).release().ptr();
  }
  if (has_foreign_dispatch) {
    nb::object result = try_library_method<Method>(ufunc, dispatch.library, given);
    if (result.is_valid()) return result.release().ptr();
  }
  if (!has_foreign_dispatch) {
    nb::object result = try_host_method_on_device(ufunc, state, kNames[Method], given);
    if (result.is_valid()) return result.release().ptr();
  }
  const bool is_for_stand_in = state.has_known_name && has_foreign_dispatch;
  if (is_for_stand_in) return call_numpys<Method>(stand_in_of(ufunc), given);
  if (Method >= kReductions || !changes_reductions(state)) {
    return call_numpys<Method>(nb::borrow(ufunc), given);
  }
  const ReductionArguments changed(ufunc, static_cast<Reduction>(Method), given);
  return call_numpys<Method>(nb::borrow(ufunc), changed.given());
}

template <std::size_t Method>
PyObject* call_method(PyObject* ufunc, PyObject* const* args, Py_ssize_t n_args, PyObject* names) {
  const GivenArguments given{args, static_cast<std::size_t>(n_args), names};
  PyObject* result = nullptr;
  try {
    result = call_or_throw<Method>(ufunc, given);
  } catch (...) {
    set_python_error(std::current_exception());
  }
  if (result == nullptr) note_refused_types(ufunc, static_cast<CalledAs>(Method), given);
  return result;
}

// PyMethodDef has one function type for all calling conventions.
PyCFunction as_function(_PyCFunctionFastWithKeywords function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

template <std::size_t... Methods>
std::array<PyMethodDef, sizeof...(Methods)> make_definitions(std::index_sequence<Methods...>) {
  const auto doc = [](PyObject* method) {
    return reinterpret_cast<PyMethodDescrObject*>(method)->d_method->ml_doc;
  };
  return {{{kNames[Methods], as_function(call_method<Methods>), METH_FASTCALL | METH_KEYWORDS,
            doc(numpys_method(Methods))}...}};
}

}  // namespace

void install_methods(nb::handle ufunc) {
  static auto definitions = make_definitions(std::make_index_sequence<kNames.size()>());
  const nb::dict attributes(ufunc.attr("__dict__"));
  for (PyMethodDef& definition : definitions) {
    nb::object method = nb::steal(PyCFunction_New(&definition, ufunc.ptr()));
    if (!method.is_valid()) throw nb::python_error();
    attributes[definition.ml_name] = method;
  }
}

}  // namespace numpy_plugin::ufunc
