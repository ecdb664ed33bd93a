// Operands are checked in NumPy's order: dtypes, core dimensions, loop dimensions. Then those of
// other dtypes and outputs that share memory with other operands get temporaries, and the loop is
// launched over views of core and loop dimensions.
#include "numpy_plugin/ufunc/device_calls/device_call.hpp"

#include <algorithm>
#include <optional>
#include <ranges>
#include <string>
#include <vector>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/run/forms/device_move.hpp"
#include "numpy_plugin/run/launch/elementwise_call.hpp"
#include "numpy_plugin/ufunc/api/events.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"
#include "numpy_plugin/ufunc/arguments/call_operands.hpp"
#include "numpy_plugin/ufunc/arguments/call_shape.hpp"
#include "numpy_plugin/ufunc/arguments/core_dimensions.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

using Kind = Operand::Kind;

bool may_self_overlap(const DeviceArray& array, base::DType dtype) {
  const run::CallOperand operand = {
      .dtype = dtype, .address = array.memory.address(), .strides = array.layout().strides.data()};
  return run::needs_temporary({.shape = array.layout().shape, .operands = {&operand, 1}}, 0, 0);
}

// By NumPy's rule: an output may omit loop dimensions of size 1.
bool is_shape_of_output(const Shape& shape, std::span<const std::int64_t> loop) {
  if (shape.size() > loop.size()) return false;
  const auto left_out = loop.first(loop.size() - shape.size());
  return std::ranges::all_of(left_out, [](std::int64_t n) { return n == 1; }) &&
         std::ranges::equal(loop.last(shape.size()), shape);
}

class GeneralizedDeviceCall {
 public:
  GeneralizedDeviceCall(PyObject* ufunc, UfuncState& state, const CallArguments& call)
      : ufunc_(ufunc),
        state_(state),
        call_(call),
        layout_(*state.library->declaration().layout),
        operands_(ufunc, state, call),
        dimensions_(layout_) {}

  nb::object run() {
    prepare();
    launch();
    return call_result(call_, operands_, outputs_);
  }

  run::LaunchExplanation explain() {
    prepare();
    run::LaunchExplanation explanation = loop()->explain(generalized_call());
    explanation.casts = run::cast_texts(resolved_->loop->kernel.signature, resolved_->stored);
    if (!explanation.casts.empty()) explanation.reason += "; casts are separate launches";
    return explanation;
  }

 private:
  // An operand in the loop's dtype.
  struct Launched {
    const DeviceArray* array = nullptr;  // null: a value
    DeviceArray loop_view;               // its loop dimensions
    std::vector<std::int64_t> core_strides;
  };

  [[noreturn]] void refuse(const char* reason) const {
    raise_numpys_error(ufunc_, state_, call_.given, reason);
  }
  bool is_output(std::size_t operand) const { return operand >= call_.n_inputs; }
  // An output, or an input that the kernel modifies in place.
  bool is_written(std::size_t operand) const {
    return is_output(operand) || layout_.is_writable(operand);
  }
  // Whether a host number is passed with the launch.
  bool is_value(std::size_t operand) const {
    return operands_[operand].kind == Kind::kValue && layout_.operands[operand].empty() &&
           resolved_->loop->kernel.signature.inputs[operand].n_dimensions == 0;
  }
  base::DType loop_dtype(std::size_t operand) const { return resolved_->loop_dtypes[operand]; }

  void prepare();
  void check_names();
  void find_dimensions();
  void broadcast();
  void take_inputs();
  void take_outputs();
  DeviceArray view_of_loop(std::size_t operand, const DeviceArray& array) const;
  const DeviceArray& new_output(std::size_t operand);
  bool are_in_fortran_order() const;
  const DeviceArray& new_temporary(std::size_t operand, const Shape& shape);
  const DeviceArray& new_value(std::size_t operand);
  bool needs_copy(std::size_t input) const;
  bool needs_temporary(std::size_t written, const DeviceArray& array) const;
  std::vector<std::size_t> in_order_of_writing() const;
  void fill_launch();
  void launch();
  std::shared_ptr<const run::GeneralizedLoop> loop() const {
    return state_.library->generalized_loop(stream_->device(), *resolved_->loop);
  }
  run::GeneralizedCall generalized_call() const {
    return {shape_.sizes(), dimensions_.sizes(), core_operands_};
  }
  const DeviceArray& given(std::size_t operand) const { return *operands_[operand].array; }
  // For written operands: the array to be returned, or modified in place.
  const DeviceArray& result(std::size_t operand) const {
    return is_output(operand) ? *outputs_[operand - call_.n_inputs] : given(operand);
  }

  PyObject* ufunc_;
  UfuncState& state_;
  const CallArguments& call_;
  const declare::CoreSignature& layout_;
  std::optional<run::CurrentContext> context_;  // for all of the call
  std::shared_ptr<run::Stream> stream_;  // before the operands: memory is given back to it first
  CallOperands operands_;
  CoreDimensions dimensions_;
  NPY_ORDER order_ = NPY_KEEPORDER;
  std::shared_ptr<const ResolvedLoop> resolved_;
  CallShape shape_;  // of the loop dimensions
  CallStrides strides_;
  std::vector<const DeviceArray*> outputs_;  // as returned
  std::vector<Launched> launched_;
  std::vector<run::CoreOperand> core_operands_;
};

void GeneralizedDeviceCall::prepare() {
  check_names();
  order_ = read_order(ufunc_, state_, call_);
  resolved_ = resolve_loop(ufunc_, state_, call_, operands_);
  stream_ = operands_.move_to_device(state_);
  context_.emplace(*stream_->device());
  warn_of_casts(operands_, *resolved_);
  find_dimensions();
  broadcast();
  take_inputs();
  take_outputs();
  fill_launch();
}

// Also rejects where=True, which only elementwise ufuncs accept.
void GeneralizedDeviceCall::check_names() {
  if (call_.keepdims.is_valid() && !PyBool_Check(call_.keepdims.ptr()))
    refuse("keepdims is not a bool");
  for (std::size_t i = 0; i < call_.given.n_named(); ++i) {
    if (is_name(call_.given.name(i), "where")) refuse("generalized ufuncs take no mask");
  }
}

void GeneralizedDeviceCall::find_dimensions() {
  std::vector<std::optional<Shape>> shapes;
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    switch (operands_[i].kind) {
      case Kind::kDevice:
        shapes.emplace_back(given(i).layout().shape);
        break;
      case Kind::kValue:
        shapes.emplace_back(Shape());
        break;
      default:
        shapes.emplace_back();
    }
  }
  if (!dimensions_.find(call_, shapes)) refuse("its core dimensions do not fit");
}

DeviceArray GeneralizedDeviceCall::view_of_loop(std::size_t operand,
                                                const DeviceArray& array) const {
  const OperandAxes& axes = dimensions_.operands()[operand];
  const run::ArrayLayout& layout = array.layout();
  run::ArrayLayout view{{}, {}, layout.offset, layout.item_bytes};
  for (std::size_t i = 0; i < axes.n_loop(); ++i) {
    view.shape.push_back(layout.shape[axes.axes[i]]);
    view.strides.push_back(layout.strides[axes.axes[i]]);
  }
  return array.with_layout(std::move(view));
}

void GeneralizedDeviceCall::broadcast() {
  bool fits = true;
  std::vector<DeviceArray> written;
  for (std::size_t i = 0; i < operands_.size() && fits; ++i) {
    if (operands_[i].kind != Kind::kDevice) continue;
    const DeviceArray view = view_of_loop(i, given(i));
    fits = shape_.add(view);
    if (is_written(i)) written.push_back(view);
  }
  for (const DeviceArray& output : written) {
    fits = fits && is_shape_of_output(output.layout().shape, shape_.sizes()) &&
           !output.memory.buffer->is_read_only();
  }
  if (!fits) refuse("an operand cannot be written to, or the loop dimensions do not fit");
}

void GeneralizedDeviceCall::take_inputs() {
  launched_.resize(operands_.size());
  for (std::size_t i = 0; i < call_.n_inputs; ++i) {
    if (is_value(i)) continue;
    if (operands_[i].kind == Kind::kValue) {
      launched_[i].array = &new_value(i);
    } else if (is_written(i) ? needs_temporary(i, given(i)) : needs_copy(i)) {
      launched_[i].array = &new_temporary(i, given(i).layout().shape);
    } else {
      launched_[i].array = &given(i);
    }
  }
}

void GeneralizedDeviceCall::take_outputs() {
  for (std::size_t i = call_.n_inputs; i < operands_.size(); ++i) {
    const bool is_given = operands_[i].kind == Kind::kDevice;
    outputs_.push_back(is_given ? &given(i) : &new_output(i));
    const DeviceArray& output = *outputs_.back();
    launched_[i].array =
        is_given && needs_temporary(i, output) ? &new_temporary(i, output.layout().shape) : &output;
  }
}

// For a read-only input: it must keep the values from before an earlier input's in-place change.
bool GeneralizedDeviceCall::needs_copy(std::size_t input) const {
  if (resolved_->stored[input] != loop_dtype(input)) return true;
  return std::ranges::any_of(layout_.writable_inputs, [&](std::size_t other) {
    return operands_[other].kind == Kind::kDevice &&
           given(other).memory.overlaps(given(input).memory);
  });
}

// `written` is an output or an input modified in place.
bool GeneralizedDeviceCall::needs_temporary(std::size_t written, const DeviceArray& array) const {
  if (resolved_->stored[written] != loop_dtype(written)) return true;
  if (may_self_overlap(array, loop_dtype(written))) return true;
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    const DeviceArray* const other = is_output(i) ? operands_[i].array : launched_[i].array;
    const bool is_considered = i < written || (i != written && is_output(i));
    if (is_considered && other != nullptr && array.memory.overlaps(other->memory)) return true;
  }
  return false;
}

// Outputs and inputs modified in place, in the order NumPy writes them.
std::vector<std::size_t> GeneralizedDeviceCall::in_order_of_writing() const {
  std::vector<run::SharedOutput> written;
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    if (!is_output(i) && (!is_written(i) || operands_[i].kind != Kind::kDevice)) continue;
    const run::DeviceMemory& memory = result(i).memory;
    const auto meets = [&](std::size_t input) {
      return operands_[input].kind == Kind::kDevice && memory.overlaps(given(input).memory);
    };
    const auto inputs = std::views::iota(std::size_t{0}, is_output(i) ? call_.n_inputs : 0);
    const bool is_copied_back =
        resolved_->stored[i] != loop_dtype(i) || std::ranges::any_of(inputs, meets);
    const auto lowest = static_cast<std::uint64_t>(memory.layout.lowest_byte());
    written.push_back({i, memory.buffer->address() + lowest, is_copied_back});
  }
  return run::in_order_of_writing(std::move(written));
}

const DeviceArray& GeneralizedDeviceCall::new_temporary(std::size_t operand, const Shape& shape) {
  const auto item_bytes = static_cast<std::int64_t>(base::info(loop_dtype(operand)).n_bytes);
  return operands_.keep(
      make_device_array(stream_, run::make_layout(shape, item_bytes, run::ArrayOrder::kC),
                        resolved_->dtypes[operand], "a temporary of " + state_.name));
}

// An array of one element with a host number, for kernels that take arrays.
const DeviceArray& GeneralizedDeviceCall::new_value(std::size_t operand) {
  alignas(16) std::array<std::byte, 16> value = {};
  write_value(operands_[operand], resolved_->dtypes[operand], value.data());
  const DeviceArray& array = new_temporary(operand, {});
  run::fill_on_device(stream_, array.memory, value.data());
  return array;
}

// All arrays of the call, including core dimensions, as order="A" requires.
bool GeneralizedDeviceCall::are_in_fortran_order() const {
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    if (operands_[i].kind != Kind::kDevice) continue;
    if (!given(i).layout().is_contiguous(run::ArrayOrder::kFortran)) return false;
  }
  return true;
}

// Loop dimensions in NumPy's order with core dimensions last, moved to the positions given by axis=
// and axes=.
const DeviceArray& GeneralizedDeviceCall::new_output(std::size_t operand) {
  const Shape core = dimensions_.core_shape(operand);
  std::vector<const DeviceArray*> inputs;
  std::vector<DeviceArray> views;
  for (std::size_t i = 0; i < call_.n_inputs; ++i) {
    if (operands_[i].kind == Kind::kDevice) views.push_back(view_of_loop(i, given(i)));
  }
  for (const DeviceArray& view : views) inputs.push_back(&view);
  const auto item_bytes = static_cast<std::int64_t>(base::info(loop_dtype(operand)).n_bytes);
  Shape sizes(shape_.sizes().begin(), shape_.sizes().end());
  sizes.insert(sizes.end(), core.begin(), core.end());
  const bool is_fortran =
      order_ == NPY_FORTRANORDER || (order_ == NPY_ANYORDER && are_in_fortran_order());
  run::ArrayLayout layout = run::make_layout(
      sizes, item_bytes, is_fortran ? run::ArrayOrder::kFortran : run::ArrayOrder::kC);
  if (order_ == NPY_KEEPORDER && layout.size() > 0) {
    const std::int64_t item = run::make_layout(core, item_bytes, run::ArrayOrder::kC).n_bytes();
    const run::ArrayLayout loop = new_output_layout(shape_, inputs, order_, item);
    std::copy(loop.strides.begin(), loop.strides.end(), layout.strides.begin());
  }
  run::ArrayLayout moved = layout;
  const std::vector<std::size_t>& axes = dimensions_.operands()[operand].axes;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    moved.shape[axes[i]] = layout.shape[i];
    moved.strides[axes[i]] = layout.strides[i];
  }
  return operands_.keep(make_device_array(stream_, moved, resolved_->dtypes[operand], state_.name));
}

void GeneralizedDeviceCall::fill_launch() {
  core_operands_.resize(operands_.size());
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    run::CallOperand& operand = core_operands_[i].loop;
    operand.dtype = loop_dtype(i);
    Launched& launched = launched_[i];
    if (launched.array == nullptr) {
      operand.is_value = true;
      write_value(operands_[i], resolved_->dtypes[i], operand.slot.data());
      continue;
    }
    const run::ArrayLayout& layout = launched.array->layout();
    for (const auto& axis : dimensions_.operands()[i].core_axes) {
      launched.core_strides.push_back(axis ? layout.strides[*axis] : 0);
    }
    launched.loop_view = view_of_loop(i, *launched.array);
    operand.address = launched.array->memory.address();
    operand.strides = strides_.of(launched.loop_view, shape_);
    core_operands_[i].core_strides = launched.core_strides.data();
  }
}

void GeneralizedDeviceCall::launch() {
  const auto generalized_loop = loop();
  const run::LaunchScope scope(place_of_call(state_.name));
  const ReleasedGil release;
  run::CallOrder order(stream_);
  use_operands(operands_, order);
  for (const std::size_t i : layout_.writable_inputs) {
    if (operands_[i].kind != Kind::kDevice) continue;
    given(i).memory.buffer->use_on(stream_, run::Access::kWrite);
  }
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    if (operands_[i].kind != Kind::kDevice || launched_[i].array == &given(i)) continue;
    if (!resolved_->loop->parallel.operands[i].is_read) continue;
    run::cast_on_device(stream_, launched_[i].array->memory, loop_dtype(i), given(i).memory,
                        resolved_->stored[i]);
  }
  generalized_loop->launch(stream_, generalized_call());
  for (const std::size_t i : in_order_of_writing()) {
    if (launched_[i].array == &result(i)) continue;
    run::cast_on_device(stream_, result(i).memory, resolved_->stored[i], launched_[i].array->memory,
                        loop_dtype(i));
  }
  give_back_operands(operands_, order);
}

}  // namespace

nb::object call_generalized_on_device(PyObject* ufunc, UfuncState& state,
                                      const CallArguments& call) {
  return GeneralizedDeviceCall(ufunc, state, call).run();
}

run::LaunchExplanation explain_generalized_call(PyObject* ufunc, UfuncState& state,
                                                const CallArguments& call) {
  return GeneralizedDeviceCall(ufunc, state, call).explain();
}

}  // namespace numpy_plugin::ufunc
