#include "numpy_plugin/ufunc/loops/ufunc_loops.hpp"

#include <algorithm>
#include <exception>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/run/cpu/reduce/kept_calls.hpp"
#include "numpy_plugin/ufunc/api/python_error.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"

namespace numpy_plugin::ufunc {
namespace {

// For calls that bypassed the call hook, such as np.ufunc.reduce(f, x): nobody else checks.
void set_error_now(const run::Loop& loop) {
  const AcquiredGil lock;
  const run::RaisedError raised = run::raised_error();
  if (PyErr_Occurred() == nullptr) {
    set_raised_exception(raised, loop.kernel.name, nanobind::none());
  }
}

template <class Call>
void call_and_report(const run::Loop& loop, const Call& call) {
  run::RaisedError& raised = run::raised_error();
  if (!is_raise_scope_open()) raised = {};
  if (raised.is_set()) return;
  call();
  if (!raised.is_set()) return;
  note_raising_kernel(loop);
  if (!is_raise_scope_open()) set_error_now(loop);
}

void call_loop(char** args, const npy_intp* dimensions, const npy_intp* steps, void* data) {
  const auto& loop = *static_cast<const run::ParallelLoop*>(data);
  if (run::is_call_kept(args, dimensions, steps, loop)) return;
  run::run_parallel_loop(args, dimensions, steps, loop);
}

constexpr npy_uint32 kOutputFlags =
    NPY_ITER_ALIGNED | NPY_ITER_ALLOCATE | NPY_ITER_NO_BROADCAST | NPY_ITER_NO_SUBTYPE;

npy_uint32 output_flags(const PyUFuncObject* ufunc) {
  return kOutputFlags |
         (ufunc->core_enabled ? NPY_ITER_UPDATEIFCOPY : NPY_ITER_OVERLAP_ASSUME_ELEMENTWISE);
}

}  // namespace

LegacyLoop legacy_loop(const run::Loop& loop) {
  if (!loop.missing.empty()) return {call_missing_loop, const_cast<run::Loop*>(&loop)};
  if (declare::can_raise(loop.kernel)) return {call_raising_loop, const_cast<run::Loop*>(&loop)};
  return {call_loop, const_cast<run::ParallelLoop*>(&loop.parallel)};
}

void note_raising_kernel(const run::Loop& loop) {
  run::raised_error().kernel = &std::get<declare::PythonKernel>(loop.kernel.body);
}

void call_raising_loop(char** args, const npy_intp* dimensions, const npy_intp* steps, void* data) {
  const auto& loop = *static_cast<const run::Loop*>(data);
  call_and_report(loop, [&] { run::run_parallel_loop(args, dimensions, steps, loop.parallel); });
}

void call_missing_loop(char**, const npy_intp*, const npy_intp*, void* data) {
  const auto& loop = *static_cast<const run::Loop*>(data);
  const AcquiredGil lock;
  if (PyErr_Occurred() != nullptr) return;
  set_python_error(std::make_exception_ptr(base::Error(base::ErrorKind::kCompiler, loop.missing)));
}

bool has_missing_loop(const run::KernelLibrary& library) {
  const auto loops = library.declared_loops();
  return std::any_of(loops.begin(), loops.end(),
                     [](const run::Loop& loop) { return !loop.missing.empty(); });
}

void mark_outputs(PyUFuncObject* ufunc) {
  if (!ufunc->core_enabled) return;
  for (int operand = ufunc->nin; operand < ufunc->nargs; ++operand) {
    ufunc->op_flags[operand] = output_flags(ufunc) | NPY_ITER_WRITEONLY;
  }
}

void mark_read_outputs(PyUFuncObject* ufunc, const run::ParallelLoop& loop) {
  for (int operand = ufunc->nin; operand < ufunc->nargs; ++operand) {
    if (!loop.operands[static_cast<std::size_t>(operand)].is_read) continue;
    ufunc->op_flags[operand] = output_flags(ufunc) | NPY_ITER_READWRITE;
  }
}

}  // namespace numpy_plugin::ufunc
