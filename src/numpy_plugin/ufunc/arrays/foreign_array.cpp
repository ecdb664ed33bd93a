// For an array with both protocols __cuda_array_interface__ is read, which names the stream, unless
// its version is too old for that.
#include "numpy_plugin/ufunc/arrays/foreign_array.hpp"

#include <string>
#include <utility>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/run/device/current_device.hpp"
#include "numpy_plugin/ufunc/api/hooks.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

using StreamPointer = std::shared_ptr<run::Stream>;

PyObject* interface_name() {
  static PyObject* const name = PyUnicode_InternFromString("__cuda_array_interface__");
  return name;
}

PyObject* dlpack_device_name() {
  static PyObject* const name = PyUnicode_InternFromString("__dlpack_device__");
  return name;
}

// Without making an exception where it has none.
bool has(nb::handle object, PyObject* name) {
  PyObject* attribute = nullptr;
#if PY_VERSION_HEX >= 0x030D0000
  const int result = PyObject_GetOptionalAttr(object.ptr(), name, &attribute);
#else
  const int result = _PyObject_LookupAttr(object.ptr(), name, &attribute);
#endif
  if (result < 0) PyErr_Clear();
  Py_XDECREF(attribute);
  return result > 0;
}

// Where an array has no interface, as for host arrays of a class that supports both, it raises
// AttributeError. Other exceptions propagate only where there is no DLPack to try.
std::optional<nb::dict> find_interface(nb::handle operand, bool may_be_dlpack) {
  const nb::object interface = nb::steal(PyObject_GetAttr(operand.ptr(), interface_name()));
  if (!interface.is_valid()) {
    const bool is_over = may_be_dlpack || PyErr_ExceptionMatches(PyExc_AttributeError) != 0;
    if (!is_over) throw nb::python_error();
    PyErr_Clear();
    return std::nullopt;
  }
  if (nb::isinstance<nb::dict>(interface)) return nb::borrow<nb::dict>(interface);
  throw base::Error(base::ErrorKind::kType,
                    format("__cuda_array_interface__ of '{}' is {}; expected a dict",
                           type_name_of(operand), nb::repr(interface).c_str()));
}

// The interface has no name for bfloat16, only two untyped bytes.
bool is_enough(const nb::dict& interface) {
  return version_of_interface(interface) >= kInterfaceVersionWithStream &&
         (interface.contains("descr") || !is_untyped(interface));
}

// nullopt for arrays not on a CUDA device.
std::optional<DlpackDevice> find_dlpack_device(nb::handle operand) {
  try {
    const DlpackDevice device = dlpack_device(operand);
    return device.is_cuda() ? std::optional(device) : std::nullopt;
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_Exception)) throw;
    return std::nullopt;
  }
}

const StreamPointer stream_on(const StreamPointer& wanted,
                              const std::shared_ptr<run::Device>& device) {
  const bool fits = wanted != nullptr && wanted->device() == device;
  return fits ? wanted : run::current_stream(device);
}

ForeignArray read_dlpack_of_device(nb::handle operand, int number, const StreamPointer& stream) {
  const auto device = run::device_of_number(number);
  if (device == nullptr) {
    throw base::Error(base::ErrorKind::kValue,
                      format("'{}' is on CUDA device {}, which this process does not have",
                             type_name_of(operand), number));
  }
  return read_dlpack(operand, *stream_on(stream, device));
}

std::optional<ForeignArray> read(nb::handle operand, const StreamPointer& stream) {
  const bool may_be_dlpack = has(operand, dlpack_device_name());
  const std::optional<nb::dict> interface = find_interface(operand, may_be_dlpack);
  if (interface && (is_enough(*interface) || !may_be_dlpack)) {
    return read_array_interface(operand, *interface);
  }
  if (!may_be_dlpack) return std::nullopt;
  const auto device = find_dlpack_device(operand);
  if (!device) return std::nullopt;
  return read_dlpack_of_device(operand, device->number, stream);
}

run::ArrayLayout layout_of(const ForeignArray& array) {
  const auto item_bytes = PyDataType_ELSIZE(as_descriptor(array.dtype));
  run::ArrayLayout layout = run::make_layout(array.shape, item_bytes, run::ArrayOrder::kC);
  if (array.strides) layout.strides = *array.strides;
  return layout;
}

void check_alignment(nb::handle operand, const ForeignArray& array,
                     const run::ArrayLayout& layout) {
  const auto alignment =
      static_cast<std::uint64_t>(PyDataType_ALIGNMENT(as_descriptor(array.dtype)));
  std::uint64_t all = array.address;
  for (const std::int64_t stride : layout.strides) all |= static_cast<std::uint64_t>(stride);
  if (layout.size() == 0 || all % alignment == 0) return;
  throw base::Error(
      base::ErrorKind::kValue,
      format("the elements of '{}' are not aligned: {} needs addresses that are multiples of {}",
             type_name_of(operand), nb::str(array.dtype).c_str(), alignment));
}

std::shared_ptr<run::Device> device_of(nb::handle operand, const ForeignArray& array, bool is_empty,
                                       const StreamPointer& stream) {
  if (is_empty) return stream != nullptr ? stream->device() : run::current_device();
  auto device = run::device_of_address(array.address);
  if (device != nullptr) return device;
  throw base::Error(base::ErrorKind::kValue,
                    format("the memory of '{}' is not on a CUDA device that this process knows; "
                           "copy the values with cuda.to_device()",
                           type_name_of(operand)));
}

DeviceArray borrow(nb::handle operand, ForeignArray array, const StreamPointer& wanted,
                   bool is_for_one_call) {
  run::ArrayLayout layout = layout_of(array);
  check_alignment(operand, array, layout);
  const bool is_empty = layout.size() == 0;
  std::shared_ptr<run::Device> device = device_of(operand, array, is_empty, wanted);
  run::BorrowedMemory memory;
  if (!is_empty) {
    memory.address = array.address + static_cast<CUdeviceptr>(layout.lowest_byte());
    memory.n_bytes = static_cast<std::size_t>(layout.span_bytes());
    layout.offset = -layout.lowest_byte();
  }
  memory.is_read_only = array.is_read_only;
  memory.stream = array.stream;
  memory.is_for_one_call = is_for_one_call;
  memory.owner = std::move(array.owner);
  const bool is_unordered = array.is_after_default || !is_for_one_call;
  StreamPointer here = is_unordered || array.is_before_ours ? stream_on(wanted, device) : nullptr;
  if (here != nullptr && here->recording() != nullptr) {
    // The work is ordered when the graph is launched.
    if (!memory.stream) memory.stream = CU_STREAM_LEGACY;
    here = nullptr;
  } else if (here != nullptr && memory.stream) {
    here->refuse_captured(*memory.stream);
  }
  const ReleasedGil release;
  auto buffer = std::make_shared<run::DeviceBuffer>(std::move(device), std::move(memory));
  if (array.is_after_default && here != nullptr) here->wait_for(CU_STREAM_LEGACY);
  if (here != nullptr) buffer->use_on(here, run::Access::kRead);
  return {{std::move(buffer), std::move(layout)}, std::move(array.dtype)};
}

}  // namespace

bool may_be_foreign_device_array(nb::handle operand) {
  const nb::handle type = operand.type();
  return has(type, interface_name()) || has(type, dlpack_device_name());
}

bool is_foreign_device_array(nb::handle operand) {
  const bool may_be_dlpack = has(operand, dlpack_device_name());
  return find_interface(operand, may_be_dlpack) || (may_be_dlpack && find_dlpack_device(operand));
}

std::optional<DeviceArray> foreign_device_array(nb::handle operand, const StreamPointer& stream) {
  std::optional<ForeignArray> array = read(operand, stream);
  if (!array) return std::nullopt;
  return borrow(operand, std::move(*array), stream, /*is_for_one_call=*/true);
}

DeviceArray as_device_array(nb::handle operand, const StreamPointer& stream) {
  DeviceArray* own = nullptr;
  if (nb::try_cast(operand, own) && own != nullptr) return *own;
  std::optional<ForeignArray> array = read(operand, stream);
  if (array) return borrow(operand, std::move(*array), stream, /*is_for_one_call=*/false);
  throw base::Error(base::ErrorKind::kType,
                    format("'{}' is not a device array: it has no __cuda_array_interface__ and no "
                           "DLPack of a CUDA device; copy it with cuda.to_device()",
                           type_name_of(operand)));
}

nb::object to_callers_library(const DeviceArray& result, nb::handle operand) {
  nb::object array = nb::cast(result);
  if (nb::isinstance<DeviceArray>(operand)) return array;
  return hooks().to_library(array, operand);
}

}  // namespace numpy_plugin::ufunc
