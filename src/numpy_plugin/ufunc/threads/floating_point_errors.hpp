// Floating-point errors of loops that this package calls in NumPy's place.
#pragma once

#include <cfenv>

#include "numpy_plugin/ufunc/api/numpy_api.hpp"

namespace numpy_plugin::ufunc {

// Flags of the C library, as NumPy numbers them.
inline int numpys_flags(int flags) {
  return (flags & FE_DIVBYZERO ? NPY_FPE_DIVIDEBYZERO : 0) |
         (flags & FE_OVERFLOW ? NPY_FPE_OVERFLOW : 0) |
         (flags & FE_UNDERFLOW ? NPY_FPE_UNDERFLOW : 0) |
         (flags & FE_INVALID ? NPY_FPE_INVALID : 0);
}

// Those of this thread.
inline int raised_flags() { return numpys_flags(std::fetestexcept(FE_ALL_EXCEPT)); }

// Handles them as np.errstate demands; `name` is that of the ufunc, or of its method.
inline void report_flags(const char* name, int flags) {
  if (flags != 0 && PyUFunc_GiveFloatingpointErrors(name, flags) < 0)
    throw nanobind::python_error();
}

}  // namespace numpy_plugin::ufunc
