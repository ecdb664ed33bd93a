#include "numpy_plugin/ufunc/device_methods/device_method.hpp"

#include <optional>
#include <vector>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/ufunc/device_methods/method_call.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

class ReduceDeviceCall : public MethodDeviceCall {
 public:
  using MethodDeviceCall::MethodDeviceCall;

 private:
  void read_arguments() override;
  run::ArrayLayout result_layout() override;
  nb::object constant_result() override;
  void submit(const DeviceArray& to) override;

  bool read_flag(nb::handle given) const;
  void read_initial();
  void check_mask() const;
  std::vector<std::int64_t> mask_strides() const;

  bool keeps_dimensions_ = false;
  std::optional<std::array<std::byte, 16>> initial_;
};

void ReduceDeviceCall::read_arguments() {
  if (axes_->n_reduced() > 1 && state_.identity.is_none()) refuse("it is not reorderable");
  if (call_.keepdims.is_valid()) keeps_dimensions_ = read_flag(call_.keepdims);
  read_initial();
  check_mask();
}

// A bool or an integer.
bool ReduceDeviceCall::read_flag(nb::handle given) const {
  const nb::object number = nb::steal(PyNumber_Index(given.ptr()));
  if (number.is_valid()) return PyObject_IsTrue(number.ptr()) == 1;
  PyErr_Clear();
  refuse("a flag is no integer");
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
  for (std::size_t axis = 0; axis < shape().size(); ++axis) {
    if ((*axes_)[axis] && shape()[axis] == 0) refuse("no elements and no identity");
  }
}

// A mask is broadcast to the array's shape.
void ReduceDeviceCall::check_mask() const {
  if (!operands_.is_masked()) return;
  const Shape& mask = operands_.mask().array->layout().shape;
  bool fits = mask.size() <= shape().size();
  for (std::size_t i = 1; fits && i <= mask.size(); ++i) {
    const std::int64_t size = mask[mask.size() - i];
    fits = size == 1 || size == shape()[shape().size() - i];
  }
  if (!fits) refuse("the mask does not fit the array");
}

run::ArrayLayout ReduceDeviceCall::result_layout() {
  run::ArrayLayout layout = in_order_of_array(axes_->kept(array().layout()));
  for (std::size_t i = 0; keeps_dimensions_ && i < axes_->n_dimensions(); ++i) {
    if ((*axes_)[i]) layout = run::with_new_axis(std::move(layout), i);
  }
  return layout;
}

// The initial value, where there are no elements.
nb::object ReduceDeviceCall::constant_result() {
  if (array().layout().size() > 0 && !operands_.writes_nothing()) return {};
  NPP_ASSERT(initial_.has_value(), state_.name);
  return checked(PyArray_Scalar(initial_->data(), as_descriptor(resolved_->dtype), nullptr));
}

std::vector<std::int64_t> ReduceDeviceCall::mask_strides() const {
  const run::ArrayLayout& mask = operands_.mask().array->layout();
  std::vector<std::int64_t> strides(shape().size() - mask.shape.size());
  for (std::size_t i = 0; i < mask.shape.size(); ++i) {
    strides.push_back(mask.shape[i] == 1 ? 0 : mask.strides[i]);
  }
  return strides;
}

void ReduceDeviceCall::submit(const DeviceArray& to) {
  const auto of_result = axes_->result_strides(to.layout(), keeps_dimensions_);
  std::vector<std::int64_t> of_mask;
  std::vector<run::CallOperand> launched = {input_operand(array().layout().strides.data())};
  if (operands_.is_masked()) {
    of_mask = mask_strides();
    launched.push_back({.dtype = base::DType::kBool,
                        .address = operands_.mask().array->memory.address(),
                        .strides = of_mask.data()});
  }
  launched.push_back(output_operand(to, of_result.data()));
  using Bytes = std::span<const std::byte>;
  compute({.shape = shape(),
           .is_reduced = axes_->flags(),
           .operands = launched,
           .initial = initial_ ? Bytes(*initial_) : Bytes()});
}

}  // namespace

nb::object reduce_on_device(PyObject* ufunc, UfuncState& state, const GivenArguments& given) {
  const MethodArguments call = read_method(ufunc, Reduction::kReduce, given);
  return ReduceDeviceCall(ufunc, state, call).run();
}

run::ReductionExplanation explain_reduce(PyObject* ufunc, UfuncState& state,
                                         const GivenArguments& given) {
  const MethodArguments call = read_method(ufunc, Reduction::kReduce, given);
  return ReduceDeviceCall(ufunc, state, call).explain();
}

}  // namespace numpy_plugin::ufunc
