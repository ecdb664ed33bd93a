#include "numpy_plugin/ufunc/loops/ufunc_state.hpp"

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/ufunc/api/stand_in_type.hpp"

namespace numpy_plugin::ufunc {
namespace {

constexpr char kCapsuleName[] = "numpy_plugin.ufunc_state";

void delete_state(PyObject* capsule) {
  delete static_cast<UfuncState*>(PyCapsule_GetPointer(capsule, kCapsuleName));
}

}  // namespace

std::vector<base::DType> operand_dtypes(const run::Loop& loop) {
  std::vector<base::DType> dtypes;
  for (const auto& operand : loop.kernel.signature.inputs) dtypes.push_back(operand.dtype);
  for (const auto& operand : loop.kernel.signature.outputs) dtypes.push_back(operand.dtype);
  return dtypes;
}

UfuncState* find_state(PyObject* object) {
  if (Py_TYPE(object) != &PyUFunc_Type && !is_stand_in(object)) return nullptr;
  PyObject* owner = reinterpret_cast<PyUFuncObject*>(object)->obj;
  if (owner == nullptr || !PyCapsule_CheckExact(owner)) return nullptr;
  // Comparing the name's address suffices; comparing its text would take longer than all the rest.
  if (PyCapsule_GetName(owner) != kCapsuleName) return nullptr;
  return static_cast<UfuncState*>(PyCapsule_GetContext(owner));
}

UfuncState& state_of(nanobind::handle object) {
  UfuncState* state = find_state(object.ptr());
  if (state == nullptr) {
    throw base::Error(base::ErrorKind::kType,
                      "expected a ufunc made by numpy_plugin, found " + type_name_of(object));
  }
  return *state;
}

void attach_state(PyUFuncObject* ufunc, std::unique_ptr<UfuncState> state) {
  ufunc->obj = PyCapsule_New(state.get(), kCapsuleName, delete_state);
  if (ufunc->obj == nullptr) throw nanobind::python_error();
  PyCapsule_SetContext(ufunc->obj, state.get());
  state.release();
}

}  // namespace numpy_plugin::ufunc
