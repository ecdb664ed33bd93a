// A call of a ufunc's method on device arrays, from its arguments to the launch: what the methods
// share.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "numpy_plugin/run/launch/elementwise_call.hpp"
#include "numpy_plugin/run/launch/launch_log.hpp"
#include "numpy_plugin/run/memory/array_layout.hpp"
#include "numpy_plugin/ufunc/api/numpy_api.hpp"
#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"
#include "numpy_plugin/ufunc/arguments/call_operands.hpp"
#include "numpy_plugin/ufunc/arguments/reduction_arguments.hpp"

namespace numpy_plugin::ufunc {

// Parses the arguments of a ufunc's methods on device arrays by NumPy's rules.

// A call of a method. Borrowed references; null where not given.
struct MethodArguments {
  Reduction method = Reduction::kReduce;
  GivenArguments given;
  nanobind::handle array, indices, axis, dtype, out, keepdims, initial, where, stream;
};

// "reduce".
const char* name_of(Reduction method);

// Throws NumPy's exceptions for a wrong number of arguments and for unknown keywords.
MethodArguments read_method(PyObject* ufunc, Reduction method, const GivenArguments& given);

// Throws NumPy's own exception for an invalid call: repeats it on host arrays without memory. The
// caller guarantees that NumPy raises; `reason` explains why, for the assertion.
[[noreturn]] void raise_numpys_error(PyObject* ufunc, const char* method,
                                     const GivenArguments& given, const char* reason);

// The axes of a reduction, and the shapes that follow from them.
class ReducedAxes {
 public:
  // `axis` as given: null for NumPy's default, 0; nullopt for axes that NumPy rejects.
  static std::optional<ReducedAxes> read(nanobind::handle axis, std::size_t n_dimensions);

  std::size_t n_dimensions() const { return n_dimensions_; }
  std::size_t n_reduced() const { return n_reduced_; }
  bool operator[](std::size_t axis) const { return is_reduced_[axis]; }
  std::span<const bool> flags() const { return {is_reduced_.data(), n_dimensions_}; }

  // A view of the dimensions that are not reduced.
  run::ArrayLayout kept(const run::ArrayLayout& array) const;
  // The result's shape.
  std::vector<std::int64_t> result_shape(const std::vector<std::int64_t>& shape,
                                         bool keeps_dimensions) const;
  // A result's strides in all dimensions of the array, 0 in reduced ones.
  std::vector<std::int64_t> result_strides(const run::ArrayLayout& result,
                                           bool keeps_dimensions) const;

 private:
  explicit ReducedAxes(std::size_t n_dimensions) : n_dimensions_(n_dimensions) {}
  bool add(nanobind::handle axis);

  std::size_t n_dimensions_;
  std::size_t n_reduced_ = 0;
  std::array<bool, run::kMaxDimensions> is_reduced_ = {};
};

// Resolution of a reduction's loop from the operands' dtypes, by NumPy's rules.

struct ResolvedReduction {
  const run::Loop* loop = nullptr;
  nanobind::object dtype;           // of the loop's result
  std::vector<base::DType> stored;  // of the array and the result in the kernel's memory
  // The value that a reduction of this dtype starts with, unless the call gives one; nullopt
  // without an identity.
  std::optional<std::array<std::byte, 16>> identity;

  base::DType accumulator() const { return loop->kernel.signature.outputs[0].dtype; }
};

// The operands' dtypes: numpy.dtype objects; `out` is null for a result to be allocated.
struct ReductionTypes {
  nanobind::object array;
  nanobind::object out;
};

// Cached by the operands' dtypes. Throws NumPy's exceptions where no loop fits or the result can't
// be cast to `out`, and base::Error (kType) for dtypes that device kernels do not read.
std::shared_ptr<const ResolvedReduction> resolve_reduction(PyObject* ufunc, UfuncState& state,
                                                           const MethodArguments& call,
                                                           const ReductionTypes& types);

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
  void convert_unit();
  void make_result();
  bool has_unit_of_loop() const;
  bool overlaps_result(const DeviceArray& read) const;
  const DeviceArray& computed_array();
  void launch();
  const DeviceArray* result_ = nullptr;
  run::ReductionExplanation* explanation_ = nullptr;  // what explain() returns
};

}  // namespace numpy_plugin::ufunc
