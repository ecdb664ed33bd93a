#include "numpy_plugin/ufunc/device_methods/method_call.hpp"

#include <cstring>
#include <string>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/run/forms/device_move.hpp"
#include "numpy_plugin/ufunc/api/events.hpp"
#include "numpy_plugin/ufunc/api/python_error.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"
#include "numpy_plugin/ufunc/arguments/call_shape.hpp"
#include "numpy_plugin/ufunc/arguments/stand_ins.hpp"
#include "numpy_plugin/ufunc/device_calls/device_call.hpp"

namespace numpy_plugin::ufunc {

namespace nb = nanobind;

using Kind = Operand::Kind;

MethodDeviceCall::MethodDeviceCall(PyObject* ufunc, UfuncState& state, const MethodArguments& call)
    : ufunc_(ufunc),
      state_(state),
      call_(call),
      operand_arguments_(operand_arguments()),
      operands_(ufunc, state, operand_arguments_) {}

nb::object MethodDeviceCall::run() {
  prepare();
  launch();
  const DeviceArray* const results[] = {result_};
  return call_result(operand_arguments_, operands_, results);
}

run::ReductionExplanation MethodDeviceCall::explain() {
  prepare();
  run::ReductionExplanation explanation;
  explanation.reason = "nothing is reduced: there are no elements";
  if (result_->layout().size() == 0 || constant_result().is_valid()) return explanation;
  explanation_ = &explanation;
  const DeviceArray& computed = computed_array();
  const ReleasedGil release;
  submit(computed);
  return explanation;
}

// Throws NumPy's exceptions for outputs and masks of other kinds.
CallArguments MethodDeviceCall::operand_arguments() const {
  CallArguments arguments;
  arguments.given = call_.given;
  arguments.n_inputs = 1;
  arguments.n_outputs = 1;
  arguments.operands[0] = call_.array;
  arguments.operands[1] = call_.out;
  arguments.where = call_.where;
  arguments.stream = call_.stream;
  const bool is_array =
      !call_.out.is_valid() || PyArray_Check(call_.out.ptr()) || is_on_device(call_.out);
  if (!is_array) refuse("`out` is not an array");
  if (call_.where.is_valid() && is_on_device(call_.where)) {
    const nb::object mask = with_stand_ins(call_.where);
    if (PyArray_TYPE(as_array(mask)) != NPY_BOOL) refuse("the mask is not an array of bool");
  }
  return arguments;
}

void MethodDeviceCall::prepare() {
  stream_ = operands_.move_to_device(state_);
  if (operands_[0].kind != Kind::kDevice) {
    throw base::Error(base::ErrorKind::kType,
                      format("'{}' on a device reduces device arrays, found {}", name(),
                             type_name_of(call_.array)));
  }
  context_.emplace(*stream_->device());
  axes_ = ReducedAxes::read(call_.axis, shape().size());
  if (!axes_) refuse("its axes are not the array's");
  const nb::object of_out = is_out_given() ? out().dtype : nb::object();
  resolved_ = resolve_reduction(ufunc_, state_, call_, {array().dtype, of_out});
  convert_unit();
  read_arguments();
  make_result();
}

// An array of dates or durations in the loop's unit.
void MethodDeviceCall::convert_unit() {
  const base::DType stored = resolved_->stored[0];
  if (!base::is_time(stored) || kernel_dtype(state_, array().dtype) == stored) return;
  operands_.replace(0, as_type(array(), descriptor_of(stored), "unsafe", false, stream_));
}

// Whether kernels write a result of dates or durations themselves.
bool MethodDeviceCall::has_unit_of_loop() const {
  const base::DType stored = resolved_->stored[1];
  return !base::is_time(stored) || kernel_dtype(state_, result_->dtype) == stored;
}

void MethodDeviceCall::make_result() {
  run::ArrayLayout layout = result_layout();
  if (!is_out_given()) {
    result_ = &operands_.keep(make_device_array(stream_, layout, resolved_->dtype, name()));
    return;
  }
  result_ = &out();
  if (result_->memory.buffer->is_read_only()) refuse("the output can't be written to");
  if (result_->layout().shape != layout.shape) refuse("the output is not of the result's shape");
}

run::ArrayLayout MethodDeviceCall::in_order_of_array(const run::ArrayLayout& layout) const {
  const DeviceArray view = array().with_layout(layout);
  CallShape of_view;
  NPP_ASSERT(of_view.add(view), state_.name);
  const auto item_bytes = static_cast<std::int64_t>(base::info(resolved_->accumulator()).n_bytes);
  return new_output_layout(of_view, {&view}, NPY_KEEPORDER, item_bytes);
}

void MethodDeviceCall::compute(const run::ReduceCall& reduction) {
  const auto kernels = state_.library->device_reduction(
      stream_->device(), *resolved_->loop, resolved_->stored, !state_.identity.is_none());
  if (explanation_ == nullptr) {
    kernels->launch(stream_, reduction);
  } else {
    *explanation_ = kernels->explain(reduction);
  }
}

run::CallOperand MethodDeviceCall::input_operand(const std::int64_t* strides) const {
  return {.dtype = resolved_->stored[0], .address = array().memory.address(), .strides = strides};
}

run::CallOperand MethodDeviceCall::output_operand(const DeviceArray& to,
                                                  const std::int64_t* strides) const {
  return {.dtype = resolved_->stored[1], .address = to.memory.address(), .strides = strides};
}

bool MethodDeviceCall::overlaps_result(const DeviceArray& read) const {
  return result_->memory.overlaps(read.memory);
}

// A temporary for a result that shares memory with what is read, or has another unit.
const DeviceArray& MethodDeviceCall::computed_array() {
  const bool overlaps = overlaps_result(array()) ||
                        (operands_.is_masked() && overlaps_result(*operands_.mask().array));
  const bool has_unit = has_unit_of_loop();
  if (!is_out_given() || (!overlaps && has_unit)) return *result_;
  const run::ArrayLayout& own = result_->layout();
  return operands_.keep(make_device_array(
      stream_, run::make_layout(own.shape, own.item_bytes, run::ArrayOrder::kC),
      has_unit ? result_->dtype : resolved_->dtype, "a temporary of " + state_.name));
}

void MethodDeviceCall::launch() {
  if (result_->layout().size() == 0) return;
  const nb::object constant = constant_result();
  const DeviceArray& computed = constant.is_valid() ? *result_ : computed_array();
  const base::DType dtypes[] = {kernel_dtype(state_, result_->dtype),
                                kernel_dtype(state_, computed.dtype)};
  alignas(16) std::array<std::byte, 16> element = {};
  if (constant.is_valid()) {
    const nb::object cast = checked(PyArray_Zeros(0, nullptr, new_descriptor(result_->dtype), 0));
    copy_values(cast, constant, "unsafe");
    std::memcpy(element.data(), PyArray_DATA(as_array(cast)),
                static_cast<std::size_t>(result_->layout().item_bytes));
  }
  const RaiseScope raising;
  const run::LaunchScope scope(place_of_call(state_.name));
  {
    const ReleasedGil release;
    run::CallOrder order(stream_);
    use_operands(operands_, order);
    if (constant.is_valid()) {
      run::fill_on_device(stream_, result_->memory, element.data());
    } else {
      submit(computed);
    }
    if (&computed != result_)
      run::cast_on_device(stream_, result_->memory, dtypes[0], computed.memory, dtypes[1]);
    give_back_operands(operands_, order);
  }
  if (!raising.raised().is_set()) return;
  set_raised_exception(raising.raised(), state_.name, nb::none());
  throw nb::python_error();
}

}  // namespace numpy_plugin::ufunc
