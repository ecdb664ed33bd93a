// Exceptions raised by elements in this thread's loops. Loops cannot fail: they record the error
// here, and their caller checks it.
#pragma once

#include <npp/core/errors.hpp>

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::run {

struct RaisedError {
  npp::Errors errors;
  const declare::PythonKernel* kernel = nullptr;  // set by the caller of the loop
  bool is_set() const { return errors.any(); }
};

// Thread-local.
RaisedError& raised_error();

// Keeps the first error.
void report_raised_error(const npp::Errors& errors);

}  // namespace numpy_plugin::run
