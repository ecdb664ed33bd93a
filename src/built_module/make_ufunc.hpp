// NumPy's ufuncs from the table of a built module.
#pragma once

#include <npp/cpu/built_module.hpp>

#include "built_module/numpy_api.hpp"

namespace numpy_plugin::built {

// A loop for this processor: the `data` of NumPy's loops. Its memory is never freed: NumPy may use
// it as long as the ufunc exists, and modules are never unloaded.
struct ChosenLoop {
  npp::LoopFunction* function;
  npp::intp n_bytes;  // npp::BuiltLoop's
  const npp::BuiltUfunc* ufunc;
  int number;  // among the ufunc's
};

// Returns null with Python's error set where NumPy refuses the ufunc. `level` is the index of the
// loops' instruction set.
Reference make_ufunc(const npp::BuiltUfunc& contents, int level);

}  // namespace numpy_plugin::built
