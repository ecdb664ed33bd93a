// Python's bool, int and float take the parameter's type, like NumPy's weak scalars; NumPy scalars
// and arrays must have it already, dates and durations with its unit.
#include "numpy_plugin/ufunc/bindings/kernel_arguments.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/base/time_type.hpp"
#include "numpy_plugin/jit/nvrtc/ptx_signature.hpp"
#include "numpy_plugin/ufunc/arrays/foreign_array.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

using jit::KernelParameter;
using StreamPointer = std::shared_ptr<run::Stream>;

std::string text_of(const nb::object& object) { return nb::str(object).c_str(); }

// How to make a date or a duration of a parameter's unit.
std::string hint_to_time(base::DType dtype) {
  const char* const example =
      base::is_duration(dtype) ? "np.timedelta64(5" : "np.datetime64(\"2000-01-01\"";
  const std::string_view name = base::name(dtype);
  const std::size_t unit = name.find('[') + 1;
  return format("\n  hint: x.astype(\"{}\") converts another unit; {}, \"{}\") has this one", name,
                example, name.substr(unit, name.size() - unit - 1));
}

// One argument to be written to the buffer.
struct Argument {
  nb::handle value;
  const KernelParameter& parameter;
  std::string where;  // "parameter 2 of 'increment'"
  std::byte* bytes;

  bool is_address() const {
    return parameter.cpp_type.empty() ? parameter.type == "u64" : parameter.is_pointer;
  }
  // Whether it is an array with shape and strides, for a kernel written in Python.
  bool is_view() const { return parameter.operand && parameter.operand->n_dimensions > 0; }
  // float16, complex64 and similar types.
  bool is_wide_scalar() const {
    return parameter.operand && parameter.is_array && parameter.operand->n_dimensions == 0;
  }
  bool is_time() const { return parameter.operand && base::is_time(parameter.operand->dtype); }
  bool is_float() const { return parameter.type[0] == 'f'; }

  void write(const void* data) const { std::memcpy(bytes, data, parameter.n_bytes); }

  [[noreturn]] void refuse(const std::string& found) const {
    throw base::Error(base::ErrorKind::kType,
                      format("{} is {}, found {}{}", where, jit::parameter_text(parameter), found,
                             is_time() ? hint_to_time(parameter.operand->dtype) : ""));
  }
  [[noreturn]] void overflow(const std::string& found) const {
    PyErr_SetString(PyExc_OverflowError, format("{} is {}, which can't hold {}", where,
                                                jit::parameter_text(parameter), found)
                                             .c_str());
    throw nb::python_error();
  }
};

void write_float(const Argument& argument, double value) {
  if (argument.parameter.n_bytes == 8) return argument.write(&value);
  if (argument.parameter.n_bytes != 4) argument.refuse("a Python number; pass a NumPy scalar");
  const auto narrow = static_cast<float>(value);
  if (std::isinf(narrow) && !std::isinf(value)) {
    argument.overflow(nb::repr(argument.value).c_str());
  }
  argument.write(&narrow);
}

struct Range {
  long long least;
  unsigned long long most;
};

// Range of an integer parameter. PTX does not record signedness: where the C++ type is unknown,
// values of either are accepted.
Range range_of(const KernelParameter& parameter) {
  const auto type = jit::scalar_type(parameter.cpp_type);
  const char kind = type ? type->kind : '?';
  if (kind == 'b') return {0, 1};
  const auto n_bits = static_cast<int>(8 * parameter.n_bytes);
  const unsigned long long all = ~0ULL >> (64 - n_bits);
  const auto half = static_cast<long long>(all >> 1);
  return {kind == 'u' ? 0 : -half - 1, kind == 'i' ? static_cast<unsigned long long>(half) : all};
}

void write_integer(const Argument& argument) {
  if (argument.parameter.n_bytes > 8) argument.refuse("int");
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(argument.value.ptr(), &overflow);
  if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  const auto text = [&] { return std::string(nb::repr(argument.value).c_str()); };
  const Range range = range_of(argument.parameter);
  auto bits = static_cast<unsigned long long>(value);
  bool fits = overflow == 0 && (value < 0 ? value >= range.least : bits <= range.most);
  if (overflow > 0) {
    bits = PyLong_AsUnsignedLongLong(argument.value.ptr());
    fits = PyErr_Occurred() == nullptr && bits <= range.most;
    PyErr_Clear();
  }
  if (!fits) argument.overflow(text());
  argument.write(&bits);  // little-endian: the low bytes come first
}

void write_python_number(const Argument& argument) {
  PyObject* const value = argument.value.ptr();
  const bool is_bool = PyBool_Check(value);
  if (argument.parameter.is_array || argument.parameter.is_pointer || argument.is_time()) {
    argument.refuse(type_name_of(argument.value));
  }
  if (PyFloat_Check(value)) {
    if (!argument.is_float()) argument.refuse("float");
    return write_float(argument, PyFloat_AS_DOUBLE(value));
  }
  if (!argument.is_float()) return write_integer(argument);
  if (is_bool) argument.refuse("bool");
  const double number = PyLong_AsDouble(value);
  if (number == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  write_float(argument, number);
}

// Whether a NumPy scalar's values are of the parameter's kind.
bool has_kind(const Argument& argument, char kind) {
  if (argument.is_wide_scalar() || argument.is_time()) return false;
  if (argument.parameter.is_array) return true;  // a struct: only its size is known
  if (argument.is_float()) return kind == 'f';
  return !argument.parameter.is_pointer && (kind == 'i' || kind == 'u' || kind == 'b');
}

void write_numpy_scalar(const Argument& argument) {
  const nb::object array = checked(PyArray_FromScalar(argument.value.ptr(), nullptr));
  PyArray_Descr* const descriptor = PyArray_DESCR(as_array(array));
  const auto n_bytes = static_cast<std::size_t>(PyDataType_ELSIZE(descriptor));
  const bool is_same = argument.parameter.operand && !argument.is_view() &&
                       dtype_of_descriptor(descriptor) == argument.parameter.operand->dtype;
  const bool fits = n_bytes == argument.parameter.n_bytes && has_kind(argument, descriptor->kind);
  if (!is_same && !fits) {
    const std::string name = text_of(array.attr("dtype"));
    const bool is_struct = argument.parameter.is_array && !argument.parameter.operand;
    argument.refuse(is_struct ? format("{} of {} bytes", name, n_bytes) : "numpy." + name);
  }
  const bool is_integer = descriptor->kind == 'i' || descriptor->kind == 'u';
  if (is_integer && !argument.parameter.is_array) {
    const nb::int_ number(argument.value);  // same size, but possibly different signedness
    return write_integer({number, argument.parameter, argument.where, argument.bytes});
  }
  argument.write(PyArray_DATA(as_array(array)));
}

// A Python number for a parameter that is a struct in C++: NumPy converts it.
void write_wide_scalar(const Argument& argument) {
  const int type_number = numpy_type_number(argument.parameter.operand->dtype);
  const nb::object dtype = checked(reinterpret_cast<PyObject*>(PyArray_DescrFromType(type_number)));
  const nb::object scalar = dtype.attr("type")(argument.value);
  write_numpy_scalar({scalar, argument.parameter, argument.where, argument.bytes});
}

// ctypes structures and simple values; false for other objects.
bool write_ctypes(const Argument& argument) {
  const nb::module_ ctypes = nb::module_::import_("ctypes");
  const nb::object bases = nb::make_tuple(ctypes.attr("Structure"), ctypes.attr("Union"),
                                          ctypes.attr("Array"), ctypes.attr("_SimpleCData"));
  if (PyObject_IsInstance(argument.value.ptr(), bases.ptr()) != 1) return false;
  const auto n_bytes = nb::cast<std::size_t>(ctypes.attr("sizeof")(argument.value));
  if (n_bytes != argument.parameter.n_bytes) {
    argument.refuse(format("{} of {} bytes", type_name_of(argument.value), n_bytes));
  }
  const nb::bytes bytes(argument.value);
  argument.write(bytes.data());
  return true;
}

// The pointer's element type must match the array's; integers of one size are interchangeable.
void check_elements(const Argument& argument, const nb::object& dtype) {
  const auto expected = jit::pointed_type(argument.parameter.cpp_type);
  if (!expected) return;
  auto* const descriptor = as_descriptor(dtype);
  const bool is_float = descriptor->kind == 'f';
  const bool is_number =
      is_float || std::string_view("biu").find(descriptor->kind) != std::string_view::npos;
  const auto n_bytes = static_cast<std::size_t>(PyDataType_ELSIZE(descriptor));
  if (is_number && is_float == (expected->kind == 'f') && n_bytes == expected->n_bytes) return;
  argument.refuse("an array of " + text_of(dtype));
}

// For an array parameter of a kernel in Python: dtype and dimensions must match the declaration.
void check_view(const Argument& argument, const nb::object& dtype, std::size_t n_dimensions) {
  const declare::OperandType& expected = *argument.parameter.operand;
  const auto found = dtype_of_descriptor(as_descriptor(dtype));
  const bool is_native = PyDataType_ISNOTSWAPPED(as_descriptor(dtype));
  if (found != expected.dtype || !is_native) argument.refuse("an array of " + text_of(dtype));
  if (n_dimensions != static_cast<std::size_t>(expected.n_dimensions)) {
    argument.refuse("an array of " + base::counted(n_dimensions, "dimension"));
  }
}

void write_address(const Argument& argument, std::uint64_t address) {
  if (!argument.is_address()) argument.refuse(type_name_of(argument.value));
  argument.write(&address);
}

// Writes an array as npp::View: its address, shape and strides.
void write_view(const Argument& argument, const DeviceArray& array) {
  const run::ArrayLayout& layout = array.layout();
  std::vector<std::int64_t> words = {static_cast<std::int64_t>(array.memory.address())};
  words.insert(words.end(), layout.shape.begin(), layout.shape.end());
  words.insert(words.end(), layout.strides.begin(), layout.strides.end());
  NPP_ASSERT(words.size() * sizeof words[0] == argument.parameter.n_bytes, argument.where);
  argument.write(words.data());
}

void write_device_array(const Argument& argument, const DeviceArray& array,
                        KernelArguments& result) {
  if (argument.is_view()) {
    check_view(argument, array.dtype, array.layout().shape.size());
    write_view(argument, array);
  } else {
    check_elements(argument, array.dtype);
    write_address(argument, array.memory.address());
  }
  result.arrays.push_back(array);
}

// Copies to the device now, and back after the kernel.
void write_host_array(const Argument& argument, const StreamPointer& stream,
                      KernelArguments& result) {
  const nb::object host = nb::borrow(argument.value);
  if (argument.is_view()) {
    const auto n_dimensions = static_cast<std::size_t>(PyArray_NDIM(as_array(host)));
    check_view(argument, host.attr("dtype"), n_dimensions);
  } else {
    if (!argument.is_address()) argument.refuse(type_name_of(argument.value));
    check_elements(argument, host.attr("dtype"));
  }
  const DeviceArray array = copy_to_new_array(stream, host, "a copy of " + argument.where);
  write_device_array(argument, array, result);
  if (PyArray_ISWRITEABLE(as_array(host)) != 0) result.copied.emplace_back(array, host);
}

// An array of another library; false for other objects.
bool write_foreign_array(const Argument& argument, const StreamPointer& stream,
                         KernelArguments& result) {
  const std::optional<DeviceArray> array = foreign_device_array(argument.value, stream);
  if (!array) return false;
  if (array->device() != stream->device()) {
    throw base::Error(
        base::ErrorKind::kValue,
        format("{} is an array on '{}', the kernel is launched on '{}'", argument.where,
               array->device()->info().name, stream->device()->info().name));
  }
  write_device_array(argument, *array, result);
  return true;
}

void write_argument(const Argument& argument, const StreamPointer& stream,
                    KernelArguments& result) {
  PyObject* const value = argument.value.ptr();
  DeviceArray* array = nullptr;
  if (nb::try_cast(argument.value, array) && array != nullptr) {
    return write_device_array(argument, *array, result);
  }
  if (PyArray_Check(value)) return write_host_array(argument, stream, result);
  if (PyArray_IsScalar(value, Generic)) return write_numpy_scalar(argument);
  const bool is_number = PyLong_Check(value) || PyFloat_Check(value) || PyComplex_Check(value);
  if (is_number && argument.is_wide_scalar()) return write_wide_scalar(argument);
  if (PyLong_Check(value) || PyFloat_Check(value)) return write_python_number(argument);
  if (write_ctypes(argument) || write_foreign_array(argument, stream, result)) return;
  argument.refuse(type_name_of(argument.value));
}

std::string parameter_list(const jit::KernelSignature& signature) {
  std::string text = "(";
  for (const KernelParameter& parameter : signature.parameters) {
    text += (text.size() > 1 ? ", " : "") + jit::parameter_text(parameter);
  }
  return text + ")";
}

void check_count(const std::string& kernel, const jit::KernelSignature& signature,
                 std::size_t n_arguments) {
  const std::size_t n_parameters = signature.parameters.size();
  if (n_arguments == n_parameters) return;
  throw base::Error(base::ErrorKind::kType, format("'{}' takes {} {}, found {}", kernel,
                                                   base::counted(n_parameters, "argument"),
                                                   parameter_list(signature), n_arguments));
}

}  // namespace

KernelArguments make_kernel_arguments(const std::string& kernel,
                                      const jit::KernelSignature& signature,
                                      const nb::tuple& arguments, const StreamPointer& stream) {
  check_count(kernel, signature, arguments.size());
  KernelArguments result;
  result.bytes.resize(signature.n_argument_bytes());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const KernelParameter& parameter = signature.parameters[i];
    const std::string where = format("parameter {} of '{}'", i + 1, kernel);
    write_argument({arguments[i], parameter, where, result.bytes.data() + parameter.offset}, stream,
                   result);
  }
  return result;
}

std::shared_ptr<run::Device> device_of_arguments(const std::string& kernel,
                                                 const nb::tuple& arguments) {
  std::shared_ptr<run::Device> device;
  for (const nb::handle argument : arguments) {
    DeviceArray* array = nullptr;
    if (!nb::try_cast(argument, array) || array == nullptr) continue;
    if (device != nullptr && device != array->device()) {
      throw base::Error(base::ErrorKind::kValue,
                        format("the arrays passed to '{}' are on several devices: '{}' and '{}'",
                               kernel, device->info().name, array->device()->info().name));
    }
    device = array->device();
  }
  return device;
}

}  // namespace numpy_plugin::ufunc
