#include "numpy_plugin/ufunc/threads/shared_call.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/run/cpu/per_operand.hpp"
#include "numpy_plugin/run/reports/kernel_reports.hpp"
#include "numpy_plugin/system/threads/thread_pool.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"
#include "numpy_plugin/ufunc/arguments/call_operands.hpp"
#include "numpy_plugin/ufunc/loops/time_loops.hpp"
#include "numpy_plugin/ufunc/loops/ufunc_loops.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

using std::intptr_t;

// Rows are worth the effort, and so are types that are named in the call, which NumPy resolves each
// time, only where there are as many elements.
constexpr intptr_t kManyElements = 65536;
// From here on packing elements takes less than calling the loop for each run of a few.
constexpr intptr_t kLeastMasked = 1024;
// A converted call takes more than a call of its loop.
constexpr double kEffort = 2;
// Of float16: larger numbers may overflow in a cast, of which NumPy warns in its own way.
constexpr double kMostOfNumber = 65504;

bool names_shared_keywords(const GivenArguments& given) {
  static const std::array<Name, 7> known = {Name("out"),   Name("where"),     Name("casting"),
                                            Name("dtype"), Name("signature"), Name("sig"),
                                            Name("order")};
  for (std::size_t i = 0; i < given.n_named(); ++i) {
    const auto is_this = [name = given.name(i)](const Name& other) { return other.is(name); };
    if (!std::ranges::any_of(known, is_this)) return false;
  }
  return true;
}

bool has_mask(const GivenArguments& given) {
  static const Name where("where");
  for (std::size_t i = 0; i < given.n_named(); ++i) {
    if (where.is(given.name(i))) return true;
  }
  return false;
}

bool may_use_threads(const UfuncState& state) {
  return state.shares_calls && system::n_threads() > 1;
}

bool is_number(nb::handle operand) {
  if (PyLong_CheckExact(operand.ptr())) return true;
  return PyFloat_CheckExact(operand.ptr()) &&
         !(std::abs(PyFloat_AS_DOUBLE(operand.ptr())) > kMostOfNumber);
}

// A call's operands, inputs, then outputs, in so far as the form of the call depends on them.
struct CallForm {
  bool is_plain = true;        // exact arrays, and numbers among the inputs
  bool has_one_layout = true;  // all of them contiguous, and of one shape
  bool is_behaved = true;      // aligned, and in native byte order
  intptr_t n_most = 0;         // elements of an operand
  PyArrayObject* first = nullptr;
  run::PerOperand<int> codes = {};  // operand_code(); kAnyCode where there is no array

  void add_array(PyArrayObject* array) {
    if (first == nullptr) first = array;
    codes.push_back(operand_code(PyArray_DESCR(array)));
    n_most = std::max(n_most, PyArray_SIZE(array));
    is_behaved &= PyArray_ISBEHAVED_RO(array);
    has_one_layout &= PyArray_IS_C_CONTIGUOUS(array) && PyArray_SAMESHAPE(first, array);
  }
};

constexpr int kAnyCode = -1;

// `operand` returns null for outputs to be allocated.
template <class Operand>
CallForm form_of(std::size_t n_inputs, std::size_t n_operands, const Operand& operand) {
  CallForm form;
  for (std::size_t i = 0; i < n_operands; ++i) {
    const nb::handle given = operand(i);
    if (given.is_valid() && PyArray_CheckExact(given.ptr())) {
      form.add_array(as_array(given));
      continue;
    }
    form.codes.push_back(kAnyCode);
    form.is_plain &= !given.is_valid() || (i < n_inputs && is_number(given));
  }
  return form;
}

// Whether NumPy has a loop of just the arrays' types.
bool has_loop_of_arrays(const UfuncState& state, const CallForm& form) {
  const std::size_t n = form.codes.size();
  const auto fits = [&](const auto* codes) {
    for (std::size_t i = 0; i < n; ++i) {
      if (form.codes[i] != kAnyCode && form.codes[i] != codes[i]) return false;
    }
    return true;
  };
  for (std::size_t i = 0; i + n <= state.types.size(); i += n) {
    if (fits(state.types.data() + i)) return true;
  }
  return state.lazy_loops.find([&](const LazyLoop& loop) { return fits(loop.codes.data()); }) !=
         nullptr;
}

// Whether NumPy passes all elements at once, as in most calls. May be false where it does.
bool is_passed_whole(const UfuncState& state, const GivenArguments& given) {
  static const Name out("out");
  const declare::Declaration& declaration = state.library->declaration();
  const std::size_t n_inputs = declaration.n_inputs;
  const std::size_t n_operands = n_inputs + declaration.n_outputs;
  if (given.n_positional < n_inputs || given.n_positional > n_operands || given.n_named() > 1)
    return false;
  if (given.n_named() == 1 && !out.is(given.name(0))) return false;
  const CallForm form = form_of(n_inputs, n_operands, [&](std::size_t i) {
    if (i < given.n_positional) return nb::handle(given.values[i]);
    return i == n_inputs && given.n_named() == 1 ? given.values[given.n_positional] : nb::handle();
  });
  return form.is_plain && form.has_one_layout && form.is_behaved && has_loop_of_arrays(state, form);
}

bool is_converted(const CallArguments& call, const ResolvedLoop& resolved) {
  if (call.where.is_valid()) return true;
  for (std::size_t i = 0; i < call.n_operands(); ++i) {
    const nb::handle operand = call.operands[i];
    if (!operand.is_valid() || !PyArray_Check(operand.ptr())) continue;
    PyArrayObject* const array = as_array(operand);
    const bool is_same =
        PyArray_ISALIGNED(array) &&
        PyArray_EquivTypes(PyArray_DESCR(array), as_descriptor(resolved.dtypes[i]));
    if (!is_same) return true;
  }
  return false;
}

// A mask of bools for results that exist: otherwise NumPy warns of the others, or refuses.
bool has_plain_mask(const CallArguments& call) {
  if (!call.where.is_valid()) return true;
  const nb::handle mask = call.where;
  for (std::size_t i = 0; i < call.n_outputs; ++i) {
    if (!call.output(i).is_valid()) return false;
  }
  return PyArray_CheckExact(mask.ptr()) && PyArray_TYPE(as_array(mask)) == NPY_BOOL;
}

// Whether the mask selects so few neighbours that NumPy would call the loop too often.
bool has_scattered_mask(const CallArguments& call) {
  if (!call.where.is_valid()) return false;
  PyArrayObject* const mask = as_array(call.where);
  const intptr_t n = PyArray_SIZE(mask);
  return PyArray_IS_C_CONTIGUOUS(mask) && n >= kLeastMasked &&
         has_short_runs(PyArray_BYTES(mask), n);
}

// The compiled loop of a call; null where neither threads may share it nor one gains.
const run::Loop* loop_to_convert(UfuncState& state, const ResolvedLoop& resolved,
                                 bool is_for_threads) {
  const ReleasedGil release;
  const run::Loop& loop = state.library->compiled(*resolved.loop);
  if (!loop.missing.empty() || loop.parallel.prints) return nullptr;
  return loop.parallel.least_work || !is_for_threads ? &loop : nullptr;
}

// Whether a call is so short that it is left to NumPy, as far as is known.
bool is_short(const UfuncState& state, intptr_t n_elements) {
  const bool is_auto = state.library->declaration().call_target == declare::CallTarget::kAuto;
  const double ns = state.converted_cost.ns() * static_cast<double>(n_elements);
  return run::is_left_untimed(ns / kEffort,
                              is_auto ? run::kLeastWorkOfAuto : run::kLeastWorkOfParallel);
}

nb::object share_call(PyObject* ufunc, UfuncState& state, const CallArguments& call,
                      std::optional<int>& flags) {
  const CallForm form =
      form_of(call.n_inputs, call.n_operands(), [&](std::size_t i) { return call.operands[i]; });
  if (!form.is_plain || !has_plain_mask(call)) return {};
  const bool is_scattered = has_scattered_mask(call);
  if (!is_scattered && (form.n_most < kLeastSharedElements || !may_use_threads(state))) return {};
  const bool names_types = call.dtype.is_valid() || call.signature.is_valid();
  const bool is_large = form.n_most >= kManyElements;
  if (!is_scattered && !is_large && (names_types || is_short(state, form.n_most))) return {};
  const auto resolved = resolve_loop(ufunc, state, call, CallOperands(ufunc, state, call));
  const bool has_conversion = is_converted(call, *resolved);
  if (!has_conversion && (form.has_one_layout || !is_large)) return {};
  const run::Loop* const loop = loop_to_convert(state, *resolved, !is_scattered);
  if (loop == nullptr) return {};
  nb::object result = has_conversion
                          ? share_converted(state, call, *resolved, loop->parallel, flags)
                          : share_rows(call, *resolved, loop->parallel, flags);
  if (run::raised_error().is_set()) note_raising_kernel(*loop);
  return result;
}

bool may_share_call(const UfuncState& state, const GivenArguments& given) {
  const bool is_masked = has_mask(given);
  if (!state.is_elementwise_on_cpu || !(is_masked || may_use_threads(state))) return false;
  const auto is_long = [n_least =
                            is_masked ? kLeastMasked : kLeastSharedElements](PyObject* value) {
    return PyArray_CheckExact(value) && PyArray_SIZE(as_array(value)) >= n_least;
  };
  return std::any_of(given.values, given.values + given.n_values(), is_long) &&
         !is_passed_whole(state, given);
}

}  // namespace

nb::object try_shared_call(PyObject* ufunc, UfuncState& state, const GivenArguments& given) {
  if (!may_share_call(state, given) || !names_shared_keywords(given)) return {};
  std::optional<int> flags;
  nb::object result;
  try {
    result = share_call(ufunc, state, read_call(ufunc, state, given), flags);
  } catch (const nb::python_error&) {
    if (flags) throw;
    return {};  // NumPy raises its own exception
  } catch (const base::Error&) {
    if (flags) throw;
    return {};
  }
  if (flags) report_flags(reinterpret_cast<PyUFuncObject*>(ufunc)->name, *flags);
  return result;
}

}  // namespace numpy_plugin::ufunc
