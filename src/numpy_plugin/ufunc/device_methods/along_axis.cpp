#include "numpy_plugin/ufunc/device_methods/device_method.hpp"

#include <span>
#include <utility>
#include <vector>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/run/reduce/segment_indices.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"
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
  run::ArrayLayout result_layout() override {
    // NumPy itself reads out of bounds.
    if (is_out_given() && out().layout().shape.empty()) {
      throw base::Error(base::ErrorKind::kValue,
                        "provided out is the wrong size for the accumulation.");
    }
    return in_order_of_array(layout());
  }
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
  void read_on_host(const nb::object& host);
  void read_on_device(const nb::object& given);
  nb::object as_index_array(const nb::object& given) const;
  [[noreturn]] void raise_out_of_bounds(std::int64_t index) const;
  run::ArrayLayout result_layout() override;
  void submit(const DeviceArray& to) override;

  const DeviceArray* indices_ = nullptr;
  run::SegmentLengths lengths_;
};

void ReduceAtCall::read_indices() {
  const nb::object given = nb::borrow(call_.indices);
  if (is_on_device(given)) {
    read_on_device(given);
  } else {
    read_on_host(as_index_array(given));
  }
}

// Throws NumPy's exceptions for indices of other dtypes and dimensions.
nb::object ReduceAtCall::as_index_array(const nb::object& given) const {
  return checked(PyArray_ContiguousFromAny(given.ptr(), NPY_INTP, /*min_depth=*/1, 1));
}

void ReduceAtCall::raise_out_of_bounds(std::int64_t index) const {
  PyErr_Format(PyExc_IndexError, "index %zd out-of-bounds in %s [0, %zd)",
               static_cast<Py_ssize_t>(index), name().c_str(),
               static_cast<Py_ssize_t>(shape()[axis_]));
  throw nb::python_error();
}

void ReduceAtCall::read_on_host(const nb::object& host) {
  const auto* const first = static_cast<const std::int64_t*>(PyArray_DATA(as_array(host)));
  const std::span indices(first, static_cast<std::size_t>(PyArray_SIZE(as_array(host))));
  lengths_ = run::examine_segments(indices, shape()[axis_]);
  if (lengths_.wrong) raise_out_of_bounds(indices[static_cast<std::size_t>(*lengths_.wrong)]);
  indices_ = &operands_.keep(copy_to_new_array(stream_, host, "the indices of " + name()));
}

void ReduceAtCall::read_on_device(const nb::object& given) {
  const DeviceArray array = as_device_array(given, stream_);
  std::vector<npy_intp> no_elements(array.layout().shape.size(), 0);
  as_index_array(checked(PyArray_Empty(static_cast<int>(no_elements.size()), no_elements.data(),
                                       new_descriptor(array.dtype), 0)));
  const nb::object dtype = nb::steal(reinterpret_cast<PyObject*>(PyArray_DescrFromType(NPY_INT64)));
  DeviceArray numbers = as_type(array, dtype, "safe", /*copies=*/false, stream_);
  if (!numbers.layout().is_contiguous(run::ArrayOrder::kC)) numbers = copy(numbers, stream_);
  std::int64_t wrong = 0;
  {
    const ReleasedGil release;
    lengths_ = run::examine_segments(stream_, numbers.memory, shape()[axis_]);
    if (lengths_.wrong) {
      run::DeviceMemory index = numbers.memory;
      index.layout.offset += *lengths_.wrong * index.layout.item_bytes;
      index.layout.shape = {1};
      run::copy_to_host(stream_, index, &wrong);
      stream_->synchronize();
    }
  }
  if (lengths_.wrong) raise_out_of_bounds(wrong);
  indices_ = &operands_.keep(std::move(numbers));
}

run::ArrayLayout ReduceAtCall::result_layout() {
  run::ArrayLayout of_segments = layout();
  of_segments.shape[axis_] = indices_->layout().size();
  return in_order_of_array(of_segments);
}

void ReduceAtCall::submit(const DeviceArray& to) {
  std::vector<std::int64_t> of_result = to.layout().strides;
  const std::int64_t output_stride = std::exchange(of_result[axis_], 0);
  const run::CallOperand operands[] = {input_operand(layout().strides.data()),
                                       output_operand(to, of_result.data())};
  compute({.method = run::ReduceMethod::kSegments,
           .shape = shape(),
           .is_reduced = axes_->flags(),
           .operands = operands,
           .segments = {.indices = indices_->memory.address(),
                        .n_indices = indices_->layout().size(),
                        .longest = lengths_.longest,
                        .ascend = lengths_.ascend,
                        .output_stride = output_stride}});
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
