// `at` of ufuncs on device arrays.
#pragma once

#include <span>
#include <string>

#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

namespace numpy_plugin::ufunc {

// ufunc.at(array, key[, values]): in place, repeated indices one after the other in C order of the
// key; returns None. Throws NumPy's exceptions, base::Error, load::CudaError; then nothing is
// written.
nanobind::object at_on_device(PyObject* ufunc, UfuncState& state, const GivenArguments& given);

// Likewise with two or three arguments; `signature`: None, or the dtypes of the loop.
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
