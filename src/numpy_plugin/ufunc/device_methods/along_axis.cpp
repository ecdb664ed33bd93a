#include "numpy_plugin/ufunc/device_methods/along_axis.hpp"

#include <array>
#include <span>
#include <vector>

#include "numpy_plugin/ufunc/arrays/foreign_array.hpp"
#include "numpy_plugin/ufunc/device_methods/method_call.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

// A method along one axis.
class AlongAxisCall : public MethodDeviceCall {
 public:
  using MethodDeviceCall::MethodDeviceCall;

 protected:
  void read_arguments() override {
    if (axes_->n_reduced() != 1) refuse("it is not along one axis");
    while (!(*axes_)[axis_]) ++axis_;
  }
  const run::ArrayLayout& layout() const { return array().layout(); }

  std::size_t axis_ = 0;
};

class AccumulateCall : public AlongAxisCall {
 public:
  using AlongAxisCall::AlongAxisCall;

 private:
  run::ArrayLayout result_layout() override { return in_order_of_array(layout()); }
  void submit(const DeviceArray& to) override {
    const run::CallOperand operands[] = {input_operand(layout().strides.data()),
                                         output_operand(to, to.layout().strides.data())};
    compute({.method = run::ReduceMethod::kAccumulate,
             .shape = shape(),
             .is_reduced = axes_->flags(),
             .operands = operands});
  }
};

class ReduceAtCall : public AlongAxisCall {
 public:
  using AlongAxisCall::AlongAxisCall;

 private:
  void read_arguments() override {
    AlongAxisCall::read_arguments();
    read_indices();
  }
  void read_indices();
  run::ArrayLayout result_layout() override;
  void submit(const DeviceArray& to) override;

  const DeviceArray* indices_ = nullptr;
};

void ReduceAtCall::read_indices() {
  nb::object given = nb::borrow(call_.indices);
  if (is_on_device(given)) {
    given = copy_to_host(as_device_array(given, stream_), nb::none(), stream_);
  }
  const nb::object host =
      nb::steal(PyArray_ContiguousFromAny(given.ptr(), NPY_INTP, /*min_depth=*/1, 1));
  if (!host.is_valid()) throw nb::python_error();
  const auto* const first = static_cast<const npy_intp*>(PyArray_DATA(as_array(host)));
  const std::int64_t length = shape()[axis_];
  const std::span indices(first, static_cast<std::size_t>(PyArray_SIZE(as_array(host))));
  for (const npy_intp index : indices) {
    if (index >= 0 && index < length) continue;
    PyErr_Format(PyExc_IndexError, "index %zd out-of-bounds in %s [0, %zd)", index, name().c_str(),
                 static_cast<Py_ssize_t>(length));
    throw nb::python_error();
  }
  indices_ = &operands_.keep(copy_to_new_array(stream_, host, "the indices of " + name()));
}

run::ArrayLayout ReduceAtCall::result_layout() {
  run::ArrayLayout of_segments = layout();
  of_segments.shape[axis_] = indices_->layout().size();
  return in_order_of_array(of_segments);
}

// The dimensions of the launch: the other axes, the segments, the line.
void ReduceAtCall::submit(const DeviceArray& to) {
  std::vector<std::int64_t> sizes, of_array, of_indices, of_result;
  const auto add = [&](std::int64_t size, std::int64_t array_stride, std::int64_t index_stride,
                       std::int64_t result_stride) {
    sizes.push_back(size);
    of_array.push_back(array_stride);
    of_indices.push_back(index_stride);
    of_result.push_back(result_stride);
  };
  for (std::size_t i = 0; i < shape().size(); ++i) {
    if (i != axis_) add(shape()[i], layout().strides[i], 0, to.layout().strides[i]);
  }
  const std::int64_t n_segments = indices_->layout().size();
  add(n_segments, 0, indices_->layout().item_bytes, to.layout().strides[axis_]);
  add(shape()[axis_], layout().strides[axis_], 0, 0);
  std::array<bool, run::kMaxDimensions + 1> is_reduced = {};
  is_reduced[sizes.size() - 1] = true;  // the line
  const run::CallOperand operands[] = {input_operand(of_array.data()),
                                       {.dtype = base::DType::kInt64,
                                        .address = indices_->memory.address(),
                                        .strides = of_indices.data()},
                                       output_operand(to, of_result.data())};
  compute({.method = run::ReduceMethod::kSegments,
           .shape = sizes,
           .is_reduced = {is_reduced.data(), sizes.size()},
           .operands = operands,
           .n_segments = n_segments});
}

}  // namespace

nb::object accumulate_on_device(PyObject* ufunc, UfuncState& state, const GivenArguments& given) {
  const MethodArguments call = read_method(ufunc, Reduction::kAccumulate, given);
  return AccumulateCall(ufunc, state, call).run();
}

run::ReductionExplanation explain_accumulate(PyObject* ufunc, UfuncState& state,
                                             const GivenArguments& given) {
  const MethodArguments call = read_method(ufunc, Reduction::kAccumulate, given);
  return AccumulateCall(ufunc, state, call).explain();
}

nb::object reduceat_on_device(PyObject* ufunc, UfuncState& state, const GivenArguments& given) {
  const MethodArguments call = read_method(ufunc, Reduction::kReduceAt, given);
  return ReduceAtCall(ufunc, state, call).run();
}

run::ReductionExplanation explain_reduceat(PyObject* ufunc, UfuncState& state,
                                           const GivenArguments& given) {
  const MethodArguments call = read_method(ufunc, Reduction::kReduceAt, given);
  return ReduceAtCall(ufunc, state, call).explain();
}

}  // namespace numpy_plugin::ufunc
