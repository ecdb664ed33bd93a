// The extension module numpy_plugin._core.
#include "numpy_plugin/ufunc/api/interruption.hpp"
#include "numpy_plugin/ufunc/api/numpy_api.hpp"
#include "numpy_plugin/ufunc/api/python_error.hpp"
#include "numpy_plugin/ufunc/api/stand_in_type.hpp"
#include "numpy_plugin/ufunc/bindings/bindings.hpp"

NB_MODULE(_core, module) {
  using namespace numpy_plugin::ufunc;
  module.doc() = "The C++ core of numpy_plugin; use the package's own functions instead.";
  // A thread that is at work when the process ends keeps what it has: nobody can give it back.
  nanobind::set_leak_warnings(false);
  import_numpy();
  // What the interpreter holds at its end (a frame of sys.last_exc) is no leak of this package.
  nanobind::set_leak_warnings(false);
  register_exceptions();
  register_interruption_test();
  prepare_stand_in_type();
  bind_external_functions(module);
  bind_declaration(module);
  bind_inspection(module);
  bind_environment(module);
  bind_devices(module);
  bind_streams(module);
  bind_device_arrays(module);
  bind_explanations(module);
  bind_raw_kernels(module);
  bind_function_kernels(module);
}
