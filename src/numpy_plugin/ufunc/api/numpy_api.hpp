// Python's and NumPy's C API, included in one order and sharing one table in all of ufunc/.
#pragma once

#include <nanobind/nanobind.h>

#define PY_ARRAY_UNIQUE_SYMBOL numpy_plugin_ARRAY_API
#define PY_UFUNC_UNIQUE_SYMBOL numpy_plugin_UFUNC_API
#ifndef NPP_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#define NO_IMPORT_UFUNC
#endif
#include <numpy/arrayobject.h>
#include <numpy/dtype_api.h>
#include <numpy/ufuncobject.h>

#include <memory>
#include <optional>
#include <string>

#include "numpy_plugin/base/dtype.hpp"

namespace numpy_plugin::ufunc {

// Loads NumPy's function tables, and hands its sorts to the loops; called once, during module
// initialization.
void import_numpy();

// Casts an object known to be an array.
inline PyArrayObject* as_array(nanobind::handle object) {
  return reinterpret_cast<PyArrayObject*>(object.ptr());
}

// The name of an object's type, for messages.
inline std::string type_name_of(nanobind::handle object) {
  return nanobind::str(object.type().attr("__name__")).c_str();
}

// Casts a numpy.dtype.
inline PyArray_Descr* as_descriptor(nanobind::handle dtype) {
  return reinterpret_cast<PyArray_Descr*>(dtype.ptr());
}
// Casts a DType class of the C API. Borrowed.
inline PyArray_DTypeMeta* as_class(const nanobind::object& dtype) {
  return reinterpret_cast<PyArray_DTypeMeta*>(dtype.ptr());
}

inline nanobind::object not_implemented() { return nanobind::borrow(Py_NotImplemented); }

// Likewise as a new reference, for functions of NumPy that steal one.
inline PyArray_Descr* new_descriptor(nanobind::handle dtype) {
  Py_INCREF(dtype.ptr());
  return as_descriptor(dtype);
}

struct FreeIterator {
  void operator()(NpyIter* iterator) const { NpyIter_Deallocate(iterator); }
};
using IteratorPointer = std::unique_ptr<NpyIter, FreeIterator>;

// NumPy's type number of a dtype. For bfloat16, the number assigned to ml_dtypes; throws
// base::Error (kType) with an installation hint where ml_dtypes is missing.
int numpy_type_number(base::DType dtype);

// The dtype of a NumPy type number; nullopt for types that no kernel has.
std::optional<base::DType> dtype_of_number(int type_number);

// The dtype of a descriptor, with the unit of a date or duration; nullopt for types that no kernel
// has.
std::optional<base::DType> dtype_of_descriptor(const PyArray_Descr* descriptor);

// NumPy's dtype, a new reference.
nanobind::object descriptor_of(base::DType dtype);

// A NumPy scalar of a dtype, of a date or duration from its ticks.
nanobind::object scalar_of(base::DType dtype, const nanobind::object& number);

// The DType class of a dtype, a new reference.
nanobind::object dtype_class(base::DType dtype);

// The dtype of a DType class, a date or duration without a unit; nullopt for types that no kernel
// has.
std::optional<base::DType> dtype_of_class(PyArray_DTypeMeta* dtype_class);

}  // namespace numpy_plugin::ufunc
