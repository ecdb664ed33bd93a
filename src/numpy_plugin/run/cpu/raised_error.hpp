// Exceptions raised by elements of the loops that run in a thread. Loops cannot fail: they leave it
// here, and whoever called them looks.
#pragma once

#include <npp/core/errors.hpp>

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::load {

struct RaisedError {
  npp::Errors errors;
  const declare::PythonKernel* kernel = nullptr;  // set by who called the loop
  bool is_set() const { return errors.any(); }
};

// Of this thread.
RaisedError& raised_error();

// Keeps the first there is.
void report_raised_error(const npp::Errors& errors);

}  // namespace numpy_plugin::load
