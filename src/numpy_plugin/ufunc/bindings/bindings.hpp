// Parts of the extension module, one function per file, and the reading of their arguments.
#pragma once

#include <nanobind/nanobind.h>

#include "numpy_plugin/kernel/kernel.hpp"
#include "numpy_plugin/syntax/syntax.hpp"

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

// Converts a kernel's plain Python data (from the front end in numpy_plugin/) to
// declare::FunctionSyntax. Throws declare::KernelError for mistakes in the function's head that the
// data reports, and for expressions nested too deeply.
declare::FunctionSyntax read_function_syntax(nanobind::handle data);

// Device code passed from Python: names and bytes. Reads a sequence of tuples. Throws base::Error:
// kType for other objects, kValue for anything but device code.
declare::DeviceCodes read_device_codes(nanobind::handle codes);

}  // namespace numpy_plugin::ufunc
