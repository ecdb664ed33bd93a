// NumPy's rules are applied by HostOperands. The rows become a loop of the parallel target: its
// outer dimension is the longest axis of the call, its core dimensions are the others.
#include "numpy_plugin/ufunc/offload/strided_call.hpp"

#include <algorithm>
#include <cfenv>
#include <optional>
#include <vector>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/run/cpu/parallel_loop.hpp"
#include "numpy_plugin/run/cpu/per_operand.hpp"
#include "numpy_plugin/run/offload/cost_model.hpp"
#include "numpy_plugin/system/thread_pool.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"
#include "numpy_plugin/ufunc/arguments/resolved_loop.hpp"
#include "numpy_plugin/ufunc/offload/host_operands.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

using run::ParallelLoop;
using run::PerOperand;
using std::intptr_t;

bool names_only_outputs(const GivenArguments& given) {
  for (std::size_t i = 0; i < given.n_named(); ++i) {
    if (!is_name(given.name(i), "out")) return false;
  }
  return true;
}

// Whether an operand is so large that threads may pay, which shorter calls learn in no time.
bool has_operand_for_threads(const GivenArguments& given) {
  return std::any_of(given.values, given.values + given.n_values(), [](PyObject* value) {
    return PyArray_CheckExact(value) &&
           PyArray_SIZE(as_array(value)) >= run::kMinimumDeviceElements;
  });
}

bool is_plain_array(nb::handle operand) {
  return PyArray_CheckExact(operand.ptr()) && PyArray_ISBEHAVED_RO(as_array(operand));
}

bool is_number(nb::handle operand) {
  return PyFloat_CheckExact(operand.ptr()) || PyLong_CheckExact(operand.ptr());
}

// Operands whose elements NumPy passes to the loop as they are, in rows.
bool has_rows(const CallArguments& call) {
  const PyArrayObject* first = nullptr;
  bool has_one_layout = true;
  intptr_t n_most = 0;
  for (std::size_t i = 0; i < call.n_operands(); ++i) {
    const nb::handle operand = call.operands[i];
    if (!operand.is_valid() || (i < call.n_inputs && is_number(operand))) continue;
    if (!is_plain_array(operand)) return false;
    PyArrayObject* const array = as_array(operand);
    n_most = std::max(n_most, PyArray_SIZE(array));
    if (first == nullptr) first = array;
    has_one_layout &= PyArray_IS_C_CONTIGUOUS(array) && PyArray_SAMESHAPE(first, array);
  }
  return !has_one_layout && n_most >= run::kMinimumDeviceElements;
}

bool may_use_threads(const UfuncState& state) {
  const run::Declaration& declaration = state.library->declaration();
  const bool is_for_threads = declaration.call_target == run::CallTarget::kParallel ||
                              declaration.call_target == run::CallTarget::kAuto;
  return is_for_threads && !declaration.layout && !state.can_raise && base::n_threads() > 1;
}

// The loop's rows as the elements of another one.
struct Rows {
  const ParallelLoop* loop;
  std::size_t n_axes;  // of core dimensions, the row's own last
};

// Strides of one axis.
PerOperand<intptr_t> steps_of_axis(const intptr_t* core_steps, const Rows& rows, std::size_t axis) {
  PerOperand<intptr_t> steps;
  for (std::size_t i = 0; i < rows.loop->operands.size(); ++i) {
    steps.push_back(core_steps[i * rows.n_axes + axis]);
  }
  return steps;
}

void run_rows(PerOperand<char*> args, const intptr_t* sizes, const intptr_t* core_steps,
              const Rows& rows, std::size_t axis) {
  PerOperand<intptr_t> steps = steps_of_axis(core_steps, rows, axis);
  if (axis + 1 == rows.n_axes) {
    rows.loop->loop(args.data(), sizes + axis, steps.data(), nullptr);
    return;
  }
  for (intptr_t n = 0; n < sizes[axis]; ++n) {
    run_rows(args, sizes, core_steps, rows, axis + 1);
    for (std::size_t i = 0; i < steps.size(); ++i) args[i] += steps[i];
  }
}

// A loop function: `data` is the Rows.
void run_outer_elements(char** args, const intptr_t* dimensions, const intptr_t* steps,
                        void* data) {
  const Rows& rows = *static_cast<const Rows*>(data);
  const std::size_t n_operands = rows.loop->operands.size();
  PerOperand<char*> element;
  for (std::size_t i = 0; i < n_operands; ++i) element.push_back(args[i]);
  for (intptr_t n = 0; n < dimensions[0]; ++n) {
    run_rows(element, dimensions + 1, steps + n_operands, rows, 0);
    for (std::size_t i = 0; i < n_operands; ++i) element[i] += steps[i];
  }
}

// A call as such a loop, with the arguments of loops.
class RowsCall {
 public:
  RowsCall(const run::HostCall& call, const ParallelLoop& loop)
      : call_(call), rows_{&loop, call.shape.size() - 1}, loop_(loop) {
    outer_ = static_cast<std::size_t>(std::max_element(call.shape.begin(), call.shape.end() - 1) -
                                      call.shape.begin());
    take_axes();
    take_operands();
  }

  // Whether there are enough outer elements for the threads, and each result has its own place.
  bool is_dividable() const {
    const bool has_places = std::ranges::all_of(call_.operands, [](const auto& operand) {
      return !operand.is_output || std::ranges::count(operand.strides, 0) == 0;
    });
    return has_places && dimensions_[0] >= 2 * static_cast<intptr_t>(base::n_threads());
  }

  void run() const {
    std::vector<char*> args = args_;
    intptr_t n_core = 1;
    for (std::size_t i = 1; i < dimensions_.size(); ++i) n_core *= dimensions_[i];
    const auto n = static_cast<double>(n_core);
    loop_.cost = rows_.loop->cost.scaled(n);
    run::run_parallel_loop(args.data(), dimensions_.data(), steps_.data(), loop_);
    rows_.loop->cost = loop_.cost.scaled(1 / n);
  }

 private:
  void take_axes() {
    dimensions_.push_back(call_.shape[outer_]);
    for (std::size_t axis = 0; axis < call_.shape.size(); ++axis) {
      if (axis != outer_) dimensions_.push_back(call_.shape[axis]);
    }
  }

  void take_operands() {
    loop_.loop = run_outer_elements;
    loop_.data = &rows_;
    loop_.n_names = rows_.n_axes;
    for (std::size_t i = 0; i < call_.operands.size(); ++i) {
      const run::HostCallOperand& operand = call_.operands[i];
      const std::byte* const data = operand.is_value ? operand.slot.data() : operand.data;
      args_.push_back(reinterpret_cast<char*>(const_cast<std::byte*>(data)));
      steps_.push_back(stride(operand, outer_));
      for (std::size_t name = 0; name < rows_.n_axes; ++name) {
        loop_.operands[i].core_names.push_back(name);
      }
    }
    for (const run::HostCallOperand& operand : call_.operands) {
      for (std::size_t axis = 0; axis < call_.shape.size(); ++axis) {
        if (axis != outer_) steps_.push_back(stride(operand, axis));
      }
    }
  }

  static intptr_t stride(const run::HostCallOperand& operand, std::size_t axis) {
    return operand.is_value ? 0 : operand.strides[axis];
  }

  const run::HostCall& call_;
  Rows rows_;
  ParallelLoop loop_;
  std::size_t outer_;
  std::vector<char*> args_;
  std::vector<intptr_t> dimensions_, steps_;
};

int raised_flags() {
  const int flags = std::fetestexcept(FE_ALL_EXCEPT);
  return (flags & FE_DIVBYZERO ? NPY_FPE_DIVIDEBYZERO : 0) |
         (flags & FE_OVERFLOW ? NPY_FPE_OVERFLOW : 0) |
         (flags & FE_UNDERFLOW ? NPY_FPE_UNDERFLOW : 0) |
         (flags & FE_INVALID ? NPY_FPE_INVALID : 0);
}

// Handles floating-point errors as np.errstate demands.
void report_flags(PyObject* ufunc, int flags) {
  const char* const name = reinterpret_cast<PyUFuncObject*>(ufunc)->name;
  if (flags != 0 && PyUFunc_GiveFloatingpointErrors(name, flags) < 0) throw nb::python_error();
}

// The compiled loop of a call without casts; null for others.
const ParallelLoop* loop_without_casts(UfuncState& state, const ResolvedLoop& resolved,
                                       const HostOperands& operands) {
  if (operands.is_empty() || operands.stored() != resolved.loop_dtypes) return nullptr;
  const ReleasedGil release;
  const run::Loop& loop = state.library->compiled(*resolved.loop);
  const bool is_fit = loop.missing.empty() && loop.parallel.least_work && !loop.parallel.prints;
  return is_fit ? &loop.parallel : nullptr;
}

nb::object run_strided(PyObject* ufunc, UfuncState& state, const CallArguments& call,
                       std::optional<int>& flags) {
  const auto resolved = resolve_loop(ufunc, state, call, CallOperands(ufunc, state, call));
  const HostOperands operands(call, resolved->dtypes);
  if (operands.call().shape.size() < 2) return {};
  const ParallelLoop* const loop = loop_without_casts(state, *resolved, operands);
  if (loop == nullptr) return {};
  const RowsCall rows(operands.call(), *loop);
  if (!rows.is_dividable()) return {};
  {
    const ReleasedGil release;
    std::feclearexcept(FE_ALL_EXCEPT);
    rows.run();
    flags = raised_flags();
  }
  return operands.finish();
}

}  // namespace

nb::object try_strided_call(PyObject* ufunc, UfuncState& state, const GivenArguments& given) {
  if (!may_use_threads(state) || !has_operand_for_threads(given) || !names_only_outputs(given))
    return {};
  std::optional<int> flags;
  nb::object result;
  try {
    const CallArguments call = read_call(ufunc, state, given);
    if (!has_rows(call)) return {};
    result = run_strided(ufunc, state, call, flags);
  } catch (const nb::python_error&) {
    if (flags) throw;
    return {};  // NumPy raises its own exception
  } catch (const base::Error&) {
    return {};
  }
  if (flags) report_flags(ufunc, *flags);
  return result;
}

}  // namespace numpy_plugin::ufunc
