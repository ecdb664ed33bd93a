// Python's and NumPy's C API, and owned references, for the sources of built modules.
#pragma once

#include <Python.h>

#define PY_ARRAY_UNIQUE_SYMBOL npp_built_module_ARRAY_API
#define PY_UFUNC_UNIQUE_SYMBOL npp_built_module_UFUNC_API
#ifndef NPP_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#define NO_IMPORT_UFUNC
#endif
#include <numpy/arrayobject.h>
#include <numpy/ufuncobject.h>

#include <memory>

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

}  // namespace numpy_plugin::built
