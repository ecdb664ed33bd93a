// The extension module numpy_plugin._core.
#include "numpy_plugin/system/process_end.hpp"
#include "numpy_plugin/ufunc/api/events.hpp"
#include "numpy_plugin/ufunc/api/numpy_api.hpp"
#include "numpy_plugin/ufunc/api/python_error.hpp"
#include "numpy_plugin/ufunc/api/stand_in_type.hpp"
#include "numpy_plugin/ufunc/bindings/bindings.hpp"

NB_MODULE(_core, module) {
  using namespace numpy_plugin::ufunc;
  using namespace nanobind::literals;
  module.doc() = "The C++ core of numpy_plugin; use the package's own functions instead.";
  // Objects that the interpreter still holds at exit (a frame of sys.last_exc), and those of
  // running threads, are no leaks of this package. Its tests enable the warnings.
  nanobind::set_leak_warnings(false);
  module.def("set_leak_warnings", &nanobind::set_leak_warnings, "value"_a,
             "Report objects of this module that are alive when the interpreter ends.");
  // Runs before C's exit handlers, which destroy the objects of NVRTC.
  Py_AtExit(numpy_plugin::system::stop_other_threads);
  import_numpy();
  register_exceptions();
  register_interruption_test();
  register_printed_lines();
  register_events();
  prepare_stand_in_type();
  bind_external_functions(module);
  bind_declaration(module);
  bind_inspection(module);
  bind_compiled_loops(module);
  bind_environment(module);
  bind_settings(module);
  bind_devices(module);
  bind_streams(module);
  bind_device_arrays(module);
  bind_array_creation(module);
  bind_explanations(module);
  bind_raw_kernels(module);
  bind_function_kernels(module);
  bind_indexed_kernels(module);
  bind_graphs(module);
  bind_memory(module);
  bind_reductions(module);
  bind_selection(module);
  bind_building(module);
}
