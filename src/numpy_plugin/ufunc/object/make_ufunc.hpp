// Registration with NumPy: turns a kernel library into an object for which type(f) is np.ufunc.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "numpy_plugin/run/library/kernel_library.hpp"
#include "numpy_plugin/ufunc/api/numpy_api.hpp"

namespace numpy_plugin::ufunc {

// `identity` is a number, None or "reorderable". Declared signatures become legacy loops, so that
// f.types lists them and NumPy's search by safe casts works; without signatures, a promoter
// compiles for the types of each call. `name` may differ from the declaration's (see
// call_hook.hpp).
nanobind::object make_ufunc(std::shared_ptr<run::KernelLibrary> library,
                            const nanobind::object& identity, const std::string& name);

// Ufuncs of structured arrays: their loop passes each field of a record as an operand of its own to
// the loop of another ufunc, the kernel's.

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
