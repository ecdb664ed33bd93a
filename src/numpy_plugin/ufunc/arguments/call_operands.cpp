#include "numpy_plugin/ufunc/arguments/call_operands.hpp"

#include <optional>
#include <string>
#include <utility>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/ufunc/api/stream_argument.hpp"
#include "numpy_plugin/ufunc/arrays/foreign_array.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

using Kind = Operand::Kind;

std::uint8_t type_code(const PyArray_Descr* descriptor) {
  const auto dtype = dtype_of_descriptor(descriptor);
  return dtype ? static_cast<std::uint8_t>(*dtype) : kOtherType;
}

std::uint8_t type_code(const nb::object& dtype) { return type_code(as_descriptor(dtype)); }

nb::object descriptor_of_scalar(nb::handle scalar) {
  return checked(reinterpret_cast<PyObject*>(PyArray_DescrFromScalar(scalar.ptr())));
}

// Type of a plain Python number, which adapts to the other operands' dtypes; 0 for other objects,
// including instances of subclasses.
std::uint8_t weak_type(nb::handle object) {
  if (PyFloat_CheckExact(object.ptr())) return kWeakFloat;
  if (PyLong_CheckExact(object.ptr())) return kWeakInt;
  return PyComplex_CheckExact(object.ptr()) ? kWeakComplex : 0;
}

std::string operand_name(std::size_t index, std::size_t n_inputs) {
  if (index < n_inputs) return format("operand {}", index + 1);
  return format("output {}", index - n_inputs + 1);
}

// A number of Python's or NumPy's; kNotGiven for other objects.
Operand read_number(nb::handle object) {
  if (const std::uint8_t weak = weak_type(object)) return {Kind::kValue, weak, nullptr, object};
  if (PyBool_Check(object.ptr())) {
    return {Kind::kValue, static_cast<std::uint8_t>(base::DType::kBool), nullptr, object};
  }
  if (!PyArray_IsScalar(object.ptr(), Generic)) return {};
  return {Kind::kValue, type_code(descriptor_of_scalar(object)), nullptr, object};
}

[[noreturn]] void refuse_host_array(const std::string& ufunc, const std::string& operand,
                                    const std::string& advice) {
  throw base::Error(
      base::ErrorKind::kType,
      format(
          "{} of '{}' is a host array and others are on a device; no implicit copies are made: {}",
          operand, ufunc, advice));
}

}  // namespace

nb::object type_for_resolution(const Operand& operand) {
  const auto borrowed = [](auto* object) {
    return nb::borrow(reinterpret_cast<PyObject*>(object));
  };
  switch (operand.type) {
    case kNotGiven:
      return nb::none();
    case kWeakInt:
      return borrowed(&PyLong_Type);
    case kWeakFloat:
      return borrowed(&PyFloat_Type);
    case kWeakComplex:
      return borrowed(&PyComplex_Type);
    default:
      break;
  }
  if (operand.kind == Kind::kDevice) return operand.array->dtype;
  if (PyArray_Check(operand.object.ptr())) return borrowed(PyArray_DESCR(as_array(operand.object)));
  if (PyBool_Check(operand.object.ptr())) {
    return checked(reinterpret_cast<PyObject*>(PyArray_DescrFromType(NPY_BOOL)));
  }
  return descriptor_of_scalar(operand.object);
}

std::shared_ptr<run::Stream> stream_of_call(const std::shared_ptr<run::Stream>& named,
                                            const std::shared_ptr<run::Device>& on,
                                            std::span<const DeviceArray* const> arrays) {
  if (named != nullptr) return stream_or_current(named, on);
  if (auto scope = run::find_scope_stream(on)) return scope;
  std::optional<CUstream> theirs;
  for (const DeviceArray* array : arrays) {
    const std::optional<CUstream> stream = array->memory.buffer->foreign_stream();
    if (stream && theirs && *stream != *theirs) return run::current_stream(on);
    if (stream) theirs = stream;
  }
  return theirs ? std::make_shared<run::Stream>(on, *theirs) : run::current_stream(on);
}

CallOperands::CallOperands(PyObject* ufunc, const UfuncState& state, const CallArguments& call)
    : n_inputs_(call.n_inputs) {
  if (call.stream.is_valid()) named_stream_ = named_stream(call.stream);
  for (std::size_t i = 0; i < call.n_operands(); ++i) {
    const nb::handle given = call.operands[i];
    Operand& operand = operands_.add();
    if (!given.is_valid()) continue;
    if (i >= n_inputs_ && !PyArray_Check(given.ptr())) {
      operand = read_array(given);
      if (operand.kind == Kind::kDevice) continue;
      raise_numpys_error(ufunc, state, call.given, "an output is not an array");
    }
    operand = read(given);
  }
  if (call.where.is_valid()) mask_ = read_mask(ufunc, state, call);
}

Operand CallOperands::read(nb::handle object) {
  if (find_device_array(object) == nullptr) {
    const Operand number = read_number(object);
    if (number.kind == Kind::kValue) return number;
  }
  const Operand array = read_array(object);
  return array.kind == Kind::kDevice ? array : read_host_object(object);
}

// kNotGiven where the object is no device array.
Operand CallOperands::read_array(nb::handle object) {
  if (const DeviceArray* array = find_device_array(object)) {
    return {Kind::kDevice, type_code(array->dtype), array, object};
  }
  if (PyArray_Check(object.ptr()) || !may_be_foreign_device_array(object)) return {};
  std::optional<DeviceArray> foreign = foreign_device_array(object, named_stream_);
  if (!foreign) return {};
  const DeviceArray& array = keep(std::move(*foreign));
  return {Kind::kDevice, type_code(array.dtype), &array, object};
}

Operand CallOperands::read_host_object(nb::handle object) {
  if (!PyArray_Check(object.ptr())) {
    objects_.push_front(checked(PyArray_FROM_O(object.ptr())));
    object = objects_.front();
  }
  const Kind kind = PyArray_NDIM(as_array(object)) == 0 ? Kind::kValue : Kind::kHost;
  return {kind, type_code(PyArray_DESCR(as_array(object))), nullptr, object};
}

Operand CallOperands::read_mask(PyObject* ufunc, const UfuncState& state,
                                const CallArguments& call) {
  const Operand mask = read_array(call.where);
  if (mask.kind == Kind::kDevice) {
    if (mask.type == static_cast<std::uint8_t>(base::DType::kBool)) return mask;
    raise_numpys_error(ufunc, state, call.given, "the mask is not an array of bool");
  }
  // NumPy converts it and raises its own error for an invalid mask.
  objects_.push_front(checked(
      PyArray_FromAny(call.where.ptr(), PyArray_DescrFromType(NPY_BOOL), 0, 0, 0, nullptr)));
  const nb::handle host = objects_.front();
  if (PyArray_NDIM(as_array(host)) > 0) return {Kind::kHost, 0, nullptr, host};
  const bool is_true = *static_cast<const npy_bool*>(PyArray_DATA(as_array(host))) != 0;
  return is_true ? Operand() : Operand{Kind::kValue, 0, nullptr, host};
}

const DeviceArray& CallOperands::keep(DeviceArray array) {
  arrays_.push_front(std::move(array));
  return arrays_.front();
}

template <class Visit>
void CallOperands::for_each_on_device(const Visit& visit) const {
  for (std::size_t i = 0; i < size(); ++i) {
    if (operands_[i].kind == Kind::kDevice) visit(*operands_[i].array);
  }
  if (mask_.kind == Kind::kDevice) visit(*mask_.array);
}

std::shared_ptr<run::Device> CallOperands::device(const std::string& name) const {
  const std::shared_ptr<run::Device>* found = nullptr;
  for_each_on_device([&](const DeviceArray& array) {
    const std::shared_ptr<run::Device>& device = array.device();
    if (found == nullptr) found = &device;
    if (*found == device) return;
    throw base::Error(base::ErrorKind::kValue,
                      format("the operands of '{}' are on several devices: '{}' and '{}'", name,
                             (*found)->info().name, device->info().name));
  });
  return found == nullptr ? run::current_device() : *found;
}

std::shared_ptr<run::Stream> CallOperands::choose_stream(
    const std::shared_ptr<run::Device>& on) const {
  InlineArray<const DeviceArray*, NPY_MAXARGS + 1> arrays;
  for_each_on_device([&](const DeviceArray& array) { arrays.add(&array); });
  return stream_of_call(named_stream_, on, {arrays.data(), arrays.size()});
}

nb::handle CallOperands::first_on_device() const {
  for (std::size_t i = 0; i < size(); ++i) {
    const bool was_there = operands_[i].kind == Kind::kDevice && operands_[i].object.is_valid();
    if (was_there) return operands_[i].object;
  }
  return mask_.object;
}

void CallOperands::copy_there(Operand& operand, const std::shared_ptr<run::Stream>& stream) {
  operand.array =
      &keep(copy_to_new_array(stream, nb::borrow(operand.object), "a copy for a ufunc"));
  operand.kind = Kind::kDevice;
  operand.object = nb::handle();
}

std::shared_ptr<run::Stream> CallOperands::move_to_device(const UfuncState& state) {
  const std::shared_ptr<run::Device> on = device(state.name);
  const std::shared_ptr<run::Stream> used = choose_stream(on);
  const bool copies = state.library->declaration().call_target == declare::CallTarget::kCuda;
  for (std::size_t i = 0; i < size(); ++i) {
    const bool is_output = i >= n_inputs_;
    const bool is_on_host =
        operands_[i].kind == Kind::kHost || (is_output && operands_[i].kind == Kind::kValue);
    if (!is_on_host) continue;
    if (is_output) {
      refuse_host_array(state.name, operand_name(i, n_inputs_),
                        "pass a device array as out, and call its copy_to_host(out)");
    }
    if (!copies) {
      refuse_host_array(state.name, operand_name(i, n_inputs_),
                        "call numpy_plugin.cuda.to_device(a) first, or declare the ufunc with "
                        "target='cuda'");
    }
    copy_there(operands_[i], used);
  }
  if (mask_.kind != Kind::kHost) return used;
  if (!copies) {
    refuse_host_array(state.name, "where", "call numpy_plugin.cuda.to_device(where) first");
  }
  copy_there(mask_, used);
  return used;
}

}  // namespace numpy_plugin::ufunc
