// NumPy's warning about casts that lose a part of the values, for casts that a device makes.
#pragma once

#include "numpy_plugin/base/dtype.hpp"

namespace numpy_plugin::ufunc {

// numpy.exceptions.ComplexWarning where imaginary parts are discarded, at the line that called this
// package. Throws the Python error where warnings are errors.
void warn_of_cast(base::DType from, base::DType to);

}  // namespace numpy_plugin::ufunc
