// The interface is a dict filled by another library: each entry is validated before use.
#include "numpy_plugin/ufunc/arrays/foreign_array.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

// Version 2 introduced today's meaning of shape, strides and data.
constexpr int kOldestVersion = 2;

std::string repr_of(nb::handle object) { return nb::repr(object).c_str(); }

[[noreturn]] void refuse_interface(base::ErrorKind kind, nb::handle owner,
                                   const std::string& what) {
  throw base::Error(kind, format("__cuda_array_interface__ of '{}' {}", type_name_of(owner), what));
}

// An entry's name, made once.
class Key {
 public:
  explicit Key(const char* name) : name_(PyUnicode_InternFromString(name)), text_(name) {}
  PyObject* object() const { return name_; }
  const char* text() const { return text_; }

 private:
  PyObject* name_;
  const char* text_;
};

struct Keys {
  Key data{"data"}, descr{"descr"}, mask{"mask"}, shape{"shape"}, stream{"stream"};
  Key strides{"strides"}, typestr{"typestr"}, version{"version"};
};

const Keys& keys() {
  static const Keys all;
  return all;
}

// None where it is missing.
nb::object entry(const nb::dict& interface, const Key& key) {
  PyObject* const value = PyDict_GetItemWithError(interface.ptr(), key.object());
  if (value == nullptr && PyErr_Occurred() != nullptr) throw nb::python_error();
  return value == nullptr ? nb::none() : nb::borrow(value);
}

nb::object required(nb::handle owner, const nb::dict& interface, const Key& key) {
  nb::object value = entry(interface, key);
  if (value.is_none()) {
    refuse_interface(base::ErrorKind::kType, owner, format("has no '{}'", key.text()));
  }
  return value;
}

void check_version(nb::handle owner, const nb::dict& interface) {
  const int version = version_of_interface(interface);
  if (version >= kOldestVersion) return;
  refuse_interface(base::ErrorKind::kType, owner,
                   format("is of version {}; expected 2 or 3", version));
}

void check_mask(nb::handle owner, const nb::dict& interface) {
  if (entry(interface, keys().mask).is_none()) return;
  refuse_interface(base::ErrorKind::kType, owner,
                   "has a mask, which device arrays do not have; pass the data and use where=");
}

std::vector<std::int64_t> numbers(nb::handle owner, nb::handle value, const char* name) {
  if (!nb::isinstance<nb::tuple>(value)) {
    refuse_interface(base::ErrorKind::kType, owner,
                     format("has {} {}; expected a tuple of int", name, repr_of(value)));
  }
  return shape_argument(value);
}

std::vector<std::int64_t> shape_of(nb::handle owner, const nb::dict& interface) {
  std::vector<std::int64_t> shape =
      numbers(owner, required(owner, interface, keys().shape), "shape");
  if (std::any_of(shape.begin(), shape.end(), [](std::int64_t n) { return n < 0; })) {
    refuse_interface(base::ErrorKind::kValue, owner, "has the shape " + repr_of(as_tuple(shape)));
  }
  return shape;
}

std::optional<std::vector<std::int64_t>> strides_of(nb::handle owner, const nb::dict& interface,
                                                    std::size_t n_axes) {
  const nb::object given = entry(interface, keys().strides);
  if (given.is_none()) return std::nullopt;
  std::vector<std::int64_t> strides = numbers(owner, given, "strides");
  if (strides.size() == n_axes) return strides;
  refuse_interface(base::ErrorKind::kValue, owner,
                   format("has {} strides for {} axes", strides.size(), n_axes));
}

// The dtype of dates or durations that `descr` has for an array without fields; null for others.
nb::object time_of(const nb::object& descr) {
  if (!nb::isinstance<nb::list>(descr) || nb::len(descr) != 1) return {};
  const nb::object field = descr[0];
  if (!nb::isinstance<nb::tuple>(field) || nb::len(field) != 2) return {};
  if (!field[0].equal(nb::str("")) || !nb::isinstance<nb::str>(field[1])) return {};
  nb::object dtype = device_dtype(field[1]);
  return PyTypeNum_ISDATETIME(as_descriptor(dtype)->type_num) ? dtype : nb::object();
}

// Structured dtypes are described in `descr`, not in `typestr`; so are dates, whose `typestr` is
// that of their ticks, as other libraries have no dates.
nb::object dtype_of(nb::handle owner, const nb::dict& interface) {
  const nb::object typestr = required(owner, interface, keys().typestr);
  const nb::object descr = entry(interface, keys().descr);
  if (!descr.is_none() && is_untyped(interface)) return device_dtype(descr);
  const nb::object time = time_of(descr);
  return device_dtype(time.is_valid() ? time : typestr);
}

// Address, and whether the memory is read-only.
std::pair<std::uint64_t, bool> data_of(nb::handle owner, const nb::dict& interface) {
  const nb::object data = required(owner, interface, keys().data);
  std::uint64_t address = 0;
  const bool is_pair =
      nb::isinstance<nb::tuple>(data) && nb::len(data) == 2 && nb::try_cast(data[0], address);
  if (is_pair) return {address, nb::cast<bool>(nb::bool_(data[1]))};
  refuse_interface(
      base::ErrorKind::kType, owner,
      format("has data {}; expected an address and whether it is read-only", repr_of(data)));
}

std::optional<CUstream> stream_of(nb::handle owner, const nb::dict& interface) {
  const nb::object given = entry(interface, keys().stream);
  if (given.is_none()) return std::nullopt;
  std::uintptr_t handle = 0;
  if (!nb::try_cast(given, handle) || handle == 0) {
    refuse_interface(
        base::ErrorKind::kValue, owner,
        format(
            "has stream {}; expected None, 1 (legacy default), 2 (per thread) or a stream's handle",
            repr_of(given)));
  }
  return reinterpret_cast<CUstream>(handle);
}

}  // namespace

nb::dict array_interface(const DeviceArray& array) {
  const std::shared_ptr<run::Stream> stream = array.memory.buffer->last_stream();
  nb::dict result;
  result["shape"] = as_tuple(array.layout().shape);
  const bool is_time = PyTypeNum_ISDATETIME(as_descriptor(array.dtype)->type_num);
  const bool is_described = is_time || !array.dtype.attr("names").is_none();
  result["typestr"] = is_time ? nb::object(nb::str("<i8")) : array.dtype.attr("str");
  if (is_described) result["descr"] = array.dtype.attr("descr");
  result["data"] = nb::make_tuple(array.memory.address(), array.memory.buffer->is_read_only());
  const bool is_plain = array.layout().is_contiguous(run::ArrayOrder::kC);
  result["strides"] = is_plain ? nb::object(nb::none()) : as_tuple(array.layout().strides);
  result["version"] = 3;
  result["stream"] = reinterpret_cast<std::uintptr_t>(stream->handle());
  return result;
}

int version_of_interface(const nb::dict& interface) {
  int version = 0;
  return nb::try_cast(entry(interface, keys().version), version) ? version : 0;
}

bool is_untyped(const nb::dict& interface) {
  const nb::object type = entry(interface, keys().typestr);
  return PyUnicode_Check(type.ptr()) &&
         PyUnicode_FindChar(type.ptr(), 'V', 0, PyUnicode_GET_LENGTH(type.ptr()), 1) >= 0;
}

ForeignArray read_array_interface(nb::handle owner, const nb::dict& interface) {
  check_version(owner, interface);
  check_mask(owner, interface);
  ForeignArray array;
  array.shape = shape_of(owner, interface);
  array.strides = strides_of(owner, interface, array.shape.size());
  array.dtype = dtype_of(owner, interface);
  std::tie(array.address, array.is_read_only) = data_of(owner, interface);
  array.stream = stream_of(owner, interface);
  array.is_after_default = version_of_interface(interface) < kInterfaceVersionWithStream;
  array.owner = keep_alive(nb::borrow(owner));
  return array;
}

}  // namespace numpy_plugin::ufunc
