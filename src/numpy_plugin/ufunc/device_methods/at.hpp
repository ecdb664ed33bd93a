// `at` of ufuncs on device arrays.
#pragma once

#include <span>
#include <string>

#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

namespace numpy_plugin::ufunc {

// ufunc.at(array, key[, values]): in place, repeated indices one after the other in C order of the
// key. `signature`: None, or the dtypes of the loop. Throws NumPy's exceptions, base::Error,
// load::CudaError; then nothing is written.
void update_at(nanobind::handle ufunc, UfuncState& state, std::span<PyObject* const> arguments,
               nanobind::handle signature);

// How the updates are made.
struct UpdateExplanation {
  std::string form;    // "atomic"
  std::string reason;  // in words
};

// Describes such a call without making an update. Throws likewise.
UpdateExplanation explain_at(nanobind::handle ufunc, UfuncState& state,
                             std::span<PyObject* const> arguments);

}  // namespace numpy_plugin::ufunc
