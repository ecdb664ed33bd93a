// Runs between f(...) and NumPy: ufuncs of this package have their own function in the
// `vectorcall` field of NumPy's object, and their own methods. They see every call's operands
// first, so that
//  - calls on device arrays, of this package or other libraries, run on their device;
//  - host operands are offloaded where the ufunc's target requires it;
//  - operands of types that dispatch on a ufunc's *name* get a stand-in where they may know it;
//  - core dimensions written "n|1" are broadcast.
// Everything else is passed to NumPy unchanged.
#pragma once

#include <string>

#include "numpy_plugin/ufunc/api/hooks.hpp"
#include "numpy_plugin/ufunc/api/numpy_api.hpp"
#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"
#include "numpy_plugin/ufunc/loops/ufunc_state.hpp"

namespace numpy_plugin::ufunc {

// Whether this NumPy calls ufuncs through the field declared in its header; otherwise ufuncs keep
// NumPy's call.
bool numpy_uses_vectorcall_field();

void install_call_hook(PyUFuncObject* ufunc, UfuncState& state);

// Overrides of reduce, accumulate, reduceat, outer and at, as entries in the ufunc's __dict__ that
// shadow NumPy's methods. Reductions whose loop NumPy would not always find get other arguments
// (see reduction_arguments.hpp); NumPy's errors get a note (see refused_call.hpp).
void install_methods(nanobind::handle ufunc);

// Other libraries dispatch on a ufunc's *name*: pandas runs its own operator for a ufunc called
// "add" or "sub", dask its own divmod. Where they may know the name, the `__array_ufunc__` of their
// types gets a stand-in: a ufunc with the same loops and a name that contains a dot and so is
// unique. It compares equal to the ufunc and has its hash, so that look-ups by the ufunc find it.

// Whether a NumPy ufunc or a Python operator has this name.
bool is_known_name(const std::string& name);

// The stand-in of one of this package's ufuncs, created at first use. The two refer to each other
// through their __dict__, visible to the garbage collector.
nanobind::object stand_in_of(nanobind::handle ufunc);

// Calls on another library's types by a hook. dask would learn a call's result types by making it
// on zeros, and knows multiple results and outer products of NumPy's own ufuncs only; pandas and
// polars give ufuncs no datetime64 for some of their dates.

// The result of a call of a ufunc or its method; an invalid object where NumPy's dispatch makes it.
// Throws Python's exceptions.
nanobind::object try_library_call(const LazyFunction& hook, nanobind::handle called,
                                  const GivenArguments& given);

// Memory of large results on the CPU, from a pool of pages that are already mapped.

// During a call with large operands NumPy allocates arrays by this package's handler (NEP 49),
// which each of them keeps until it is freed. A handler of the user's stays in place. Requires the
// GIL; throws base::Error (kValue) for an invalid NUMPY_PLUGIN_KEPT_MEMORY.
class ResultMemoryScope {
 public:
  explicit ResultMemoryScope(const GivenArguments& given);
  ~ResultMemoryScope();
  ResultMemoryScope(const ResultMemoryScope&) = delete;
  ResultMemoryScope& operator=(const ResultMemoryScope&) = delete;

 private:
  nanobind::object before_;  // null where no handler was set
};

}  // namespace numpy_plugin::ufunc
