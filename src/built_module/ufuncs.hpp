// Ufuncs of a built module, made from its table by Python's and NumPy's C API.
#pragma once

#include <Python.h>

#define PY_ARRAY_UNIQUE_SYMBOL npp_built_module_ARRAY_API
#define PY_UFUNC_UNIQUE_SYMBOL npp_built_module_UFUNC_API
#ifndef NPP_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#define NO_IMPORT_UFUNC
#endif
#include <numpy/arrayobject.h>
#include <numpy/dtype_api.h>
#include <numpy/ufuncobject.h>

#include <memory>
#include <npp/cpu/built_module.hpp>
#include <vector>

namespace numpy_plugin::built {

struct DropReference {
  void operator()(PyObject* object) const { Py_XDECREF(object); }
};

// An owned reference. Null, with Python's error set, where a call that returns one has failed.
using Reference = std::unique_ptr<PyObject, DropReference>;

inline Reference borrowed(PyObject* object) {
  Py_XINCREF(object);
  return Reference(object);
}

// A loop for this processor: the `data` of NumPy's loops. Its memory is never freed: NumPy may use
// it as long as the ufunc exists, and modules are never unloaded.
struct ChosenLoop {
  npp::LoopFunction* function;
  npp::intp n_bytes;  // npp::BuiltLoop's
  const npp::BuiltUfunc* ufunc;
  int number;                          // among the ufunc's
  std::vector<PyArray_Descr*> dtypes;  // of the operands
};

// Returns null with Python's error set where NumPy refuses the ufunc. `level` is the index of the
// loops' instruction set.
Reference make_ufunc(const npp::BuiltUfunc& contents, int level);

// Loops of dates and durations. NumPy finds a loop by the classes of the operands, which have no
// units: one is registered for each combination of classes, whose units are resolved for each call.

// Registers the loops of a ufunc, of which NumPy has none yet. False with Python's error set where
// NumPy refuses one.
bool add_time_loops(PyUFuncObject* ufunc, const npp::BuiltUfunc& contents);

// Calls of ufuncs whose kernels can raise: NumPy does not ask loops whether they failed, so its
// call, and its methods, are followed by a check.

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
