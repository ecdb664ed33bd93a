// Calls that pass operands by parameter name, or omit some that have defaults: f(x, sigma=2.0).
// NumPy knows neither and gets all operands by position.
#pragma once

#include <vector>

#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

namespace numpy_plugin::ufunc {

// Reads the names and defaults of the inputs from a ufunc's declaration.
void read_parameters(UfuncState& state);

// Arguments of a call with fewer positional operands than the ufunc has. NumPy's own keywords (out,
// where, axis, ...) take precedence over parameters. Throws TypeError for operands that are
// missing, duplicate or unknown; a call without names or defaults is left for NumPy to reject.
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
