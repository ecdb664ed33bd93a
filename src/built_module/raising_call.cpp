#include "built_module/ufuncs.hpp"

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "numpy_plugin/run/reports/kernel_reports.hpp"

namespace numpy_plugin::built {
namespace {

// The function `raise_in_call` of the module's Python source; kept as long as the process.
PyObject* raise_in_call = nullptr;

vectorcallfunc numpys_call = nullptr;

// Calls of this thread that check after NumPy whether an element raised; others, such as
// np.ufunc.reduce(f, x), have nobody else to set the error.
thread_local int n_checked_calls = 0;

// The number of the loop that raised.
thread_local int raising_loop = 0;

bool has_raised() { return run::raised_error().is_set(); }

class CheckedCall {
 public:
  CheckedCall() : outer_(std::exchange(run::raised_error(), {})) { ++n_checked_calls; }
  ~CheckedCall() {
    run::raised_error() = outer_;
    --n_checked_calls;
  }
  CheckedCall(const CheckedCall&) = delete;
  CheckedCall& operator=(const CheckedCall&) = delete;

  npp::Errors raised() const { return run::raised_error().errors; }

 private:
  run::RaisedError outer_;
};

Reference values_of(const npp::Errors& errors) {
  Reference values(PyTuple_New(npp::kMaxErrorValues));
  for (int i = 0; values != nullptr && i < npp::kMaxErrorValues; ++i) {
    PyObject* const bits = PyLong_FromUnsignedLongLong(errors.values[i]);
    if (bits == nullptr) return nullptr;
    PyTuple_SET_ITEM(values.get(), i, bits);
  }
  return values;
}

// Sets Python's error. `args` and `named` are the call's; null where they are not known.
void set_raised(const char* ufunc_name, const npp::Errors& errors, PyObject* ufunc, PyObject* args,
                PyObject* named) {
  const Reference values = values_of(errors);
  if (values == nullptr) return;
  PyObject* const none = Py_None;
  const auto given = [none](PyObject* object) { return object == nullptr ? none : object; };
  const Reference result(PyObject_CallFunction(raise_in_call, "siIOOOO", ufunc_name, raising_loop,
                                               errors.number, values.get(), given(ufunc),
                                               given(args), given(named)));
}

Reference tuple_of(PyObject* const* values, Py_ssize_t n) {
  Reference tuple(PyTuple_New(n));
  for (Py_ssize_t i = 0; tuple != nullptr && i < n; ++i) {
    PyTuple_SET_ITEM(tuple.get(), i, borrowed(values[i]).release());
  }
  return tuple;
}

Reference dictionary_of(PyObject* names, PyObject* const* values) {
  Reference named(PyDict_New());
  const Py_ssize_t n = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
  for (Py_ssize_t i = 0; named != nullptr && i < n; ++i) {
    if (PyDict_SetItem(named.get(), PyTuple_GET_ITEM(names, i), values[i]) < 0) return nullptr;
  }
  return named;
}

const char* name_of(PyObject* ufunc) { return reinterpret_cast<PyUFuncObject*>(ufunc)->name; }

PyObject* call(PyObject* ufunc, PyObject* const* values, std::size_t n_values, PyObject* names) {
  const CheckedCall checked;
  PyObject* const result = numpys_call(ufunc, values, n_values, names);
  if (!has_raised()) return result;
  Py_XDECREF(result);
  PyErr_Clear();
  const Py_ssize_t n_positional = PyVectorcall_NARGS(n_values);
  const Reference args = tuple_of(values, n_positional);
  const Reference named = dictionary_of(names, values + n_positional);
  if (args != nullptr && named != nullptr)
    set_raised(name_of(ufunc), checked.raised(), ufunc, args.get(), named.get());
  return nullptr;
}

constexpr std::array kMethods = {"reduce", "accumulate", "reduceat", "outer", "at"};

template <std::size_t Method>
PyObject* call_method(PyObject* ufunc, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  const CheckedCall checked;
  const Reference method(
      PyObject_GetAttrString(reinterpret_cast<PyObject*>(&PyUFunc_Type), kMethods[Method]));
  if (method == nullptr) return nullptr;
  const Py_ssize_t n_named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
  std::vector<PyObject*> all = {ufunc};
  all.insert(all.end(), values, values + n + n_named);
  PyObject* const result =
      PyObject_Vectorcall(method.get(), all.data(), static_cast<std::size_t>(n) + 1, names);
  if (!has_raised()) return result;
  Py_XDECREF(result);
  PyErr_Clear();
  set_raised(name_of(ufunc), checked.raised(), nullptr, nullptr, nullptr);
  return nullptr;
}

// PyMethodDef has one function type for all calling conventions.
template <std::size_t Method>
PyCFunction method_function() {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&call_method<Method>));
}

template <std::size_t... Methods>
PyMethodDef* method_definitions(std::index_sequence<Methods...>) {
  static PyMethodDef definitions[] = {
      {kMethods[Methods], method_function<Methods>(), METH_FASTCALL | METH_KEYWORDS, nullptr}...};
  return definitions;
}

bool install_methods(PyObject* ufunc) {
  PyMethodDef* const definitions = method_definitions(std::make_index_sequence<kMethods.size()>());
  for (std::size_t i = 0; i < kMethods.size(); ++i) {
    const Reference method(PyCFunction_New(&definitions[i], ufunc));
    if (method == nullptr || PyObject_SetAttrString(ufunc, kMethods[i], method.get()) < 0)
      return false;
  }
  return true;
}

}  // namespace

RaisingLoop::RaisingLoop(const npp::BuiltUfunc& ufunc, int number)
    : ufunc_(ufunc), number_(number), was_over_(n_checked_calls > 0 && has_raised()) {
  if (n_checked_calls == 0) run::raised_error() = {};
}

RaisingLoop::~RaisingLoop() {
  if (was_over_ || !has_raised()) return;
  raising_loop = number_;
  if (n_checked_calls > 0) return;
  const PyGILState_STATE state = PyGILState_Ensure();
  if (PyErr_Occurred() == nullptr)
    set_raised(ufunc_.name, run::raised_error().errors, nullptr, nullptr, nullptr);
  PyGILState_Release(state);
}

bool prepare_exceptions(const npp::BuiltModule& contents) {
  if (contents.raising == nullptr) return true;
  const Reference names(PyDict_New());
  if (names == nullptr) return false;
  const Reference done(PyRun_String(contents.raising, Py_file_input, names.get(), names.get()));
  const Reference rows(
      done == nullptr ? nullptr
                      : PyRun_String(contents.exceptions, Py_eval_input, names.get(), names.get()));
  if (rows == nullptr || PyDict_SetItemString(names.get(), "EXCEPTIONS", rows.get()) < 0)
    return false;
  raise_in_call = borrowed(PyDict_GetItemString(names.get(), "raise_in_call")).release();
  return raise_in_call != nullptr;
}

bool install_raising_call(PyObject* object) {
  auto* const ufunc = reinterpret_cast<PyUFuncObject*>(object);
  if (PyUFunc_Type.tp_vectorcall_offset != offsetof(PyUFuncObject, vectorcall)) return true;
  numpys_call = ufunc->vectorcall;
  ufunc->vectorcall = call;
  return install_methods(object);
}

}  // namespace numpy_plugin::built
