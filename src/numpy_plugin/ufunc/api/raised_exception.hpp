// Python exceptions from records of what a kernel raised.
#pragma once

#include <string>

#include "numpy_plugin/run/launch/raise_records.hpp"
#include "numpy_plugin/run/reports/kernel_reports.hpp"
#include "numpy_plugin/ufunc/api/numpy_api.hpp"

namespace numpy_plugin::ufunc {

// While a scope is open, loops of this thread record exceptions for its owner; otherwise they set
// the Python error themselves. Nests.
class RaiseScope {
 public:
  RaiseScope();
  ~RaiseScope();
  RaiseScope(const RaiseScope&) = delete;
  RaiseScope& operator=(const RaiseScope&) = delete;

  const run::RaisedError& raised() const { return run::raised_error(); }

 private:
  run::RaisedError outer_;
  bool was_open_;
};

bool is_raise_scope_open();

// Sets the Python error: the user's exception with its arguments. It has the attribute `element`, a
// tuple of indices or None, a note with the position of the `raise`, and a traceback that ends at
// the kernel's line. Requires the GIL.
void set_raised_exception(const run::RaisedError& raised, const std::string& ufunc_name,
                          const nanobind::object& element);

// Likewise for an exception found after its call has returned: a note names the call.
void set_late_exception(const run::LateRaise& late);

}  // namespace numpy_plugin::ufunc
