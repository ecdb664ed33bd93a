#include "numpy_plugin/ufunc/arrays/device_array.hpp"

#include "numpy_plugin/ufunc/api/events.hpp"
#include "numpy_plugin/ufunc/api/numpy_api.hpp"

namespace numpy_plugin::ufunc {

namespace nb = nanobind;

void warn_of_cast(base::DType from, base::DType to) {
  const bool is_lossy = base::is_complex(from) && !base::is_complex(to) && to != base::DType::kBool;
  if (!is_lossy) return;
  const nb::object category =
      nb::module_::import_("numpy").attr("exceptions").attr("ComplexWarning");
  const char* const text = "Casting complex values to real discards the imaginary part";
  if (PyErr_WarnEx(category.ptr(), text, caller_stack_level()) < 0) throw nb::python_error();
}

}  // namespace numpy_plugin::ufunc
