// Calls that give operands by the names of the Python function's parameters, or leave out some that
// have defaults: f(x, sigma=2.0). NumPy, which knows neither, gets all operands by position.
#pragma once

#include <vector>

#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

namespace numpy_plugin::ufunc {

// Reads from a ufunc's declaration what its inputs are called and which have defaults.
void read_parameters(UfuncState& state);

// The arguments of a call with fewer operands by position than the ufunc has. A name that NumPy
// takes (out, where, axis, ...) is NumPy's, whatever the parameters are called. Throws TypeError
// for an operand that is missing, given twice or unknown; a call that uses none of this stays as it
// is, for NumPy to refuse.
class BoundArguments {
 public:
  BoundArguments(const UfuncState& state, const GivenArguments& given);
  GivenArguments given() const { return given_; }

 private:
  GivenArguments given_;
  std::vector<PyObject*> values_;
  nanobind::object names_;
};

}  // namespace numpy_plugin::ufunc
