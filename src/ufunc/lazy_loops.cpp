#include "numpy_plugin/ufunc/lazy_loops.hpp"

#include <algorithm>
#include <exception>
#include <string>
#include <vector>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/declare/raising.hpp"
#include "numpy_plugin/load/raised_error.hpp"
#include "numpy_plugin/ufunc/missing_loop.hpp"
#include "numpy_plugin/ufunc/python_error.hpp"
#include "numpy_plugin/ufunc/raising_loop.hpp"
#include "numpy_plugin/ufunc/ufunc_state.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

using base::DType;

// NumPy gives a loop its context but no data of ours, so the loop is found by the context's types.
const LazyLoop* lazy_loop_of(const PyArrayMethod_Context* context) {
  const UfuncState* state = context->caller ? find_state(context->caller) : nullptr;
  if (state == nullptr) return nullptr;
  return state->lazy_loops.find([context](const LazyLoop& loop) {
    for (std::size_t i = 0; i < loop.type_numbers.size(); ++i) {
      if (context->descriptors[i]->type_num != loop.type_numbers[i]) return false;
    }
    return true;
  });
}

int call_lazy_loop(PyArrayMethod_Context* context, char* const* data, const npy_intp* dimensions,
                   const npy_intp* strides, NpyAuxData*) {
  const LazyLoop* lazy = lazy_loop_of(context);
  if (lazy == nullptr) return -1;
  char** args = const_cast<char**>(data);
  const UfuncState* state = find_state(context->caller);
  if (!lazy->loop->missing.empty()) {
    call_missing_loop(args, dimensions, strides, const_cast<run::Loop*>(lazy->loop));
    return -1;
  }
  const bool is_parallel = state->library->declaration().target == run::CallTarget::kParallel;
  if (declare::can_raise(lazy->loop->kernel)) {
    void* const loop = const_cast<run::Loop*>(lazy->loop);
    (is_parallel ? call_raising_parallel_loop : call_raising_loop)(args, dimensions, strides, loop);
    return load::raised_error().is_set() ? -1 : 0;
  }
  if (is_parallel) {
    run::run_parallel_loop(args, dimensions, strides, lazy->loop->parallel);
  } else {
    lazy->loop->parallel.loop(args, dimensions, strides, nullptr);
  }
  return 0;
}

// NumPy takes an identity from a legacy loop but not from an added one: this slot gives it.
int get_reduction_initial(PyArrayMethod_Context* context, npy_bool, void* initial) {
  const UfuncState* state = context->caller ? find_state(context->caller) : nullptr;
  if (state == nullptr || state->identity.is_none() || nb::isinstance<nb::str>(state->identity)) {
    return 0;
  }
  const int status = PyArray_Pack(const_cast<PyArray_Descr*>(context->descriptors[0]),
                                  static_cast<char*>(initial), state->identity.ptr());
  return status < 0 ? -1 : 1;
}

void add_loop(PyObject* ufunc, UfuncState& state, const std::vector<DType>& dtypes,
              const run::Loop& loop) {
  std::vector<nb::object> classes;
  std::vector<PyArray_DTypeMeta*> pointers;
  std::vector<int> type_numbers;
  for (const DType dtype : dtypes) {
    classes.push_back(dtype_class(dtype));
    pointers.push_back(reinterpret_cast<PyArray_DTypeMeta*>(classes.back().ptr()));
    type_numbers.push_back(numpy_type_number(dtype));
  }
  PyType_Slot slots[] = {
      {NPY_METH_strided_loop, reinterpret_cast<void*>(&call_lazy_loop)},
      {NPY_METH_get_reduction_initial, reinterpret_cast<void*>(&get_reduction_initial)},
      {0, nullptr}};
  const run::Declaration& declaration = state.library->declaration();
  const bool is_reorderable = !state.identity.is_none();
  PyArrayMethod_Spec spec{};
  spec.name = state.name.c_str();
  spec.nin = static_cast<int>(declaration.n_inputs);
  spec.nout = static_cast<int>(declaration.n_outputs);
  spec.casting = NPY_NO_CASTING;
  spec.flags = static_cast<NPY_ARRAYMETHOD_FLAGS>(is_reorderable ? NPY_METH_IS_REORDERABLE : 0);
  spec.dtypes = pointers.data();
  spec.slots = slots;
  if (PyUFunc_AddLoopFromSpec(ufunc, &spec) < 0) throw nb::python_error();
  state.lazy_loops.add(std::move(type_numbers), loop);
}

bool has_loop(const UfuncState& state, const run::Loop& loop) {
  return state.lazy_loops.find([&](const LazyLoop& lazy) { return lazy.loop == &loop; }) != nullptr;
}

// What NumPy makes of a plain Python number that meets nothing else.
std::optional<DType> default_dtype(PyArray_DTypeMeta* abstract) {
  const nb::object name = nb::handle(reinterpret_cast<PyObject*>(abstract)).attr("__name__");
  const std::string text = nb::str(name).c_str();
  if (text == "_PyLongDType") return DType::kInt64;
  if (text == "_PyFloatDType") return DType::kFloat64;
  if (text == "_PyComplexDType") return DType::kComplex128;
  return std::nullopt;
}

// The concrete type an operand is computed in: its own, or for a plain Python number the one that
// promotion with the others gives.
std::optional<DType> operand_dtype(PyArray_DTypeMeta* given, PyArray_DTypeMeta* common) {
  if (const auto own = dtype_of_class(given)) return own;
  if (common == nullptr || !default_dtype(given)) return std::nullopt;
  const auto shared = dtype_of_class(common);
  return shared ? shared : default_dtype(common);
}

// With dtype= NumPy names only the outputs, and means the whole computation: the inputs take that
// type.
PyArray_DTypeMeta* type_named_for_outputs(std::size_t n_inputs,
                                          PyArray_DTypeMeta* const* signature) {
  const bool names_inputs = std::any_of(signature, signature + n_inputs,
                                        [](PyArray_DTypeMeta* dtype) { return dtype != nullptr; });
  return names_inputs ? nullptr : signature[n_inputs];
}

// The input types of a call; nothing when one of them is no kernel type.
std::optional<std::vector<DType>> call_dtypes(std::size_t n_inputs,
                                              PyArray_DTypeMeta* const* op_dtypes,
                                              PyArray_DTypeMeta* const* signature) {
  PyArray_DTypeMeta* named = type_named_for_outputs(n_inputs, signature);
  std::vector<PyArray_DTypeMeta*> given;
  for (std::size_t i = 0; i < n_inputs; ++i) {
    given.push_back(named != nullptr ? named : signature[i] ? signature[i] : op_dtypes[i]);
    if (given.back() == nullptr) return std::nullopt;
  }
  const nb::object common = nb::steal(reinterpret_cast<PyObject*>(
      PyArray_PromoteDTypeSequence(static_cast<npy_intp>(n_inputs), given.data())));
  if (!common.is_valid()) PyErr_Clear();  // texts, dates: operand_dtype says no to them
  std::vector<DType> dtypes;
  for (PyArray_DTypeMeta* dtype : given) {
    const auto found = operand_dtype(dtype, reinterpret_cast<PyArray_DTypeMeta*>(common.ptr()));
    if (!found) return std::nullopt;
    dtypes.push_back(*found);
  }
  return dtypes;
}

// Compiles without Python's lock, so that other threads go on; the library lets one thread compile.
const run::Loop& compiled_loop(run::KernelLibrary& library, const std::vector<DType>& inputs) {
  const nb::gil_scoped_release release;
  return library.loop_for(inputs);
}

int promote_or_throw(PyObject* ufunc, PyArray_DTypeMeta* const* op_dtypes,
                     PyArray_DTypeMeta* const* signature, PyArray_DTypeMeta** new_op_dtypes) {
  UfuncState& state = state_of(ufunc);
  const auto inputs = call_dtypes(state.library->declaration().n_inputs, op_dtypes, signature);
  if (!inputs) return -1;  // NumPy then says that there is no loop
  const run::Loop& loop = compiled_loop(*state.library, *inputs);
  issue_warnings(state.library->take_warnings());
  const std::vector<DType> dtypes = operand_dtypes(loop);
  if (!has_loop(state, loop)) {
    nb::module_::import_("numpy_plugin._changes").attr("warn_of_changes")(nb::handle(ufunc));
    add_loop(ufunc, state, dtypes, loop);
  }
  for (std::size_t i = 0; i < dtypes.size(); ++i) {
    nb::object dtype = signature[i] != nullptr
                           ? nb::borrow(reinterpret_cast<PyObject*>(signature[i]))
                           : dtype_class(dtypes[i]);
    new_op_dtypes[i] = reinterpret_cast<PyArray_DTypeMeta*>(dtype.release().ptr());
  }
  return 0;
}

int promote(PyObject* ufunc, PyArray_DTypeMeta* const op_dtypes[],
            PyArray_DTypeMeta* const signature[], PyArray_DTypeMeta* new_op_dtypes[]) {
  try {
    return promote_or_throw(ufunc, op_dtypes, signature, new_op_dtypes);
  } catch (...) {
    set_python_error(std::current_exception());
    return -1;
  }
}

}  // namespace

void add_promoter(const nb::object& ufunc) {
  const run::Declaration& declaration = state_of(ufunc).library->declaration();
  nb::list any;
  for (std::size_t i = 0; i < declaration.n_inputs + declaration.n_outputs; ++i) {
    any.append(nb::handle(reinterpret_cast<PyObject*>(&PyArrayDescr_Type)));
  }
  const nb::object capsule =
      nb::steal(PyCapsule_New(reinterpret_cast<void*>(&promote), "numpy._ufunc_promoter", nullptr));
  const nb::object dtypes = nb::steal(PySequence_Tuple(any.ptr()));
  if (PyUFunc_AddPromoter(ufunc.ptr(), dtypes.ptr(), capsule.ptr()) < 0) throw nb::python_error();
}

}  // namespace numpy_plugin::ufunc
