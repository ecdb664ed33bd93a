// A call of a ufunc's method on device arrays, from its arguments to the launch: what the methods
// share.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "numpy_plugin/run/launch/launch_log.hpp"
#include "numpy_plugin/ufunc/arguments/call_operands.hpp"
#include "numpy_plugin/ufunc/device_methods/reduced_axes.hpp"
#include "numpy_plugin/ufunc/device_methods/resolved_reduction.hpp"

namespace numpy_plugin::ufunc {

class MethodDeviceCall {
 public:
  MethodDeviceCall(PyObject* ufunc, UfuncState& state, const MethodArguments& call);
  virtual ~MethodDeviceCall() = default;
  MethodDeviceCall(const MethodDeviceCall&) = delete;
  MethodDeviceCall& operator=(const MethodDeviceCall&) = delete;

  // Throws NumPy's exceptions, base::Error, load::CudaError.
  nanobind::object run();
  // Describes the launch without compiling or launching.
  run::ReductionExplanation explain();

 protected:
  using Shape = std::vector<std::int64_t>;

  // Reads the arguments that only this method has, and checks them.
  virtual void read_arguments() = 0;
  // Layout of a result to be allocated.
  virtual run::ArrayLayout result_layout() = 0;
  // The value of every result where the kernel has nothing to compute, of the result's dtype.
  virtual nanobind::object constant_result() { return {}; }
  // Passes the computation to compute(). Called without the GIL.
  virtual void submit(const DeviceArray& to) = 0;
  void compute(const run::ReduceCall& reduction);

  [[noreturn]] void refuse(const char* reason) const {
    raise_numpys_error(ufunc_, name_of(call_.method), call_.given, reason);
  }
  const DeviceArray& array() const { return *operands_[0].array; }
  const Shape& shape() const { return array().layout().shape; }
  bool is_out_given() const { return operands_[1].kind == Operand::Kind::kDevice; }
  const DeviceArray& out() const { return *operands_[1].array; }
  // "add.reduce".
  std::string name() const { return format("{}.{}", state_.name, name_of(call_.method)); }
  // `layout` in the order of the array's axes in memory.
  run::ArrayLayout in_order_of_array(const run::ArrayLayout& layout) const;
  run::CallOperand input_operand(const std::int64_t* strides) const;
  run::CallOperand output_operand(const DeviceArray& to, const std::int64_t* strides) const;

  PyObject* ufunc_;
  UfuncState& state_;
  const MethodArguments& call_;
  CallArguments operand_arguments_;             // the array, out=, where=, stream=
  std::optional<run::CurrentContext> context_;  // for all of the call
  std::shared_ptr<run::Stream> stream_;  // before the operands: memory is given back to it first
  CallOperands operands_;
  std::optional<ReducedAxes> axes_;
  std::shared_ptr<const ResolvedReduction> resolved_;

 private:
  CallArguments operand_arguments() const;
  void prepare();
  void make_result();
  bool overlaps_result(const DeviceArray& read) const;
  const DeviceArray& computed_array();
  void launch();
  const DeviceArray* result_ = nullptr;
  run::ReductionExplanation* explanation_ = nullptr;  // what explain() returns
};

}  // namespace numpy_plugin::ufunc
