// Bindings: the machine code of loops by address, for code that other compilers generate.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/kernel/kernel.hpp"
#include "numpy_plugin/ufunc/api/python_error.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"
#include "numpy_plugin/ufunc/bindings/bindings.hpp"
#include "numpy_plugin/ufunc/loops/ufunc_state.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

// The exception of this thread's last loop that raised, kept until Python asks for it.
struct KeptException {
  run::RaisedError raised;
  const run::Loop* loop = nullptr;
};

thread_local KeptException kept_exception;

// Runs the loop `data` of a kernel that can raise; returns 1 and keeps the exception if an element
// raised, else 0. Needs no GIL.
int run_raising_loop(char** args, const npy_intp* dimensions, const npy_intp* steps, void* data) {
  const auto& loop = *static_cast<const run::Loop*>(data);
  const RaiseScope scope;
  loop.parallel.loop(args, dimensions, steps, nullptr);
  if (!scope.raised().is_set()) return 0;
  kept_exception = {scope.raised(), &loop};
  kept_exception.raised.kernel = &std::get<declare::PythonKernel>(loop.kernel.body);
  return 1;
}

void raise_kept_exception() {
  NPP_ASSERT(kept_exception.loop != nullptr, "no loop of this thread has raised");
  set_raised_exception(kept_exception.raised, kept_exception.loop->kernel.name, nb::none());
  throw nb::python_error();
}

// The loop of exactly these dtypes, inputs, then outputs.
const run::Loop& find_loop(run::KernelLibrary& library, const std::vector<base::DType>& dtypes) {
  const std::vector<const run::Loop*> loops = library.loops();
  const auto found = std::find_if(loops.begin(), loops.end(), [&dtypes](const run::Loop* loop) {
    return operand_dtypes(*loop) == dtypes;
  });
  NPP_ASSERT(found != loops.end(),
             format("NumPy resolved the dtypes of a loop that '{}' does not have",
                    library.declaration().name));
  return **found;
}

std::tuple<std::uintptr_t, std::uintptr_t, bool> compiled_loop(
    nb::handle ufunc, const std::vector<nb::object>& descriptors) {
  run::KernelLibrary& library = *state_of(ufunc).library;
  std::vector<base::DType> dtypes;
  for (const nb::object& each : descriptors) {
    dtypes.push_back(dtype_of_descriptor(as_descriptor(each)).value());
  }
  const ReleasedGil release;
  const run::Loop& loop = library.compiled(find_loop(library, dtypes));
  if (!loop.missing.empty()) throw base::Error(base::ErrorKind::kCompiler, loop.missing);
  if (!declare::can_raise(loop.kernel)) {
    return {reinterpret_cast<std::uintptr_t>(loop.parallel.loop), 0, false};
  }
  return {reinterpret_cast<std::uintptr_t>(&run_raising_loop),
          reinterpret_cast<std::uintptr_t>(&loop), true};
}

}  // namespace

void bind_compiled_loops(nb::module_& module) {
  module.def("compiled_loop", &compiled_loop, "ufunc"_a, "dtypes"_a,
             "The address of the loop for NumPy's type numbers, compiled if necessary, its `data`, "
             "and whether it returns an int: 1 if an element raised. It has NumPy's parameters, "
             "and stays loaded as long as the ufunc exists.");
  module.def("raise_kept_exception", &raise_kept_exception,
             nb::sig("def raise_kept_exception() -> typing.NoReturn"),
             "Raise the exception of the last loop that returned 1 in this thread.");
}

}  // namespace numpy_plugin::ufunc
