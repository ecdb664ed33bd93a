// NumPy's iterator is created only for its rules: its axes and strides are read, and it never runs.
#include "numpy_plugin/ufunc/offload/host_operands.hpp"

#include <algorithm>
#include <cstring>

#include "numpy_plugin/run/launch/elementwise_call.hpp"
#include "numpy_plugin/run/launch/iteration.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

using Strides = std::vector<std::int64_t>;

// An input in the form that is copied to the device: its own elements, in native byte order.
nb::object input_array(nb::handle operand) {
  return checked(PyArray_FROM_OF(operand.ptr(), NPY_ARRAY_NOTSWAPPED));
}

// A single element, with NumPy's error for a number out of the loop dtype's range.
nb::object value_array(nb::handle operand, const nb::object& dtype) {
  return checked(
      PyArray_FromAny(operand.ptr(), new_descriptor(dtype), 0, 0, NPY_ARRAY_FORCECAST, nullptr));
}

bool has_other_unit(const nb::object& array, const nb::object& dtype) {
  const PyArray_Descr* const own = PyArray_DESCR(as_array(array));
  return PyTypeNum_ISDATETIME(own->type_num) &&
         PyTypeNum_ISDATETIME(as_descriptor(dtype)->type_num) &&
         !PyArray_EquivTypes(const_cast<PyArray_Descr*>(own), as_descriptor(dtype));
}

nb::object cast_array(const nb::object& array, const nb::object& dtype) {
  return checked(PyArray_CastToType(as_array(array), new_descriptor(dtype), 0));
}

NPY_ORDER iteration_order(nb::handle order) {
  NPY_ORDER result = NPY_KEEPORDER;
  if (order.is_valid() && PyArray_OrderConverter(order.ptr(), &result) == NPY_FAIL) {
    throw nb::python_error();
  }
  return result;
}

base::DType dtype_of(const nb::object& array) {
  return *dtype_of_descriptor(PyArray_DESCR(as_array(array)));
}

}  // namespace

HostOperands::HostOperands(const CallArguments& arguments, std::span<const nb::object> dtypes)
    : n_inputs_(arguments.n_inputs),
      n_outputs_(arguments.n_outputs),
      returns_arrays_(arguments.returns_arrays) {
  take_inputs(arguments, dtypes);
  take_mask(arguments.where);
  take_outputs(arguments);
  broadcast(arguments, dtypes);
  if (!is_empty() && replace_outputs(dtypes)) broadcast(arguments, dtypes);
}

void HostOperands::take_inputs(const CallArguments& arguments, std::span<const nb::object> dtypes) {
  for (std::size_t i = 0; i < n_inputs_; ++i) {
    nb::object array = input_array(arguments.operands[i]);
    if (has_other_unit(array, dtypes[i])) array = cast_array(array, dtypes[i]);
    is_value_.push_back(PyArray_NDIM(as_array(array)) == 0);
    arrays_.push_back(is_value_.back() ? value_array(arguments.operands[i], dtypes[i])
                                       : std::move(array));
  }
}

void HostOperands::take_mask(nb::handle where) {
  if (!where.is_valid()) return;
  nb::object mask =
      checked(PyArray_FromAny(where.ptr(), PyArray_DescrFromType(NPY_BOOL), 0, 0, 0, nullptr));
  call_.is_masked = PyArray_NDIM(as_array(mask)) > 0;
  writes_nothing_ = !call_.is_masked && *PyArray_BYTES(as_array(mask)) == 0;
  if (!call_.is_masked) return;
  arrays_.push_back(std::move(mask));
  is_value_.push_back(false);
}

void HostOperands::take_outputs(const CallArguments& arguments) {
  for (std::size_t i = 0; i < n_outputs_; ++i) {
    arrays_.push_back(nb::borrow(arguments.output(i)));
    results_.push_back({arrays_.back(), arrays_.back().is_valid()});
    is_value_.push_back(false);
  }
}

void HostOperands::broadcast(const CallArguments& arguments, std::span<const nb::object> dtypes) {
  const std::size_t first_output = arrays_.size() - n_outputs_;
  std::vector<PyArrayObject*> operands;
  std::vector<PyArray_Descr*> descriptors(arrays_.size(), nullptr);
  std::vector<npy_uint32> flags;
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    operands.push_back(as_array(arrays_[i]));
    const bool is_output = i >= first_output;
    if (is_output && !arrays_[i].is_valid()) {
      descriptors[i] = as_descriptor(dtypes[n_inputs_ + i - first_output]);
    }
    flags.push_back(is_output ? NPY_ITER_WRITEONLY | NPY_ITER_ALLOCATE | NPY_ITER_NO_BROADCAST |
                                    NPY_ITER_NO_SUBTYPE
                              : NPY_ITER_READONLY);
  }
  const IteratorPointer iterator(NpyIter_AdvancedNew(
      static_cast<int>(operands.size()), operands.data(),
      NPY_ITER_MULTI_INDEX | NPY_ITER_ZEROSIZE_OK | NPY_ITER_DONT_NEGATE_STRIDES,
      iteration_order(arguments.order), NPY_UNSAFE_CASTING, flags.data(), descriptors.data(), -1,
      nullptr, nullptr, 0));
  if (iterator == nullptr) throw nb::python_error();
  PyArrayObject** const used = NpyIter_GetOperandArray(iterator.get());
  for (std::size_t i = first_output; i < arrays_.size(); ++i) {
    arrays_[i] = nb::borrow(reinterpret_cast<PyObject*>(used[i]));
    Result& result = results_[i - first_output];
    if (!result.array.is_valid()) result.array = arrays_[i];
  }
  read_layout(iterator.get());
}

// Axes in memory order, merged as far as possible.
void HostOperands::read_layout(NpyIter* iterator) {
  const auto n_axes = static_cast<std::size_t>(NpyIter_GetNDim(iterator));
  std::vector<npy_intp> shape(std::max<std::size_t>(n_axes, 1));
  if (NpyIter_GetShape(iterator, shape.data()) == NPY_FAIL) throw nb::python_error();
  shape.resize(n_axes);
  std::vector<Strides> strides(arrays_.size(), Strides(n_axes));
  for (std::size_t axis = 0; axis < n_axes; ++axis) {
    const npy_intp* const given = NpyIter_GetAxisStrideArray(iterator, static_cast<int>(axis));
    for (std::size_t i = 0; i < arrays_.size(); ++i) strides[i][axis] = given[i];
  }
  std::vector<const std::int64_t*> pointers;
  for (const Strides& of_operand : strides) pointers.push_back(of_operand.data());
  const std::vector<std::int64_t> sizes(shape.begin(), shape.end());
  const run::Iteration iteration(sizes, pointers);
  const std::size_t first_output = arrays_.size() - n_outputs_;
  call_.shape.clear();
  call_.operands.clear();
  for (std::size_t d = iteration.n_dimensions(); d-- > 0;) call_.shape.push_back(iteration.size(d));
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    run::HostCallOperand& operand = call_.operands.emplace_back();
    auto* const data = reinterpret_cast<std::byte*>(PyArray_BYTES(as_array(arrays_[i])));
    operand.dtype = dtype_of(arrays_[i]);
    operand.is_value = is_value_[i];
    operand.is_output = i >= first_output;
    operand.is_read = !operand.is_output || call_.is_masked;
    if (operand.is_value) {
      std::memcpy(operand.slot.data(), data, base::info(operand.dtype).n_bytes);
      continue;
    }
    operand.data = data + iteration.offset(i);
    for (std::size_t d = iteration.n_dimensions(); d-- > 0;)
      operand.strides.push_back(iteration.strides(d)[i]);
  }
}

bool HostOperands::replace_outputs(std::span<const nb::object> dtypes) {
  std::vector<run::CallOperand> operands;
  for (const run::HostCallOperand& from : call_.operands) {
    operands.push_back({from.dtype, from.is_value, from.slot,
                        reinterpret_cast<std::uint64_t>(from.data), from.strides.data()});
  }
  const run::ElementwiseCall call{call_.shape, operands, call_.is_masked};
  const nb::module_ numpy = nb::module_::import_("numpy");
  std::vector<std::size_t> replaced = run::outputs_with_temporaries(call, n_inputs_);
  const std::size_t first_output = arrays_.size() - n_outputs_;
  const auto of_loop = [&](std::size_t i) { return dtypes[n_inputs_ + i - first_output]; };
  for (std::size_t i = first_output; i < arrays_.size(); ++i) {
    const bool is_converted =
        !PyArray_ISNOTSWAPPED(as_array(arrays_[i])) || has_other_unit(arrays_[i], of_loop(i));
    if (is_converted && std::ranges::count(replaced, i) == 0) replaced.push_back(i);
  }
  for (const std::size_t i : replaced) {
    const nb::object output = arrays_[i];
    const nb::object dtype = has_other_unit(output, of_loop(i))
                                 ? of_loop(i)
                                 : output.attr("dtype").attr("newbyteorder")("=");
    arrays_[i] = call_.is_masked ? output.attr("astype")(dtype)
                                 : numpy.attr("empty_like")(output, "dtype"_a = dtype);
    copies_.push_back({output, arrays_[i]});
  }
  return !replaced.empty();
}

bool HostOperands::is_empty() const {
  return writes_nothing_ ||
         std::find(call_.shape.begin(), call_.shape.end(), 0) != call_.shape.end();
}

std::vector<base::DType> HostOperands::stored() const {
  std::vector<base::DType> dtypes;
  for (std::size_t i = 0; i < call_.operands.size(); ++i) {
    if (!(call_.is_masked && i == n_inputs_)) dtypes.push_back(call_.operands[i].dtype);
  }
  return dtypes;
}

nb::object HostOperands::finish() const {
  for (const Copy& copy : copies_) {
    nb::module_::import_("numpy").attr("copyto")(copy.to, copy.from);
  }
  nb::list items;
  for (const Result& result : results_) {
    nb::object array = result.array;
    const bool is_array = result.is_given || returns_arrays_;
    items.append(is_array ? array : nb::steal(PyArray_Return(as_array(array.release()))));
  }
  return n_outputs_ == 1 ? nb::object(items[0]) : nb::object(nb::tuple(items));
}

}  // namespace numpy_plugin::ufunc
