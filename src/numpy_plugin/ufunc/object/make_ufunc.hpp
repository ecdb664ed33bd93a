// Registration with NumPy: turns a kernel library into an object for which type(f) is np.ufunc.
#pragma once

#include <memory>
#include <string>

#include "numpy_plugin/run/library/kernel_library.hpp"
#include "numpy_plugin/ufunc/api/numpy_api.hpp"

namespace numpy_plugin::ufunc {

// `identity` is a number, None or "reorderable". Declared signatures become legacy loops, so that
// f.types lists them and NumPy's search by safe casts works; without signatures, a promoter
// compiles for the types of each call. `name` may differ from the declaration's (see
// ufunc_stand_in.hpp).
nanobind::object make_ufunc(std::shared_ptr<run::KernelLibrary> library,
                            const nanobind::object& identity, const std::string& name);

}  // namespace numpy_plugin::ufunc
