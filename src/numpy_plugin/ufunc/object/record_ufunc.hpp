// Ufuncs of structured arrays: their loop passes each field of a record as an operand of its own to
// the loop of another ufunc, the kernel's.
#pragma once

#include <string>
#include <vector>

#include "numpy_plugin/ufunc/api/numpy_api.hpp"

namespace numpy_plugin::ufunc {

struct RecordUfuncText {
  std::string name;
  std::string doc;
  std::string layout;  // empty: elementwise
};

// `dtypes` are the operands', of which at least one is structured; `n_inputs` of them are inputs.
// `kernel` is a ufunc of this package with a single loop, for the fields in their order.
nanobind::object make_record_ufunc(const nanobind::object& kernel,
                                   const std::vector<nanobind::object>& dtypes, int n_inputs,
                                   const RecordUfuncText& text);

}  // namespace numpy_plugin::ufunc
