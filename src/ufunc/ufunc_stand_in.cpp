#include "numpy_plugin/ufunc/ufunc_stand_in.hpp"

#include <exception>

#include "numpy_plugin/ufunc/make_ufunc.hpp"
#include "numpy_plugin/ufunc/python_error.hpp"
#include "numpy_plugin/ufunc/ufunc_state.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

constexpr char kStandIn[] = "_stand_in";
constexpr char kOriginal[] = "_stands_in_for";
constexpr char kMadeFrom[] = "_made_from";

// The ufunc that a stand-in stands in for; any other object is its own. Borrowed.
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

// Pickled and copied as the ufunc that it stands in for.
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

bool is_ufunc_of(const char* module, const std::string& name) {
  const nb::object found = nb::getattr(nb::module_::import_(module), name.c_str(), nb::none());
  return PyObject_TypeCheck(found.ptr(), &PyUFunc_Type) != 0;
}

bool is_operator(const std::string& name) {
  const std::string method = "__" + name + "__";
  const nb::object found =
      nb::getattr(nb::module_::import_("operator"), method.c_str(), nb::none());
  return PyCallable_Check(found.ptr()) != 0;
}

nb::object make_stand_in(nb::handle ufunc, const nb::dict& attributes) {
  const UfuncState& state = state_of(ufunc);
  nb::object made = make_ufunc(state.library, state.identity, "numpy_plugin." + state.name);
  Py_SET_TYPE(made.ptr(), &stand_in_type);
  const nb::dict own(made.attr("__dict__"));
  own[kOriginal] = ufunc;
  if (attributes.contains(kMadeFrom)) own[kMadeFrom] = attributes[kMadeFrom];
  return made;
}

}  // namespace

void prepare_stand_in_type() {
  Py_SET_REFCNT(&stand_in_type, 1);
  stand_in_type.tp_name = "numpy_plugin._core.UfuncStandIn";
  stand_in_type.tp_base = &PyUFunc_Type;  // "no base type", which types made in C are not held to
  stand_in_type.tp_flags = Py_TPFLAGS_DEFAULT;
  stand_in_type.tp_hash = hash;
  stand_in_type.tp_richcompare = compare;
  stand_in_type.tp_methods = methods;
  if (PyType_Ready(&stand_in_type) < 0) throw nb::python_error();
}

bool is_stand_in(PyObject* object) { return Py_TYPE(object) == &stand_in_type; }

bool is_known_name(const std::string& name) {
  return is_ufunc_of("numpy", name) || is_ufunc_of("numpy._core.umath", name) || is_operator(name);
}

nb::object stand_in_of(nb::handle ufunc) {
  const nb::dict attributes(ufunc.attr("__dict__"));
  if (!attributes.contains(kStandIn)) attributes[kStandIn] = make_stand_in(ufunc, attributes);
  return attributes[kStandIn];
}

}  // namespace numpy_plugin::ufunc
