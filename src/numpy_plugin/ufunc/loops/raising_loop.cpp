#include "numpy_plugin/ufunc/loops/ufunc_loops.hpp"

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

}  // namespace

void note_raising_kernel(const run::Loop& loop) {
  run::raised_error().kernel = &std::get<declare::PythonKernel>(loop.kernel.body);
}

void call_raising_loop(char** args, const npy_intp* dimensions, const npy_intp* steps, void* data) {
  const auto& loop = *static_cast<const run::Loop*>(data);
  call_and_report(loop, [&] { run::run_parallel_loop(args, dimensions, steps, loop.parallel); });
}

}  // namespace numpy_plugin::ufunc
