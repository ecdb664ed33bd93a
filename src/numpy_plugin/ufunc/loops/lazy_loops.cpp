#include "numpy_plugin/ufunc/loops/ufunc_loops.hpp"

#include <cfenv>
#include <optional>
#include <string>
#include <utility>

#include "numpy_plugin/kernel/kernel.hpp"
#include "numpy_plugin/run/cpu/reduce/kept_calls.hpp"
#include "numpy_plugin/run/reports/kernel_reports.hpp"
#include "numpy_plugin/ufunc/api/hooks.hpp"
#include "numpy_plugin/ufunc/api/python_error.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"
#include "numpy_plugin/ufunc/loops/time_loops.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

using base::DType;

// NumPy passes a loop its context but no user data, so the loop is found by the context's types.
const LazyLoop* lazy_loop_of(const PyArrayMethod_Context* context) {
  const UfuncState* state = context->caller ? find_state(context->caller) : nullptr;
  if (state == nullptr) return nullptr;
  return state->lazy_loops.find([context](const LazyLoop& loop) {
    for (std::size_t i = 0; i < loop.codes.size(); ++i) {
      if (operand_code(context->descriptors[i]) != loop.codes[i]) return false;
    }
    return true;
  });
}

// Restores the floating-point flags, which NumPy checks after a loop.
class KeptFloatingPointFlags {
 public:
  KeptFloatingPointFlags() { std::fegetenv(&kept_); }
  ~KeptFloatingPointFlags() { std::fesetenv(&kept_); }
  KeptFloatingPointFlags(const KeptFloatingPointFlags&) = delete;
  KeptFloatingPointFlags& operator=(const KeptFloatingPointFlags&) = delete;

 private:
  std::fenv_t kept_;
};

// The loop with its code, which loops that a device call registered lack at first. NumPy calls
// short loops with the GIL. Returns nullptr with the Python error set.
const run::Loop* compiled_loop(const UfuncState& state, const LazyLoop& lazy) {
  if (const run::Loop* const known = lazy.compiled.load(std::memory_order_acquire)) return known;
  try {
    const KeptFloatingPointFlags keep;
    std::optional<ReleasedGil> release;
    if (PyGILState_Check() == 1) release.emplace();
    const run::Loop& compiled = state.library->compiled(*lazy.loop);
    lazy.compiled.store(&compiled, std::memory_order_release);
    return &compiled;
  } catch (...) {
    const AcquiredGil lock;
    if (PyErr_Occurred() == nullptr) set_python_error(std::current_exception());
    return nullptr;
  }
}

int call_lazy_loop(PyArrayMethod_Context* context, char* const* data, const npy_intp* dimensions,
                   const npy_intp* strides, NpyAuxData*) {
  const LazyLoop* lazy = lazy_loop_of(context);
  if (lazy == nullptr) return -1;
  char** args = const_cast<char**>(data);
  const UfuncState* state = find_state(context->caller);
  const run::Loop* const loop = compiled_loop(*state, *lazy);
  if (loop == nullptr) return -1;
  if (!loop->missing.empty()) {
    call_missing_loop(args, dimensions, strides, const_cast<run::Loop*>(loop));
    return -1;
  }
  if (declare::can_raise(loop->kernel)) {
    call_raising_loop(args, dimensions, strides, const_cast<run::Loop*>(loop));
    return run::raised_error().is_set() ? -1 : 0;
  }
  if (run::is_call_kept(args, dimensions, strides, loop->parallel)) return 0;
  run::run_parallel_loop(args, dimensions, strides, loop->parallel);
  return 0;
}

// The identity as NumPy packs it: Python's -1, all bits, is out of range for unsigned dtypes, a
// scalar of NumPy's is not.
nb::object packable_identity(const nb::object& identity, const PyArray_Descr* dtype) {
  if (!PyTypeNum_ISUNSIGNED(dtype->type_num) || !PyLong_CheckExact(identity.ptr())) return identity;
  nb::object scalar = nb::steal(
      PyObject_CallOneArg(reinterpret_cast<PyObject*>(&PyLongArrType_Type), identity.ptr()));
  if (scalar.is_valid()) return scalar;
  PyErr_Clear();
  return identity;
}

// NumPy uses the ufunc's identity for legacy loops but not for added ones: this slot provides it.
int get_reduction_initial(PyArrayMethod_Context* context, npy_bool, void* initial) {
  const UfuncState* state = context->caller ? find_state(context->caller) : nullptr;
  if (state == nullptr || state->identity.is_none() || nb::isinstance<nb::str>(state->identity)) {
    return 0;
  }
  auto* const dtype = const_cast<PyArray_Descr*>(context->descriptors[0]);
  const nb::object identity = packable_identity(state->identity, dtype);
  const int status = PyArray_Pack(dtype, static_cast<char*>(initial), identity.ptr());
  return status < 0 ? -1 : 1;
}

std::vector<int> type_numbers_of(const std::vector<nb::object>& classes) {
  std::vector<int> numbers;
  for (const nb::object& dtype : classes) {
    numbers.push_back(reinterpret_cast<PyArray_DTypeMeta*>(dtype.ptr())->type_num);
  }
  return numbers;
}

bool is_registered(const UfuncState& state, const std::vector<int>& codes) {
  return state.lazy_loops.find([&](const LazyLoop& loop) { return loop.codes == codes; }) !=
         nullptr;
}

}  // namespace

bool add_loop(PyObject* ufunc, const UfuncState& state, const std::vector<nb::object>& classes,
              void* resolve_descriptors) {
  std::vector<PyArray_DTypeMeta*> pointers;
  for (const nb::object& dtype : classes) {
    pointers.push_back(reinterpret_cast<PyArray_DTypeMeta*>(dtype.ptr()));
  }
  PyType_Slot slots[] = {
      {NPY_METH_strided_loop, reinterpret_cast<void*>(&call_lazy_loop)},
      {NPY_METH_get_reduction_initial, reinterpret_cast<void*>(&get_reduction_initial)},
      {resolve_descriptors != nullptr ? NPY_METH_resolve_descriptors : 0, resolve_descriptors},
      {0, nullptr}};
  const declare::Declaration& declaration = state.library->declaration();
  const bool is_reorderable = !state.identity.is_none();
  PyArrayMethod_Spec spec{};
  spec.name = state.name.c_str();
  spec.nin = static_cast<int>(declaration.n_inputs);
  spec.nout = static_cast<int>(declaration.n_outputs);
  spec.casting = NPY_NO_CASTING;
  spec.flags = static_cast<NPY_ARRAYMETHOD_FLAGS>(is_reorderable ? NPY_METH_IS_REORDERABLE : 0);
  spec.dtypes = pointers.data();
  spec.slots = slots;
  return PyUFunc_AddLoopFromSpec(ufunc, &spec) >= 0;
}

// Compiles without the GIL, so that other threads run; the library compiles in one thread.
const run::Loop& lazy_loop(const UfuncState& state, const std::vector<DType>& inputs,
                           const std::vector<bool>& plain, bool needs_code) {
  std::vector<declare::KernelWarning> warnings;
  const run::Loop* loop = nullptr;
  {
    const ReleasedGil release;
    loop = &state.library->loop_for(inputs, plain);
    if (needs_code) state.library->compiled(*loop);
    warnings = state.library->take_warnings();
  }
  issue_warnings(warnings);
  return *loop;
}

// The GIL serializes registration. Anything that runs Python code may release it to another thread
// that registers the same loop: then NumPy rejects this one.
void register_lazy_loop(PyObject* ufunc, const run::Loop& loop,
                        const std::vector<nb::object>& classes) {
  UfuncState& state = state_of(ufunc);
  std::vector<int> codes = type_numbers_of(classes);
  if (is_registered(state, codes)) return;
  hooks().warn_of_changes(nb::handle(ufunc));
  if (is_registered(state, codes)) return;
  mark_read_outputs(reinterpret_cast<PyUFuncObject*>(ufunc), loop.parallel);
  if (add_loop(ufunc, state, classes)) {
    state.library->note_registered(loop);
    return state.lazy_loops.add(std::move(codes), loop);
  }
  nb::python_error error;
  if (!is_registered(state, codes)) throw error;
}

void add_lazy_loop(PyObject* ufunc, const run::Loop& loop, std::vector<int> codes) {
  UfuncState& state = state_of(ufunc);
  if (is_registered(state, codes)) return;
  hooks().warn_of_changes(nb::handle(ufunc));
  if (is_registered(state, codes)) return;
  mark_read_outputs(reinterpret_cast<PyUFuncObject*>(ufunc), loop.parallel);
  state.library->note_registered(loop);
  state.lazy_loops.add(std::move(codes), loop);
}

}  // namespace numpy_plugin::ufunc
