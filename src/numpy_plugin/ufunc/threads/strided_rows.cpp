// NumPy's rules are applied by HostOperands. The rows become a loop of the parallel target: its
// outer dimension is the longest axis of the call, its core dimensions are the others.
#include "numpy_plugin/ufunc/threads/shared_call.hpp"

#include <algorithm>
#include <cfenv>
#include <vector>

#include "numpy_plugin/run/cpu/parallel_loop.hpp"
#include "numpy_plugin/run/cpu/per_operand.hpp"
#include "numpy_plugin/system/threads/thread_pool.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"
#include "numpy_plugin/ufunc/offload/host_operands.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

using run::ParallelLoop;
using run::PerOperand;
using std::intptr_t;

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
    return has_places && dimensions_[0] >= 2 * static_cast<intptr_t>(system::n_threads());
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

}  // namespace

nb::object share_rows(const CallArguments& call, const ResolvedLoop& resolved,
                      const ParallelLoop& loop, std::optional<int>& flags) {
  const HostOperands operands(call, resolved.dtypes);
  if (operands.is_empty() || operands.stored() != resolved.loop_dtypes) return {};
  if (operands.call().shape.size() < 2) return {};
  const RowsCall rows(operands.call(), loop);
  if (!rows.is_dividable()) return {};
  {
    const ReleasedGil release;
    std::feclearexcept(FE_ALL_EXCEPT);
    rows.run();
    flags = raised_flags();
  }
  return operands.finish();
}

}  // namespace numpy_plugin::ufunc
