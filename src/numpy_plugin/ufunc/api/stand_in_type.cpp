#include "numpy_plugin/ufunc/api/stand_in_type.hpp"

#include <exception>

#include "numpy_plugin/ufunc/api/python_error.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

constexpr char kOriginal[] = "_stands_in_for";

// The ufunc behind a stand-in; other objects unchanged. Borrowed.
PyObject* original_of(PyObject* object) {
  if (!is_stand_in(object)) return object;
  PyObject* const attributes = PyObject_GenericGetDict(object, nullptr);
  if (attributes == nullptr) PyErr_Clear();
  PyObject* const original =
      attributes == nullptr ? nullptr : PyDict_GetItemString(attributes, kOriginal);
  Py_XDECREF(attributes);
  return original == nullptr ? object : original;
}

PyObject* compare(PyObject* left, PyObject* right, int operation) {
  const bool is_known =
      (operation == Py_EQ || operation == Py_NE) && PyObject_TypeCheck(right, &PyUFunc_Type) != 0;
  if (!is_known) Py_RETURN_NOTIMPLEMENTED;
  const bool is_same = original_of(left) == original_of(right);
  return PyBool_FromLong(is_same == (operation == Py_EQ));
}

Py_hash_t hash(PyObject* stand_in) { return PyBaseObject_Type.tp_hash(original_of(stand_in)); }

// Pickles and copies as the original ufunc.
PyObject* reduce(PyObject* stand_in, PyObject*) {
  try {
    const nb::object reducers = nb::module_::import_("copyreg").attr("dispatch_table");
    const nb::handle type(reinterpret_cast<PyObject*>(&PyUFunc_Type));
    return nb::object(reducers[type](nb::handle(original_of(stand_in)))).release().ptr();
  } catch (...) {
    set_python_error(std::current_exception());
    return nullptr;
  }
}

PyMethodDef methods[] = {
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyTypeObject stand_in_type = {};

}  // namespace

void prepare_stand_in_type() {
  Py_SET_REFCNT(&stand_in_type, 1);
  stand_in_type.tp_name = "numpy_plugin._core.UfuncStandIn";
  stand_in_type.tp_base = &PyUFunc_Type;  // "no base type", which does not bind types made in C
  stand_in_type.tp_flags = Py_TPFLAGS_DEFAULT;
  stand_in_type.tp_hash = hash;
  stand_in_type.tp_richcompare = compare;
  stand_in_type.tp_methods = methods;
  if (PyType_Ready(&stand_in_type) < 0) throw nb::python_error();
}

bool is_stand_in(PyObject* object) { return Py_TYPE(object) == &stand_in_type; }

void make_stand_in_for(nb::handle ufunc, nb::handle original) {
  Py_SET_TYPE(ufunc.ptr(), &stand_in_type);
  nb::dict(ufunc.attr("__dict__"))[kOriginal] = original;
}

}  // namespace numpy_plugin::ufunc
