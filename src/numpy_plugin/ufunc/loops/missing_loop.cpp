#include "numpy_plugin/ufunc/loops/ufunc_loops.hpp"

#include <algorithm>
#include <exception>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/ufunc/api/python_error.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"

namespace numpy_plugin::ufunc {

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

}  // namespace numpy_plugin::ufunc
