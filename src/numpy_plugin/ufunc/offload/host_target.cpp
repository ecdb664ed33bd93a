#include "numpy_plugin/ufunc/offload/offload.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/run/device/current_device.hpp"
#include "numpy_plugin/run/launch/launch_kernel.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"
#include "numpy_plugin/ufunc/arguments/call_operands.hpp"
#include "numpy_plugin/ufunc/arrays/device_array.hpp"
#include "numpy_plugin/ufunc/offload/host_model.hpp"
#include "numpy_plugin/ufunc/offload/host_operands.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

using declare::CallTarget;
using DevicePointer = std::shared_ptr<run::Device>;

bool is_array(nb::handle object) { return PyArray_CheckExact(object.ptr()); }

// Array subclasses wrap NumPy's results: their calls are left to NumPy.
bool is_plain(nb::handle object) { return !PyArray_Check(object.ptr()) || is_array(object); }

bool has_many_elements(const GivenArguments& given) {
  return std::any_of(given.values, given.values + given.n_positional, [](PyObject* value) {
    return is_array(value) && PyArray_SIZE(as_array(value)) >= run::kMinimumDeviceElements;
  });
}

bool are_plain(const CallArguments& call) {
  return std::all_of(call.operands.begin(),
                     call.operands.begin() + static_cast<std::ptrdiff_t>(call.n_operands()),
                     [](nb::handle operand) { return !operand.is_valid() || is_plain(operand); });
}

// Before resolving dtypes, as in NumPy.
void check_outputs(const CallArguments& call) {
  for (std::size_t i = 0; i < call.n_outputs; ++i) {
    const nb::handle output = call.output(i);
    if (!output.is_valid() || !PyArray_Check(output.ptr())) continue;
    if (PyArray_FailUnlessWriteable(as_array(output), "output array") < 0) throw nb::python_error();
  }
}

bool is_for_host_arrays(const CallArguments& call) {
  const bool names_axes = call.axis.is_valid() || call.axes.is_valid() || call.keepdims.is_valid();
  return !names_axes && !call.subok.is_valid() && are_plain(call);
}

// An elementwise call on host arrays, parsed and resolved.
class HostTargetCall {
 public:
  HostTargetCall(PyObject* ufunc, UfuncState& state, const CallArguments& call)
      : state_(state),
        resolved_(resolve_loop(ufunc, state, call, CallOperands(ufunc, state, call))),
        operands_(call, resolved_->dtypes) {}

  ModelledCall model() const {
    if (operands_.is_empty()) return {state_, loop(), 0, {}};
    std::int64_t n = 1;
    for (const std::int64_t size : operands_.call().shape) n *= size;
    return {state_, loop(), n, run::host_traffic(operands_.call())};
  }

  nb::object run_on(const DevicePointer& device) const {
    warn_of_casts();
    if (!operands_.is_empty()) {
      const auto loop_there = state_.library->device_loop(device, *loop(), operands_.stored());
      const ReleasedGil release;
      const Stopwatch watch;
      run::run_host_call(device, *loop_there, operands_.call());
      model().note_device(watch.seconds());
    }
    return operands_.finish();
  }

 private:
  const run::Loop* loop() const { return resolved_->loop; }

  void warn_of_casts() const {
    const std::vector<base::DType> stored = operands_.stored();
    const std::vector<base::DType>& computed = resolved_->loop_dtypes;
    for (std::size_t i = 0; i < stored.size(); ++i) {
      const bool is_input = i < state_.library->declaration().n_inputs;
      is_input ? warn_of_cast(stored[i], computed[i]) : warn_of_cast(computed[i], stored[i]);
    }
  }

  UfuncState& state_;
  std::shared_ptr<const ResolvedLoop> resolved_;
  HostOperands operands_;
};

// True also for where=True, which NumPy rejects.
bool names_mask(const GivenArguments& given) {
  for (std::size_t i = 0; i < given.n_named(); ++i) {
    if (is_name(given.name(i), "where")) return true;
  }
  return false;
}

bool is_for_generalized_call(const CallArguments& call) {
  return are_plain(call) && !call.subok.is_valid() && !names_mask(call.given);
}

// Whether NumPy could not repeat the call after parts of it were written.
bool writes_inputs(const CallArguments& call) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  for (std::size_t i = 0; i < call.n_outputs; ++i) {
    if (!call.output(i).is_valid()) continue;
    for (std::size_t input = 0; input < call.n_inputs; ++input) {
      if (!is_array(call.operands[input])) continue;
      const nb::object shares =
          numpy.attr("may_share_memory")(call.operands[input], call.output(i));
      if (nb::cast<bool>(shares)) return true;
    }
  }
  return false;
}

std::optional<ModelledCall> model_call(PyObject* ufunc, UfuncState& state,
                                       const CallArguments& call) {
  if (state.library->declaration().layout) return model_generalized_call(ufunc, state, call);
  return HostTargetCall(ufunc, state, call).model();
}

// A call of a ufunc whose target is the device; null without a device.
nb::object call_on_target(PyObject* ufunc, UfuncState& state, const GivenArguments& given) {
  const DevicePointer device = run::find_current_device();
  if (device == nullptr) return {};
  const CallArguments call = read_call(ufunc, state, given);
  const bool is_generalized = state.library->declaration().layout.has_value();
  if (!(is_generalized ? is_for_generalized_call(call) : is_for_host_arrays(call))) return {};
  check_outputs(call);
  if (is_generalized) return offload_generalized_call(ufunc, state, given, device);
  return HostTargetCall(ufunc, state, call).run_on(device);
}

// Whether NumPy could not repeat the call after a part of it was written, in which each element may
// depend on what was there.
bool adds_to_outputs(const CallArguments& call, const run::Loop& loop) {
  for (std::size_t i = 0; i < call.n_outputs; ++i) {
    if (call.output(i).is_valid() && loop.parallel.operands[call.n_inputs + i].is_read) return true;
  }
  return false;
}

nb::object offload_generalized(PyObject* ufunc, UfuncState& state, const CallArguments& call,
                               const DevicePointer& device) {
  const std::optional<ModelledCall> model = model_generalized_call(ufunc, state, call);
  if (!model || adds_to_outputs(call, model->loop())) return {};
  if (!model->choose(device).is_device) return model->time_numpy(ufunc, call.given);
  const Stopwatch watch;
  nb::object result = offload_generalized_call(ufunc, state, call.given, device);
  model->note_device(watch.seconds());
  return result;
}

nb::object offload_elementwise(PyObject* ufunc, UfuncState& state, const CallArguments& call,
                               const DevicePointer& device) {
  const HostTargetCall on_host(ufunc, state, call);
  const ModelledCall model = on_host.model();
  return model.choose(device).is_device ? on_host.run_on(device)
                                        : model.time_numpy(ufunc, call.given);
}

// A call with target="auto" where offloading was requested. NumPy makes those that the device
// cannot, and all calls after a device failure.
nb::object try_offload(PyObject* ufunc, UfuncState& state, const GivenArguments& given,
                       const std::string& request) {
  const bool is_generalized = state.library->declaration().layout.has_value();
  const CallArguments call = read_call(ufunc, state, given);
  const bool is_fit = is_generalized ? is_for_generalized_call(call) && !state.stretches_operands
                                     : is_for_host_arrays(call);
  if (!is_fit || writes_inputs(call)) return {};
  const DevicePointer device = find_offload_device(request);
  if (device == nullptr) return {};
  check_outputs(call);
  try {
    return is_generalized ? offload_generalized(ufunc, state, call, device)
                          : offload_elementwise(ufunc, state, call, device);
  } catch (const base::Error& error) {
    // A dtype in memory that only NumPy can cast, or a kernel that only the CPU can run, is no
    // failure of the device.
    const bool is_of_call =
        error.kind() == base::ErrorKind::kType || error.kind() == base::ErrorKind::kKernel;
    if (!is_of_call) {
      note_device_failure(request, device, error.what());
    }
    return {};
  }
}

TargetExplanation explain_offload(PyObject* ufunc, UfuncState& state, const GivenArguments& given) {
  const std::string request = offload_request();
  if (request.empty()) {
    return {nullptr,
            "host arrays stay on the host unless numpy_plugin.offload() or "
            "NUMPY_PLUGIN_AUTO=device asks "
            "for a device",
            {}};
  }
  const DevicePointer device = find_offload_device(request);
  if (device == nullptr) return {nullptr, "no device can be used, or it has failed before", {}};
  const auto model = model_call(ufunc, state, read_call(ufunc, state, given));
  if (!model) return {nullptr, "NumPy refuses the call", {}};
  const run::TargetChoice choice = model->choose(device);
  return {choice.is_device ? device : nullptr, choice.why,
          choice.is_device ? model->traffic() : run::HostTraffic{}};
}

}  // namespace

nb::object try_host_call_on_device(PyObject* ufunc, UfuncState& state,
                                   const GivenArguments& given) {
  const declare::Declaration& declaration = state.library->declaration();
  if (declaration.layout && !declaration.layout->writable_inputs.empty()) return {};
  // The host's results are complete when the call returns.
  const run::ErrorModeScope immediate(run::ErrorMode::kImmediate);
  if (declaration.call_target == CallTarget::kCuda) return call_on_target(ufunc, state, given);
  if (declaration.call_target != CallTarget::kAuto || !has_many_elements(given)) return {};
  const std::string request = offload_request();
  return request.empty() ? nb::object() : try_offload(ufunc, state, given, request);
}

TargetExplanation explain_target(PyObject* ufunc, UfuncState& state, const GivenArguments& given) {
  const declare::Declaration& declaration = state.library->declaration();
  if (declaration.call_target == CallTarget::kCpu) return {nullptr, "the target is \"cpu\"", {}};
  if (declaration.call_target == CallTarget::kParallel) {
    return {nullptr, "the target is \"parallel\"", {}};
  }
  if (declaration.layout && !declaration.layout->writable_inputs.empty()) {
    return {nullptr, "it writes inputs in place", {}};
  }
  if (declaration.call_target == CallTarget::kAuto) return explain_offload(ufunc, state, given);
  const DevicePointer device = run::find_current_device();
  if (device == nullptr) return {nullptr, run::missing_device_reason(), {}};
  const auto model = model_call(ufunc, state, read_call(ufunc, state, given));
  if (!model) return {nullptr, "NumPy refuses the call", {}};
  return {device, "the target is \"cuda\"", model->traffic()};
}

}  // namespace numpy_plugin::ufunc
