#include "numpy_plugin/ufunc/offload/host_model.hpp"

#include <algorithm>
#include <vector>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/ufunc/api/events.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"
#include "numpy_plugin/ufunc/arguments/call_operands.hpp"
#include "numpy_plugin/ufunc/arguments/core_dimensions.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

// nullopt for outputs to be allocated.
std::vector<std::optional<Shape>> shapes_of(const CallArguments& call) {
  std::vector<std::optional<Shape>> shapes;
  for (std::size_t i = 0; i < call.n_operands(); ++i) {
    const nb::handle operand = call.operands[i];
    std::optional<Shape>& shape = shapes.emplace_back();
    if (!operand.is_valid()) continue;
    const nb::object array = checked(PyArray_FROM_O(operand.ptr()));
    const npy_intp* const dims = PyArray_DIMS(as_array(array));
    shape.emplace(dims, dims + PyArray_NDIM(as_array(array)));
  }
  return shapes;
}

std::int64_t product(const Shape& sizes) {
  std::int64_t result = 1;
  for (const std::int64_t size : sizes) result *= size;
  return result;
}

// Number of loop iterations, from the broadcast inputs.
std::int64_t loop_elements(const CoreDimensions& dimensions, std::size_t n_inputs,
                           const std::vector<std::optional<Shape>>& shapes) {
  Shape loop(dimensions.n_loop(), 1);
  for (std::size_t i = 0; i < n_inputs; ++i) {
    const OperandAxes& axes = dimensions.operands()[i];
    for (std::size_t d = 0; d < axes.n_loop(); ++d) {
      std::int64_t& size = loop[loop.size() - axes.n_loop() + d];
      const std::int64_t given = (*shapes[i])[axes.axes[d]];
      if (given != 1) size = given;
    }
  }
  return product(loop);
}

}  // namespace

double Stopwatch::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

run::TargetChoice ModelledCall::choose(const std::shared_ptr<run::Device>& device) const {
  const run::CallCost cost = {n_elements_, traffic_.bytes_to_device, traffic_.bytes_to_host,
                              state_.library->cpu_rates().find(loop_),
                              state_.library->device_call_rates().find(loop_)};
  const run::TargetChoice choice = [&] {
    const bool is_worth_measuring = cost.n_elements >= run::kMinimumDeviceElements;
    const ReleasedGil release;
    return run::choose_target(cost,
                              is_worth_measuring ? run::device_rates(device) : run::DeviceRates{});
  }();
  if (is_logged(system::EventTopic::kDevice)) {
    const std::string place = choice.is_device ? device->info().name : "the CPU";
    system::record_event(
        {system::EventTopic::kDevice, system::EventLevel::kDebug,
         format("'{}' runs on {}: {}", state_.library->declaration().name, place, choice.why)});
  }
  return choice;
}

nb::object ModelledCall::time_numpy(PyObject* ufunc, const GivenArguments& given) const {
  const Stopwatch watch;
  nb::object result =
      checked(state_.numpy_call(ufunc, given.values, given.n_positional, given.names));
  if (n_elements_ > 0) {
    state_.library->cpu_rates().note(loop_, watch.seconds() / static_cast<double>(n_elements_));
  }
  return result;
}

void ModelledCall::note_device(double seconds) const {
  if (n_elements_ == 0) return;
  state_.library->device_call_rates().note(loop_, seconds / static_cast<double>(n_elements_));
}

std::optional<ModelledCall> model_generalized_call(PyObject* ufunc, UfuncState& state,
                                                   const CallArguments& call) {
  const declare::CoreSignature& layout = *state.library->declaration().layout;
  const auto shapes = shapes_of(call);
  CoreDimensions dimensions(layout);
  if (!dimensions.find(call, shapes)) return std::nullopt;
  const auto resolved = resolve_loop(ufunc, state, call, CallOperands(ufunc, state, call));
  const std::int64_t n_loop = loop_elements(dimensions, call.n_inputs, shapes);
  run::HostTraffic traffic{.n_pieces = 1};
  for (std::size_t i = 0; i < call.n_operands(); ++i) {
    const auto item_bytes = static_cast<std::int64_t>(base::info(resolved->stored[i]).n_bytes);
    if (i < call.n_inputs) {
      traffic.bytes_to_device += product(*shapes[i]) * item_bytes;
    } else {
      traffic.bytes_to_host += n_loop * product(dimensions.core_shape(i)) * item_bytes;
    }
  }
  return ModelledCall(state, resolved->loop, n_loop * product(dimensions.sizes()), traffic);
}

}  // namespace numpy_plugin::ufunc
