// Calls of ufuncs whose kernels can raise: the call fails with its first element's exception.
#pragma once

#include <optional>
#include <vector>

#include "numpy_plugin/run/reports/kernel_reports.hpp"
#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

namespace numpy_plugin::ufunc {

// Finds the first element of a failed call that raised, in C order. A loop only knows that some
// element did: NumPy passes it pieces in an order of its own, and elements are computed several at
// a time. The call is repeated on parts of its operands by bisection until one element is left.

// Arguments of a call, with inputs that an output overlaps copied: they are needed again where the
// call fails.
class SeparateInputs {
 public:
  SeparateInputs(const UfuncState& state, const GivenArguments& given);
  GivenArguments given() const { return {values_.data(), given_.n_positional, given_.names}; }

 private:
  GivenArguments given_;
  std::vector<PyObject*> values_;
  std::vector<nanobind::object> copies_;
};

struct RaisedElement {
  std::vector<Py_ssize_t> indices;  // into the loop shape
  run::RaisedError raised;
};

// nullopt where no part of the call fails again.
std::optional<RaisedElement> find_raised_element(PyObject* callable, const GivenArguments& given,
                                                 vectorcallfunc make_call);

// Runs `make_call`; where an element raised, sets its exception and returns null.
PyObject* call_and_raise(PyObject* callable, const GivenArguments& given, vectorcallfunc make_call);

}  // namespace numpy_plugin::ufunc
