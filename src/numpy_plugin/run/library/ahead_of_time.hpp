// Code of a declaration for an extension module that is built ahead of time, for other machines.
#pragma once

#include <string>
#include <vector>

#include "numpy_plugin/emit/source/emit.hpp"
#include "numpy_plugin/run/library/kernel_library.hpp"

namespace numpy_plugin::run {

// Why a declaration can't be part of such a module, to be read after the ufunc's name; empty where
// it can.
std::string obstacle_to_building(const KernelLibrary& library);

// Kernels and entry points; the caller sets the rest.
emit::BuiltUfunc built_ufunc(const KernelLibrary& library);

// The object with the loops for one of base::cpu_levels(), with `suffix` after its names. Throws
// base::Error (kCompiler).
std::string built_object(const KernelLibrary& library, const std::string& level,
                         const std::string& suffix);

// The object of a module's table.
std::string built_table(const emit::BuiltModule& module);

// The device code of a declaration's kernels for "sm_90" or "compute_90": that of the forms which
// calls have most often. Throws base::Error (kCompiler), and kValue for other architectures.
std::vector<BuiltImage> built_images(const KernelLibrary& library, const std::string& arch);

}  // namespace numpy_plugin::run
