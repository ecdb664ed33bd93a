#include "numpy_plugin/ufunc/threads/shared_call.hpp"

#include <algorithm>

#include "numpy_plugin/run/cpu/reduce/kept_calls.hpp"
#include "numpy_plugin/system/threads/thread_pool.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

using run::MemoryRange;
using std::intptr_t;

constexpr intptr_t kLeastReduced = 8192;

// Positions of the arguments that count; those from the mask on are left to NumPy.
constexpr std::size_t kAxis = 1, kOut = 3, kInitial = 5;

MemoryRange memory_of(PyArrayObject* array) {
  const char* begin = PyArray_BYTES(array);
  const char* end = begin + PyArray_ITEMSIZE(array);
  for (int axis = 0; axis < PyArray_NDIM(array); ++axis) {
    const npy_intp reach = (PyArray_DIM(array, axis) - 1) * PyArray_STRIDE(array, axis);
    (reach < 0 ? begin : end) += reach;
  }
  return {begin, end};
}

// An argument by position or name; null where it is not given.
PyObject* find_argument(const GivenArguments& given, std::size_t position, const Name& name) {
  if (position < given.n_positional) return given.values[position];
  for (std::size_t i = 0; i < given.n_named(); ++i) {
    if (name.is(given.name(i))) return given.values[given.n_positional + i];
  }
  return nullptr;
}

bool names_other_arguments(const GivenArguments& given) {
  static const std::array<Name, 4> known = {Name("axis"), Name("dtype"), Name("out"),
                                            Name("keepdims")};
  for (std::size_t i = 0; i < given.n_named(); ++i) {
    const auto is_this = [name = given.name(i)](const Name& other) { return other.is(name); };
    if (!std::ranges::any_of(known, is_this)) return true;
  }
  return given.n_positional > kInitial;
}

// Whether the result is an array of several elements.
bool leaves_axes(PyObject* axis, int n_axes) {
  if (axis == nullptr || PyLong_CheckExact(axis)) return n_axes > 1;
  return PyTuple_CheckExact(axis) && PyTuple_GET_SIZE(axis) < n_axes;
}

bool is_apart(PyObject* out, PyArrayObject* source) {
  if (out == nullptr || out == Py_None) return true;
  if (!PyArray_CheckExact(out)) return false;
  const MemoryRange one = memory_of(as_array(out)), other = memory_of(source);
  return one.end <= other.begin || other.end <= one.begin;
}

}  // namespace

bool may_share_lines(const UfuncState& state, SharedMethod method, const GivenArguments& given) {
  static const Name axis("axis"), out("out");
  if (!state.shares_calls || state.can_raise || given.n_positional == 0) return false;
  if (!PyArray_CheckExact(given.values[0])) return false;
  PyArrayObject* const source = as_array(given.values[0]);
  if (PyArray_NDIM(source) < 2 || PyArray_SIZE(source) < kLeastReduced) return false;
  if (names_other_arguments(given) || system::n_threads() == 1) return false;
  PyObject* const chosen = find_argument(given, kAxis, axis);
  const bool is_over_lines =
      method == SharedMethod::kAccumulate || leaves_axes(chosen, PyArray_NDIM(source));
  return is_over_lines && is_apart(find_argument(given, kOut, out), source);
}

PyObject* call_sharing_lines(PyObject* ufunc, SharedMethod method, const GivenArguments& given,
                             NumpyMethod* call_numpy) {
  PyArrayObject* const source = as_array(given.values[0]);
  run::KeptCalls kept(memory_of(source), PyArray_SIZE(source));
  nb::object result;
  {
    const run::KeepingScope scope(kept);
    result = nb::steal(call_numpy(ufunc, given));
  }
  if (!result.is_valid()) return nullptr;
  const bool is_array = PyArray_Check(result.ptr());
  // Of temporary memory that is gone: nothing is lost, as NumPy reads no results.
  if (!kept.is_empty() && !(is_array && kept.are_for(memory_of(as_array(result))))) {
    return call_numpy(ufunc, given);
  }
  {
    const ReleasedGil release;
    kept.make();
  }
  report_flags(method == SharedMethod::kReduce ? "reduce" : "accumulate",
               numpys_flags(kept.raised_flags()));
  return result.release().ptr();
}

}  // namespace numpy_plugin::ufunc
