// Initialization of a built module: one for each of its imports in an interpreter.
#define NPP_IMPORTS_NUMPY
#include <algorithm>
#include <npp/cpu/built_module.hpp>

#include "built_module/ufuncs.hpp"
#include "numpy_plugin/base/cpu_levels.hpp"
#include "numpy_plugin/run/cpu/elementwise_driver.hpp"

namespace numpy_plugin::built {
namespace {

// This library's copy in a module has one module's contents.
const npp::BuiltModule* contents = nullptr;

// The newest of the module's levels that this processor supports; -1 where there is none.
int supported_level() {
  const auto known = base::cpu_levels();
  for (int level = contents->n_levels - 1; level >= 0; --level) {
    const auto found = std::find_if(known.begin(), known.end(), [&](const base::CpuLevel& each) {
      return each.name == contents->levels[level];
    });
    if (found != known.end() && found->is_supported) return level;
  }
  return -1;
}

bool set_attribute(PyObject* object, const char* name, Reference value) {
  return value != nullptr && PyObject_SetAttrString(object, name, value.get()) == 0;
}

// NumPy's own line with the call, before a docstring of C, has no names of operands.
bool set_docstring(PyObject* ufunc, const char* doc) {
  const Reference attributes(PyObject_GetAttrString(ufunc, "__dict__"));
  const Reference text(PyUnicode_FromString(doc));
  return attributes != nullptr && text != nullptr &&
         PyDict_SetItemString(attributes.get(), "__doc__", text.get()) == 0;
}

// Pickles find the ufunc by these names.
bool add_ufunc(PyObject* module, PyObject* names, const npp::BuiltUfunc& row, int level) {
  const Reference ufunc = make_ufunc(row, level);
  const Reference name(PyUnicode_FromString(row.name));
  return ufunc != nullptr && name != nullptr && set_docstring(ufunc.get(), row.doc) &&
         set_attribute(ufunc.get(), "__module__", Reference(PyModule_GetNameObject(module))) &&
         set_attribute(ufunc.get(), "__qualname__", borrowed(name.get())) &&
         PyModule_AddObjectRef(module, row.name, ufunc.get()) == 0 &&
         PyList_Append(names, name.get()) == 0;
}

bool add_device_data(PyObject* module) {
  if (contents->device_data == nullptr) return true;
  const auto n_bytes = static_cast<Py_ssize_t>(contents->device_data_end - contents->device_data);
  return set_attribute(module, "__numpy_plugin__",
                       Reference(PyMemoryView_FromMemory(const_cast<char*>(contents->device_data),
                                                         n_bytes, PyBUF_READ)));
}

PyArray_ArrFuncs* functions_of(int type_number) {
  const Reference dtype(reinterpret_cast<PyObject*>(PyArray_DescrFromType(type_number)));
  return PyDataType_GetArrFuncs(reinterpret_cast<PyArray_Descr*>(dtype.get()));
}

int execute(PyObject* module) {
  if (_import_array() < 0 || _import_umath() < 0) return -1;
  run::set_numpy_sorts(functions_of);
  const int level = supported_level();
  if (level < 0) {
    PyErr_Format(PyExc_ImportError, "%s needs a processor with the instructions of %s",
                 contents->name, contents->levels[0]);
    return -1;
  }
  std::for_each(
      contents->drivers, contents->drivers + contents->n_drivers,
      [](const npp::ElementwiseDriver** driver) { *driver = &run::elementwise_driver(); });
  const Reference names(PyList_New(0));
  if (names == nullptr || !prepare_exceptions(*contents)) return -1;
  for (int i = 0; i < contents->n_ufuncs; ++i) {
    if (!add_ufunc(module, names.get(), contents->ufuncs[i], level)) return -1;
  }
  if (!set_attribute(module, "__all__", borrowed(names.get()))) return -1;
  return add_device_data(module) ? 0 : -1;
}

PyModuleDef_Slot slots[] = {
    {Py_mod_exec, reinterpret_cast<void*>(execute)},
#ifdef Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},  // as NumPy
#endif
#ifdef Py_MOD_GIL_NOT_USED
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, nullptr}};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, nullptr, nullptr, 0, nullptr, slots, nullptr, nullptr, nullptr};

}  // namespace
}  // namespace numpy_plugin::built

void* npp_start_built_module(const npp::BuiltModule& given) {
  using namespace numpy_plugin::built;
  contents = &given;
  definition.m_name = given.name;
  definition.m_doc = given.doc;
  return PyModuleDef_Init(&definition);
}
