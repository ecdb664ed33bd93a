// The loops that NumPy calls.
#pragma once

#include <vector>

#include "numpy_plugin/run/cpu/parallel_loop.hpp"
#include "numpy_plugin/run/library/kernel_library.hpp"
#include "numpy_plugin/ufunc/api/numpy_api.hpp"
#include "numpy_plugin/ufunc/loops/ufunc_state.hpp"

namespace numpy_plugin::ufunc {

// One of NumPy's legacy loops. `data` is never null, and valid for the library's lifetime.
struct LegacyLoop {
  PyUFuncGenericFunction function;
  void* data;
};

// That of a declared loop.
LegacyLoop legacy_loop(const run::Loop& loop);

// Loops of kernels that can raise.

// NumPy's loop signature; `data` is the run::Loop. Once an element has raised, the rest of the call
// computes nothing. The caller may or may not hold the GIL.
void call_raising_loop(char** args, const npy_intp* dimensions, const npy_intp* steps, void* data);

// Completes the record of an exception that an element of this loop has raised in a shared call.
void note_raising_kernel(const run::Loop& loop);

// Loops of kernels that call a function without CPU code: calling them raises.

// NumPy's loop signature; `data` is the run::Loop. Sets the Python error.
void call_missing_loop(char** args, const npy_intp* dimensions, const npy_intp* steps, void* data);

// Whether any declared loop is missing.
bool has_missing_loop(const run::KernelLibrary& library);

// How NumPy's iterators take the outputs of a ufunc: on its object, for all of its loops.

// A kernel may read an input's elements after writing others: an output that shares an input's
// memory must be a copy, unless no operand has core dimensions and NumPy proceeds element by
// element.
void mark_outputs(PyUFuncObject* ufunc);

// NumPy's copies of these outputs, in other types or memory, then begin with their elements.
// Requires the GIL.
void mark_read_outputs(PyUFuncObject* ufunc, const run::ParallelLoop& loop);

// Loops of ufuncs declared without signatures: each is typed and registered with NumPy when a call
// first needs its types, and compiled when one on the CPU does.

// The loop for a call's input types, as KernelLibrary::loop_for has it, with code for the CPU where
// that is needed now. Throws declare::KernelError, base::Error.
const run::Loop& lazy_loop(const UfuncState& state, const std::vector<base::DType>& inputs,
                           const std::vector<bool>& plain, bool needs_code);

// Registers a loop for these DType classes of its operands, inputs, then outputs, unless it is
// registered. Calls in several threads may request the same loop at once.
void register_lazy_loop(PyObject* ufunc, const run::Loop& loop,
                        const std::vector<nanobind::object>& classes);

// The parts of it: whether NumPy accepted a loop; false, with an error set, where it has one for
// these classes. `resolve_descriptors` is null where classes alone tell the types.
bool add_loop(PyObject* ufunc, const UfuncState& state,
              const std::vector<nanobind::object>& classes, void* resolve_descriptors = nullptr);
// Makes a loop known for operands of these codes, unless one is.
void add_lazy_loop(PyObject* ufunc, const run::Loop& loop, std::vector<int> codes);

}  // namespace numpy_plugin::ufunc
