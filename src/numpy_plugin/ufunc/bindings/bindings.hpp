// Parts of the extension module, one function per file.
#pragma once

#include <nanobind/nanobind.h>

namespace numpy_plugin::ufunc {

class DeviceArray;

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

// Binding of what `python -m numpy_plugin build` needs: code of ufuncs for extension modules.
void bind_building(nanobind::module_& module);

// Parts of the binding of DeviceArray: its views, and the methods that Python functions implement,
// which numpy_plugin/_hooks.py names.

// The elements in C order along one axis: a view if possible, otherwise a copy.
DeviceArray flattened(const DeviceArray& array);

void bind_array_views(nanobind::class_<DeviceArray>& type);
void bind_array_methods(nanobind::class_<DeviceArray>& type);

}  // namespace numpy_plugin::ufunc
