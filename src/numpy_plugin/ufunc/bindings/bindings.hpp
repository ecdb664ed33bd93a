// Parts of the extension module, one function per file.
#pragma once

#include <nanobind/nanobind.h>

namespace numpy_plugin::ufunc {

void bind_declaration(nanobind::module_& module);
void bind_external_functions(nanobind::module_& module);
void bind_inspection(nanobind::module_& module);
void bind_compiled_loops(nanobind::module_& module);
void bind_environment(nanobind::module_& module);
void bind_settings(nanobind::module_& module);
void bind_devices(nanobind::module_& module);
void bind_streams(nanobind::module_& module);
void bind_device_arrays(nanobind::module_& module);
void bind_array_creation(nanobind::module_& module);
void bind_explanations(nanobind::module_& module);
void bind_raw_kernels(nanobind::module_& module);
void bind_function_kernels(nanobind::module_& module);
void bind_indexed_kernels(nanobind::module_& module);
void bind_graphs(nanobind::module_& module);
void bind_memory(nanobind::module_& module);
void bind_reductions(nanobind::module_& module);
void bind_selection(nanobind::module_& module);

}  // namespace numpy_plugin::ufunc
