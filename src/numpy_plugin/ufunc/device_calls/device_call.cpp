#include "numpy_plugin/ufunc/device_calls/device_call.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/run/forms/device_move.hpp"
#include "numpy_plugin/run/launch/elementwise_call.hpp"
#include "numpy_plugin/ufunc/api/events.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"
#include "numpy_plugin/ufunc/arguments/call_operands.hpp"
#include "numpy_plugin/ufunc/arguments/call_shape.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

using Kind = Operand::Kind;
using StreamPointer = std::shared_ptr<run::Stream>;

// An elementwise call, from its arguments to the launch.
class ElementwiseDeviceCall {
 public:
  ElementwiseDeviceCall(PyObject* ufunc, UfuncState& state, const CallArguments& call)
      : ufunc_(ufunc), state_(state), call_(call), operands_(ufunc, state, call) {}

  nb::object run() {
    prepare();
    const auto temporaries = make_temporaries();
    launch(temporaries);
    return call_result(call_, operands_, {outputs_.data(), call_.n_outputs});
  }

  run::LaunchExplanation explain() {
    prepare();
    return device_loop(state_, *resolved_, stream_->device())->explain(elementwise_call());
  }

 private:
  // A temporary for an output that shares memory with other operands, or has another unit.
  struct Temporary {
    std::size_t output;
    const DeviceArray* computed;
  };

  [[noreturn]] void refuse(const char* reason) const {
    raise_numpys_error(ufunc_, state_, call_.given, reason);
  }
  void prepare();
  void check_names();
  void convert_units();
  void issue_numpy_warning() const;
  void broadcast();
  void make_outputs();
  void fill_launch();
  std::vector<Temporary> make_temporaries();
  void launch(const std::vector<Temporary>& temporaries);
  run::CallOperand call_operand(const DeviceArray& array, base::DType dtype);
  run::ElementwiseCall elementwise_call() const {
    return {shape_.sizes(), {launched_.data(), launched_.size()}, operands_.is_masked()};
  }
  // The dtype of an output in memory, of a date in the loop's unit.
  const nb::object& resolved_dtype(std::size_t output_index) const {
    const std::size_t place = call_.n_inputs + output_index;
    return has_other_unit(operands_[place], resolved_->loop_dtypes[place])
               ? resolved_->dtypes[place]
               : output(output_index).dtype;
  }
  void copy_output(const DeviceArray& to, const DeviceArray& from) const;
  const DeviceArray& output(std::size_t index) const { return *outputs_[index]; }

  PyObject* ufunc_;
  UfuncState& state_;
  const CallArguments& call_;
  std::optional<run::CurrentContext> context_;  // for all of the call
  StreamPointer stream_;  // before the operands: memory is given back to its stream first
  CallOperands operands_;
  std::shared_ptr<const ResolvedLoop> resolved_;
  NPY_ORDER order_ = NPY_KEEPORDER;
  CallShape shape_;
  CallStrides strides_;
  std::array<const DeviceArray*, NPY_MAXARGS> outputs_;  // of n_outputs
  InlineArray<run::CallOperand, NPY_MAXARGS + 1> launched_;
};

void ElementwiseDeviceCall::prepare() {
  check_names();
  resolved_ = resolve_loop(ufunc_, state_, call_, operands_);
  stream_ = operands_.move_to_device(state_);
  context_.emplace(*stream_->device());
  convert_units();
  warn_of_casts(operands_, *resolved_);
  issue_numpy_warning();
  broadcast();
  make_outputs();
  fill_launch();
}

// Rejects keywords and values that elementwise calls do not support.
void ElementwiseDeviceCall::check_names() {
  if (call_.axis.is_valid() || call_.axes.is_valid() || call_.keepdims.is_valid()) {
    refuse("it names axes and has no core dimensions");
  }
  order_ = read_order(ufunc_, state_, call_);
}

// Dates and durations in the loop's units.
void ElementwiseDeviceCall::convert_units() {
  for (std::size_t i = 0; i < call_.n_inputs; ++i) {
    const bool is_on_device = operands_[i].kind == Kind::kDevice;
    if (!is_on_device || !has_other_unit(operands_[i], resolved_->loop_dtypes[i])) continue;
    operands_.replace(i,
                      as_type(*operands_[i].array, resolved_->dtypes[i], "unsafe", false, stream_));
  }
}

// Masked-out results without `out` are undefined, which newer NumPys warn about: called with empty
// arrays, NumPy issues the warning.
void ElementwiseDeviceCall::issue_numpy_warning() const {
  bool has_outputs = call_.out.is_valid();
  for (std::size_t i = 0; i < call_.n_outputs; ++i) has_outputs |= call_.output(i).is_valid();
  if (!call_.where.is_valid() || has_outputs || !state_.numpy_call.is_hooked()) return;
  const npy_intp n_elements = 0;
  const auto empty = [&](nb::handle dtype) {
    return checked(PyArray_Empty(1, &n_elements, new_descriptor(dtype), 0));
  };
  std::vector<nb::object> owned;
  std::vector<PyObject*> values;
  for (std::size_t i = 0; i < call_.n_inputs; ++i) {
    owned.push_back(empty(resolved_->dtypes[i]));
  }
  owned.push_back(empty(descriptor_of(base::DType::kBool)));
  for (const nb::object& array : owned) values.push_back(array.ptr());
  const nb::object names = nb::make_tuple("where");
  checked(state_.numpy_call(ufunc_, values.data(), call_.n_inputs, names.ptr()));
}

void ElementwiseDeviceCall::broadcast() {
  bool fits = true;
  for (std::size_t i = 0; i < operands_.size() && fits; ++i) {
    if (operands_[i].kind == Kind::kDevice) fits = shape_.add(*operands_[i].array);
  }
  if (fits && operands_.is_masked()) fits = shape_.add(*operands_.mask().array);
  for (std::size_t i = call_.n_inputs; i < operands_.size() && fits; ++i) {
    if (operands_[i].kind == Kind::kDevice) fits = shape_.is_of(*operands_[i].array);
  }
  if (!fits || !shape_.is_countable()) refuse("the shapes do not fit");
}

void ElementwiseDeviceCall::make_outputs() {
  for (std::size_t i = 0; i < call_.n_outputs; ++i) {
    const std::size_t place = call_.n_inputs + i;
    if (operands_[place].kind == Kind::kDevice) {
      outputs_[i] = operands_[place].array;
      if (output(i).memory.buffer->is_read_only()) refuse("an output can't be written to");
      continue;
    }
    const auto item_bytes = static_cast<std::int64_t>(base::info(resolved_->stored[place]).n_bytes);
    outputs_[i] = &operands_.keep(
        make_device_array(stream_, new_output_layout(shape_, operands_, order_, item_bytes),
                          resolved_->dtypes[place], state_.name));
  }
}

run::CallOperand ElementwiseDeviceCall::call_operand(const DeviceArray& array, base::DType dtype) {
  return {.dtype = dtype, .address = array.memory.address(), .strides = strides_.of(array, shape_)};
}

void ElementwiseDeviceCall::fill_launch() {
  const std::vector<base::DType>& stored = resolved_->stored;
  for (std::size_t i = 0; i < call_.n_inputs; ++i) {
    run::CallOperand& launched = launched_.add();
    if (operands_[i].kind == Kind::kDevice) {
      launched = call_operand(*operands_[i].array, stored[i]);
    } else {
      launched = {.dtype = stored[i], .is_value = true};
      write_value(operands_[i], resolved_->dtypes[i], launched.slot.data());
    }
  }
  if (operands_.is_masked()) {
    launched_.add() = call_operand(*operands_.mask().array, base::DType::kBool);
  }
  for (std::size_t i = 0; i < call_.n_outputs; ++i) {
    launched_.add() = call_operand(output(i), stored[call_.n_inputs + i]);
  }
}

std::vector<ElementwiseDeviceCall::Temporary> ElementwiseDeviceCall::make_temporaries() {
  std::vector<Temporary> temporaries;
  const std::size_t first_output = launched_.size() - call_.n_outputs;
  std::vector<std::size_t> replaced =
      run::outputs_with_temporaries(elementwise_call(), call_.n_inputs);
  for (std::size_t i = 0; i < call_.n_outputs; ++i) {
    const std::size_t place = first_output + i;
    const bool is_listed = std::ranges::find(replaced, place) != replaced.end();
    const std::size_t operand = call_.n_inputs + i;
    if (!is_listed && has_other_unit(operands_[operand], resolved_->loop_dtypes[operand]))
      replaced.push_back(place);
  }
  for (const std::size_t operand : replaced) {
    const std::size_t i = operand - first_output;
    const DeviceArray& out = output(i);
    const run::ArrayLayout layout =
        run::make_layout(out.layout().shape, out.layout().item_bytes, run::ArrayOrder::kC);
    const DeviceArray& computed = operands_.keep(
        make_device_array(stream_, layout, resolved_dtype(i), "a temporary of " + state_.name));
    temporaries.push_back({i, &computed});
  }
  for (const Temporary& temporary : temporaries) {
    run::CallOperand& launched = launched_[first_output + temporary.output];
    launched = call_operand(*temporary.computed, launched.dtype);
  }
  return temporaries;
}

// Between an output and its temporary, which may have another unit.
void ElementwiseDeviceCall::copy_output(const DeviceArray& to, const DeviceArray& from) const {
  const auto to_dtype = dtype_of_descriptor(as_descriptor(to.dtype));
  const auto from_dtype = dtype_of_descriptor(as_descriptor(from.dtype));
  if (to_dtype == from_dtype) return run::move_on_device(stream_, to.memory, from.memory);
  run::cast_on_device(stream_, to.memory, *to_dtype, from.memory, *from_dtype);
}

void ElementwiseDeviceCall::launch(const std::vector<Temporary>& temporaries) {
  if (operands_.writes_nothing()) return;
  const auto loop = device_loop(state_, *resolved_, stream_->device());
  const run::LaunchScope scope(place_of_call(state_.name));
  const ReleasedGil release;
  run::CallOrder order(stream_);
  use_operands(operands_, order);
  for (const Temporary& temporary : temporaries) {
    // Elements that the mask excludes keep their values.
    if (!operands_.is_masked()) continue;
    copy_output(*temporary.computed, output(temporary.output));
  }
  loop->launch(stream_, elementwise_call());
  for (const Temporary& temporary : temporaries) {
    copy_output(output(temporary.output), *temporary.computed);
  }
  give_back_operands(operands_, order);
}

}  // namespace

nb::object call_on_device(PyObject* ufunc, UfuncState& state, const CallArguments& call) {
  if (state.library->declaration().layout) return call_generalized_on_device(ufunc, state, call);
  return ElementwiseDeviceCall(ufunc, state, call).run();
}

run::LaunchExplanation explain_device_call(PyObject* ufunc, UfuncState& state,
                                           const CallArguments& call) {
  if (state.library->declaration().layout) return explain_generalized_call(ufunc, state, call);
  return ElementwiseDeviceCall(ufunc, state, call).explain();
}

}  // namespace numpy_plugin::ufunc
