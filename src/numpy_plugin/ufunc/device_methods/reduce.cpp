#include "numpy_plugin/ufunc/device_methods/reduce.hpp"

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/run/forms/device_cast.hpp"
#include "numpy_plugin/run/forms/device_move.hpp"
#include "numpy_plugin/ufunc/api/caller_line.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"
#include "numpy_plugin/ufunc/api/raised_exception.hpp"
#include "numpy_plugin/ufunc/arguments/call_shape.hpp"
#include "numpy_plugin/ufunc/arguments/stand_ins.hpp"
#include "numpy_plugin/ufunc/device_calls/device_call_parts.hpp"
#include "numpy_plugin/ufunc/device_methods/reduced_axes.hpp"
#include "numpy_plugin/ufunc/device_methods/resolved_reduction.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

using Kind = Operand::Kind;
using Shape = std::vector<std::int64_t>;

// A call of `reduce`, from its arguments to the launch.
class ReduceDeviceCall {
 public:
  ReduceDeviceCall(PyObject* ufunc, UfuncState& state, const MethodArguments& call)
      : ufunc_(ufunc),
        state_(state),
        call_(call),
        operand_arguments_(operand_arguments()),
        operands_(ufunc, state, operand_arguments_) {}

  nb::object run() {
    prepare();
    launch();
    const DeviceArray* const results[] = {result_};
    return call_result(operand_arguments_, operands_, results);
  }

 private:
  [[noreturn]] void refuse(const char* reason) const { raise_numpys_error(ufunc_, call_, reason); }
  CallArguments operand_arguments() const;
  void prepare();
  void check_out();
  void read_axes();
  void read_initial();
  void check_mask();
  void make_result();
  const DeviceArray& new_result();
  void launch();
  void launch_reduction(const DeviceArray& to);
  std::vector<std::int64_t> mask_strides() const;
  bool is_empty() const { return array().layout().size() == 0 || operands_.writes_nothing(); }
  bool is_out_given() const { return operands_[1].kind == Kind::kDevice; }
  const DeviceArray& array() const { return *operands_[0].array; }
  const Shape& shape() const { return array().layout().shape; }

  PyObject* ufunc_;
  UfuncState& state_;
  const MethodArguments& call_;
  CallArguments operand_arguments_;             // the array, out=, where=, stream=
  std::optional<run::CurrentContext> context_;  // for all of the call
  std::shared_ptr<run::Stream> stream_;  // before the operands: memory is given back to it first
  CallOperands operands_;
  bool keeps_dimensions_ = false;
  std::optional<ReducedAxes> axes_;
  std::shared_ptr<const ResolvedReduction> resolved_;
  std::optional<std::array<std::byte, 16>> initial_;
  const DeviceArray* result_ = nullptr;
};

// Throws NumPy's exceptions for outputs and masks of other kinds.
CallArguments ReduceDeviceCall::operand_arguments() const {
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

void ReduceDeviceCall::prepare() {
  stream_ = operands_.move_to_device(state_);
  if (operands_[0].kind != Kind::kDevice) {
    throw base::Error(base::ErrorKind::kType, "'" + state_.name + "." + name_of(call_.method) +
                                                  "' on a device reduces device arrays, found " +
                                                  type_name_of(call_.array));
  }
  context_.emplace(*stream_->device());
  read_axes();
  resolved_ =
      resolve_reduction(ufunc_, state_, call_,
                        {array().dtype, is_out_given() ? operands_[1].array->dtype : nb::object()});
  read_initial();
  check_mask();
  make_result();
}

void ReduceDeviceCall::read_axes() {
  axes_ = ReducedAxes::read(call_.axis, shape().size());
  if (!axes_) refuse("its axes are not the array's");
  if (axes_->n_reduced() > 1 && state_.identity.is_none()) refuse("it is not reorderable");
  if (!call_.keepdims.is_valid()) return;
  const int keeps = PyObject_IsTrue(call_.keepdims.ptr());
  if (keeps < 0) throw nb::python_error();
  keeps_dimensions_ = keeps != 0;
}

void ReduceDeviceCall::read_initial() {
  initial_ = resolved_->identity;
  if (call_.initial.is_valid()) {
    initial_.reset();
    if (!call_.initial.is_none()) {
      initial_.emplace();
      if (PyArray_Pack(as_descriptor(resolved_->dtype), initial_->data(), call_.initial.ptr()) < 0)
        throw nb::python_error();
    }
  }
  if (initial_) return;
  if (call_.where.is_valid()) refuse("a mask needs an initial value");
  std::int64_t n_results = 1;
  for (const std::int64_t size : axes_->kept(array().layout()).shape) n_results *= size;
  if (n_results > 0 && array().layout().size() == 0) refuse("no elements and no identity");
}

// A mask is broadcast to the array's shape.
void ReduceDeviceCall::check_mask() {
  if (!operands_.is_masked()) return;
  const Shape& mask = operands_.mask().array->layout().shape;
  bool fits = mask.size() <= shape().size();
  for (std::size_t i = 1; fits && i <= mask.size(); ++i) {
    const std::int64_t size = mask[mask.size() - i];
    fits = size == 1 || size == shape()[shape().size() - i];
  }
  if (!fits) refuse("the mask does not fit the array");
}

void ReduceDeviceCall::check_out() {
  const DeviceArray& out = *operands_[1].array;
  if (out.memory.buffer->is_read_only()) refuse("the output can't be written to");
  if (out.layout().shape != axes_->result_shape(shape(), keeps_dimensions_)) {
    refuse("the output is not of the result's shape");
  }
}

void ReduceDeviceCall::make_result() {
  if (is_out_given()) {
    check_out();
    result_ = operands_[1].array;
  } else {
    result_ = &new_result();
  }
}

// Its axes are in the order of the array's in memory.
const DeviceArray& ReduceDeviceCall::new_result() {
  const DeviceArray view = array().with_layout(axes_->kept(array().layout()));
  CallShape kept;
  NPP_ASSERT(kept.add(view), state_.name);
  const auto item_bytes = static_cast<std::int64_t>(base::info(resolved_->accumulator()).n_bytes);
  run::ArrayLayout layout = new_output_layout(kept, {&view}, NPY_KEEPORDER, item_bytes);
  for (std::size_t i = 0; keeps_dimensions_ && i < axes_->n_dimensions(); ++i) {
    if ((*axes_)[i]) layout = run::with_new_axis(std::move(layout), i);
  }
  return operands_.keep(make_device_array(stream_, layout, resolved_->dtype,
                                          state_.name + "." + name_of(call_.method)));
}

std::vector<std::int64_t> ReduceDeviceCall::mask_strides() const {
  const run::ArrayLayout& mask = operands_.mask().array->layout();
  std::vector<std::int64_t> strides(shape().size() - mask.shape.size());
  for (std::size_t i = 0; i < mask.shape.size(); ++i) {
    strides.push_back(mask.shape[i] == 1 ? 0 : mask.strides[i]);
  }
  return strides;
}

void ReduceDeviceCall::launch_reduction(const DeviceArray& to) {
  const auto reduction = state_.library->device_reduction(
      stream_->device(), *resolved_->loop, resolved_->stored, !state_.identity.is_none());
  const std::vector<std::int64_t> result_strides =
      axes_->result_strides(to.layout(), keeps_dimensions_);
  std::vector<std::int64_t> of_mask;
  std::vector<run::CallOperand> launched = {{.dtype = resolved_->stored[0],
                                             .address = array().memory.address(),
                                             .strides = array().layout().strides.data()}};
  if (operands_.is_masked()) {
    of_mask = mask_strides();
    launched.push_back({.dtype = base::DType::kBool,
                        .address = operands_.mask().array->memory.address(),
                        .strides = of_mask.data()});
  }
  launched.push_back({.dtype = resolved_->stored[1],
                      .address = to.memory.address(),
                      .strides = result_strides.data()});
  reduction->launch(stream_, {.shape = shape(),
                              .is_reduced = axes_->flags(),
                              .operands = launched,
                              .initial = initial_ ? std::span<const std::byte>(*initial_)
                                                  : std::span<const std::byte>()});
}

void ReduceDeviceCall::launch() {
  if (result_->layout().size() == 0) return;
  std::array<std::byte, 16> constant = {};
  if (is_empty()) {  // the result is the initial value
    NPP_ASSERT(initial_.has_value(), state_.name);
    const nb::object value =
        checked(PyArray_Scalar(initial_->data(), as_descriptor(resolved_->dtype), nullptr));
    const nb::object cast = checked(PyArray_Zeros(0, nullptr, new_descriptor(result_->dtype), 0));
    copy_values(cast, value, "unsafe");
    std::memcpy(constant.data(), PyArray_DATA(as_array(cast)), result_->layout().item_bytes);
  }
  const bool overlaps =
      is_out_given() &&
      (result_->memory.overlaps(array().memory) ||
       (operands_.is_masked() && result_->memory.overlaps(operands_.mask().array->memory)));
  const DeviceArray* computed = result_;
  if (overlaps && !is_empty()) {
    const auto& own = result_->layout();
    computed = &operands_.keep(
        make_device_array(stream_, run::make_layout(own.shape, own.item_bytes, run::ArrayOrder::kC),
                          result_->dtype, "a temporary of " + state_.name));
  }
  const RaiseScope raising;
  const run::LaunchScope scope(place_of_call(state_.name));
  {
    const ReleasedGil release;
    run::CallOrder order(stream_);
    use_operands(operands_, order);
    if (is_empty()) {
      run::fill_on_device(stream_, result_->memory, constant.data());
    } else {
      launch_reduction(*computed);
    }
    if (computed != result_) run::move_on_device(stream_, result_->memory, computed->memory);
    give_back_operands(operands_, order);
  }
  if (!raising.raised().is_set()) return;
  set_raised_exception(raising.raised(), state_.name, nb::none());
  throw nb::python_error();
}

}  // namespace

nb::object reduce_on_device(PyObject* ufunc, UfuncState& state, const GivenArguments& given) {
  const MethodArguments call = read_method(ufunc, Reduction::kReduce, given);
  return ReduceDeviceCall(ufunc, state, call).run();
}

}  // namespace numpy_plugin::ufunc
