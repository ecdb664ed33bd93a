#include "numpy_plugin/ufunc/refusals/raising_call.hpp"

#include <exception>

#include "numpy_plugin/ufunc/api/python_error.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

nb::object as_tuple(const std::vector<Py_ssize_t>& indices) {
  nb::list list;
  for (const Py_ssize_t index : indices) list.append(index);
  return nb::tuple(list);
}

// Raises the exception of the first failing element; of any where it can't be found.
void raise_of_first_element(PyObject* callable, const GivenArguments& given,
                            const run::RaisedError& raised, vectorcallfunc make_call) {
  const UfuncState& state = *find_state(callable);
  const auto found = find_raised_element(callable, given, make_call);
  if (!found) return set_raised_exception(raised, state.name, nb::none());
  set_raised_exception(found->raised, state.name, as_tuple(found->indices));
}

}  // namespace

PyObject* call_and_raise(PyObject* callable, const GivenArguments& given,
                         vectorcallfunc make_call) {
  try {
    const SeparateInputs separate(*find_state(callable), given);
    const RaiseScope scope;
    PyObject* const result =
        make_call(callable, separate.given().values, given.n_positional, given.names);
    if (!scope.raised().is_set()) return result;
    Py_XDECREF(result);
    PyErr_Clear();
    raise_of_first_element(callable, separate.given(), scope.raised(), make_call);
  } catch (...) {
    set_python_error(std::current_exception());
  }
  return nullptr;
}

}  // namespace numpy_plugin::ufunc
