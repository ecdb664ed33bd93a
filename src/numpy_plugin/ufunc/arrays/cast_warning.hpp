// NumPy's warning about lossy casts, for casts on a device.
#pragma once

#include "numpy_plugin/base/dtype.hpp"

namespace numpy_plugin::ufunc {

// Issues numpy.exceptions.ComplexWarning where imaginary parts are discarded, at the line that
// called this package. Throws the Python error where warnings are errors.
void warn_of_cast(base::DType from, base::DType to);

}  // namespace numpy_plugin::ufunc
