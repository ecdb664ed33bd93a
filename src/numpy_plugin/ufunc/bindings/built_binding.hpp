// Binding of what `python -m numpy_plugin build` needs: code of ufuncs for extension modules.
#pragma once

#include <nanobind/nanobind.h>

namespace numpy_plugin::ufunc {

void bind_building(nanobind::module_& module);

}  // namespace numpy_plugin::ufunc
