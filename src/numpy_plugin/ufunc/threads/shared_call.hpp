// Calls and reductions on the CPU that NumPy makes in parts which are too small for threads.
#pragma once

#include <cfenv>
#include <optional>

#include "numpy_plugin/run/cpu/parallel_loop.hpp"
#include "numpy_plugin/ufunc/api/numpy_api.hpp"
#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"
#include "numpy_plugin/ufunc/arguments/call_operands.hpp"

namespace numpy_plugin::ufunc {

// Elementwise calls: rows of slices and broadcast arrays, buffers of cast operands, runs of where=.
// Those of a few elements are too small for one thread as well, which then packs them.

// Calls without where= whose operands have fewer elements are left to NumPy: it passes each operand
// in one buffer.
inline constexpr std::intptr_t kLeastSharedElements = 8192;

// Returns the result of NumPy's call; null where NumPy should make the call: where it passes all
// elements at once, the call is small or invalid, or neither threads nor packing are for it. Throws
// the exceptions of np.errstate.
nanobind::object try_shared_call(PyObject* ufunc, UfuncState& state, const GivenArguments& given);

// Elementwise calls whose operands NumPy passes row by row, as they are in memory: slices and
// broadcast arrays. Threads share the rows. Makes the call, and sets the floating-point flags that
// it raised, as NumPy numbers them. Returns its result; null, with nothing done, for calls of
// another form.
nanobind::object share_rows(const CallArguments& call, const ResolvedLoop& resolved,
                            const run::ParallelLoop& loop, std::optional<int>& flags);

// Elementwise calls whose operands NumPy converts on the way, or whose results it masks: each
// thread takes ranges of the elements with a copy of NumPy's iterator, which casts them in its
// buffers. Makes the call, and sets the floating-point flags that it raised, as NumPy numbers them.
// Throws NumPy's exceptions, before anything is written unless `flags` are set.
nanobind::object share_converted(UfuncState& state, const CallArguments& call,
                                 const ResolvedLoop& resolved, const run::ParallelLoop& loop,
                                 std::optional<int>& flags);

// Elements of an elementwise call that where= selects.

// Calls the loop for the elements whose byte in the mask is not zero: for each run of them, or,
// where runs are short, for copies side by side. An element's value depends on its operands alone,
// so it has the same bits in either form. Ends early where the call is interrupted or raises.
void run_masked(char* const* data, std::intptr_t n, const std::intptr_t* steps, const char* mask,
                std::intptr_t mask_step, const run::ParallelLoop& loop);

// Whether a contiguous mask has short runs near each other, as far as samples show: NumPy passes
// over others more quickly than they are packed. Takes some hundred nanoseconds.
bool has_short_runs(const char* mask, std::intptr_t n);

// f.reduce and f.accumulate of arrays with several axes: threads share the lines that NumPy passes
// one by one.

enum class SharedMethod : std::uint8_t { kReduce, kAccumulate };

// Whether the method has so much to do that call_sharing_lines() is worth a try.
bool may_share_lines(const UfuncState& state, SharedMethod method, const GivenArguments& given);

// NumPy's method, called by `call_numpy`: its result, or null with the Python error set. Throws the
// exceptions of np.errstate.
using NumpyMethod = PyObject*(PyObject* ufunc, const GivenArguments& given);
PyObject* call_sharing_lines(PyObject* ufunc, SharedMethod method, const GivenArguments& given,
                             NumpyMethod* call_numpy);

// Floating-point errors of loops that this package calls in NumPy's place.

// Flags of the C library, as NumPy numbers them.
inline int numpys_flags(int flags) {
  return (flags & FE_DIVBYZERO ? NPY_FPE_DIVIDEBYZERO : 0) |
         (flags & FE_OVERFLOW ? NPY_FPE_OVERFLOW : 0) |
         (flags & FE_UNDERFLOW ? NPY_FPE_UNDERFLOW : 0) |
         (flags & FE_INVALID ? NPY_FPE_INVALID : 0);
}

// Those of this thread.
inline int raised_flags() { return numpys_flags(std::fetestexcept(FE_ALL_EXCEPT)); }

// Handles them as np.errstate demands; `name` is that of the ufunc, or of its method.
inline void report_flags(const char* name, int flags) {
  if (flags != 0 && PyUFunc_GiveFloatingpointErrors(name, flags) < 0)
    throw nanobind::python_error();
}

}  // namespace numpy_plugin::ufunc
