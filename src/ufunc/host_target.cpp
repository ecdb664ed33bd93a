#include "numpy_plugin/ufunc/host_target.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include "numpy_plugin/run/current_device.hpp"
#include "numpy_plugin/run/device_notice.hpp"
#include "numpy_plugin/run/device_rates.hpp"
#include "numpy_plugin/ufunc/host_generalized.hpp"
#include "numpy_plugin/ufunc/host_operands.hpp"
#include "numpy_plugin/ufunc/resolved_loop.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

using run::CallTarget;
using DevicePointer = std::shared_ptr<run::Device>;

bool is_array(nb::handle object) { return PyArray_CheckExact(object.ptr()); }

// Subclasses of arrays wrap what NumPy computes: their calls stay NumPy's.
bool is_plain(nb::handle object) { return !PyArray_Check(object.ptr()) || is_array(object); }

bool has_many_elements(const GivenArguments& given) {
  return std::any_of(given.values, given.values + given.n_positional, [](PyObject* value) {
    return is_array(value) && PyArray_SIZE(as_array(value)) >= run::kMinimumDeviceElements;
  });
}

bool is_for_host_arrays(const CallArguments& call) {
  const bool names_axes = call.axis.is_valid() || call.axes.is_valid() || call.keepdims.is_valid();
  return !names_axes && !call.subok.is_valid() &&
         std::all_of(call.operands.begin(),
                     call.operands.begin() + static_cast<std::ptrdiff_t>(call.n_operands()),
                     [](nb::handle operand) { return !operand.is_valid() || is_plain(operand); });
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// An elementwise call on host arrays, read and resolved.
class HostTargetCall {
 public:
  HostTargetCall(PyObject* ufunc, UfuncState& state, const CallArguments& call)
      : state_(state),
        resolved_(resolve_loop(ufunc, state, call, CallOperands(ufunc, state, call))),
        operands_(call, resolved_->dtypes) {}

  run::HostTraffic traffic() const {
    return operands_.is_empty() ? run::HostTraffic{} : run::host_traffic(operands_.call());
  }
  const run::Loop* loop() const { return resolved_->loop; }

  run::TargetChoice choose(const DevicePointer& device) const {
    const run::HostTraffic moved = traffic();
    const run::CallCost cost = {n_elements(), moved.bytes_to_device, moved.bytes_to_host,
                                state_.library->cpu_rates().find(loop()),
                                state_.library->device_call_rates().find(loop())};
    const bool is_worth_measuring = cost.n_elements >= run::kMinimumDeviceElements;
    const nb::gil_scoped_release release;
    return run::choose_target(cost,
                              is_worth_measuring ? run::device_rates(device) : run::DeviceRates{});
  }

  nb::object run_on(const DevicePointer& device) const {
    if (!operands_.is_empty()) {
      const auto loop_there = state_.library->device_loop(device, *loop(), operands_.stored());
      const nb::gil_scoped_release release;
      const auto begin = std::chrono::steady_clock::now();
      run::run_host_call(device, *loop_there, operands_.call());
      state_.library->device_call_rates().note(loop(), seconds_per_element(begin));
    }
    return operands_.finish();
  }

  // NumPy's call, whose time the model of later calls is fed with.
  nb::object time_numpy(PyObject* ufunc, const GivenArguments& given) const {
    const auto begin = std::chrono::steady_clock::now();
    nb::object result =
        checked(state_.numpy_call(ufunc, given.values, given.n_positional, given.names));
    if (!operands_.is_empty()) state_.library->cpu_rates().note(loop(), seconds_per_element(begin));
    return result;
  }

 private:
  std::int64_t n_elements() const {
    std::int64_t n = 1;
    for (const std::int64_t size : operands_.call().shape) n *= size;
    return n;
  }
  double seconds_per_element(std::chrono::steady_clock::time_point begin) const {
    return seconds_since(begin) / static_cast<double>(n_elements());
  }

  UfuncState& state_;
  std::shared_ptr<const ResolvedLoop> resolved_;
  HostOperands operands_;
};

bool considers_simulated_devices = false;

bool is_left_out(const run::Device& device) {
  return device.is_simulated() && !considers_simulated_devices;
}

// The device that calls with host operands may go to; null: none.
DevicePointer device_for_host_operands(const run::Declaration& declaration,
                                       const GivenArguments& given) {
  if (declaration.target == CallTarget::kCuda) return run::find_current_device();
  if (declaration.target != CallTarget::kAuto || declaration.layout || !has_many_elements(given)) {
    return nullptr;
  }
  DevicePointer device = run::find_current_device();
  return device == nullptr || is_left_out(*device) ? nullptr : device;
}

TargetExplanation explain_generalized(CallTarget target, const DevicePointer& device) {
  if (target == CallTarget::kCuda) return {device, "the target is \"cuda\"", {}};
  return {nullptr, "generalized ufuncs leave host arrays to the CPU under the target \"auto\"", {}};
}

}  // namespace

void consider_simulated_devices(bool yes) { considers_simulated_devices = yes; }

nb::object try_host_call_on_device(PyObject* ufunc, UfuncState& state,
                                   const GivenArguments& given) {
  const run::Declaration& declaration = state.library->declaration();
  const DevicePointer device = device_for_host_operands(declaration, given);
  if (device == nullptr) return {};
  if (declaration.layout) return call_generalized_there_and_back(ufunc, state, given, device);
  const CallArguments call = read_call(ufunc, state, given);
  if (!is_for_host_arrays(call)) return {};
  const HostTargetCall on_host(ufunc, state, call);
  if (declaration.target == CallTarget::kCuda) return on_host.run_on(device);
  return on_host.choose(device).is_device ? on_host.run_on(device)
                                          : on_host.time_numpy(ufunc, given);
}

TargetExplanation explain_target(PyObject* ufunc, UfuncState& state, const GivenArguments& given) {
  const run::Declaration& declaration = state.library->declaration();
  if (declaration.target == CallTarget::kCpu) return {nullptr, "the target is \"cpu\"", {}};
  if (declaration.target == CallTarget::kParallel) {
    return {nullptr, "the target is \"parallel\"", {}};
  }
  const DevicePointer device = run::find_current_device();
  if (device == nullptr) return {nullptr, run::missing_device_reason(), {}};
  if (declaration.layout) return explain_generalized(declaration.target, device);
  const HostTargetCall on_host(ufunc, state, read_call(ufunc, state, given));
  const run::HostTraffic traffic = on_host.traffic();
  if (declaration.target == CallTarget::kCuda) {
    return {device, "the target is \"cuda\"", traffic};
  }
  if (is_left_out(*device)) {
    return {nullptr, "a simulated device is never faster than the CPU", {}};
  }
  const run::TargetChoice choice = on_host.choose(device);
  return {choice.is_device ? device : nullptr, choice.why,
          choice.is_device ? traffic : run::HostTraffic{}};
}

}  // namespace numpy_plugin::ufunc
