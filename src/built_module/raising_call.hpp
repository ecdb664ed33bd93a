// Calls of ufuncs whose kernels can raise: NumPy does not ask loops whether they failed, so its
// call, and its methods, are followed by a check.
#pragma once

#include <npp/cpu/built_module.hpp>

#include "built_module/numpy_api.hpp"

namespace numpy_plugin::built {

// One call of a loop that can raise. Needs no GIL.
class RaisingLoop {
 public:
  RaisingLoop(const npp::BuiltUfunc& ufunc, int number);
  ~RaisingLoop();
  RaisingLoop(const RaisingLoop&) = delete;
  RaisingLoop& operator=(const RaisingLoop&) = delete;

  // Whether an earlier element has raised: the rest of the call computes nothing.
  bool is_over() const { return was_over_; }

 private:
  const npp::BuiltUfunc& ufunc_;
  int number_;
  bool was_over_;
};

// Keeps the functions that make exceptions, and their texts. Called before the first ufunc is made.
// False with Python's error set where Python refuses them.
bool prepare_exceptions(const npp::BuiltModule& contents);

// Makes calls of a ufunc, and of its methods, raise. False likewise.
bool install_raising_call(PyObject* ufunc);

}  // namespace numpy_plugin::built
