// Bindings: DeviceArray with its views, copies and conversions.
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <numeric>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/ufunc/api/hooks.hpp"
#include "numpy_plugin/ufunc/api/stream_argument.hpp"
#include "numpy_plugin/ufunc/api/string_caster.hpp"
#include "numpy_plugin/ufunc/arrays/array_interface.hpp"
#include "numpy_plugin/ufunc/arrays/device_array.hpp"
#include "numpy_plugin/ufunc/arrays/dlpack.hpp"
#include "numpy_plugin/ufunc/bindings/array_methods.hpp"
#include "numpy_plugin/ufunc/bindings/bindings.hpp"
#include "numpy_plugin/ufunc/device_methods/array_ufunc.hpp"
#include "numpy_plugin/ufunc/device_calls/device_array_operators.hpp"
#include "numpy_plugin/ufunc/selection/select.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

using StreamPointer = std::shared_ptr<run::Stream>;

StreamPointer stream_of(const DeviceArray& array, nb::handle stream) {
  return stream_argument(stream, array.device());
}

std::vector<std::int64_t> reversed_axes(std::size_t n_axes) {
  std::vector<std::int64_t> order(n_axes);
  std::iota(order.rbegin(), order.rend(), std::int64_t{0});
  return order;
}

// A permutation of the axes, from no arguments (reversed), several numbers or one sequence.
std::vector<std::int64_t> axes_argument(const nb::args& axes, std::size_t n_axes) {
  const bool is_reversed = axes.size() == 0 || (axes.size() == 1 && axes[0].is_none());
  if (is_reversed) return reversed_axes(n_axes);
  const bool is_sequence = axes.size() == 1 && PySequence_Check(axes[0].ptr()) != 0;
  std::vector<std::int64_t> order =
      shape_argument(is_sequence ? nb::handle(axes[0]) : nb::handle(axes));
  std::vector<bool> is_seen(n_axes, false);
  bool fits = order.size() == n_axes;
  for (std::int64_t& axis : order) {
    if (axis < 0) axis += static_cast<std::int64_t>(n_axes);
    fits = fits && axis >= 0 && axis < static_cast<std::int64_t>(n_axes) &&
           !is_seen[static_cast<std::size_t>(axis)];
    if (fits) is_seen[static_cast<std::size_t>(axis)] = true;
  }
  if (fits) return order;
  throw base::Error(base::ErrorKind::kValue, "a transposition must name each of " +
                                                 std::to_string(n_axes) + " axes once, found " +
                                                 nb::str(axes).c_str());
}

// A shape with at most one -1, which is computed from the rest.
std::vector<std::int64_t> complete_shape(std::vector<std::int64_t> shape, std::int64_t size) {
  std::int64_t known = 1;
  for (const std::int64_t n : shape) known *= n == -1 ? 1 : n;
  const auto unknown = std::find(shape.begin(), shape.end(), -1);
  const bool is_divisible = known > 0 && size % known == 0;
  if (unknown != shape.end() && is_divisible) *unknown = size / known;
  known = 1;
  for (const std::int64_t n : shape) known *= n;
  const bool is_positive =
      std::all_of(shape.begin(), shape.end(), [](std::int64_t n) { return n >= 0; });
  if (is_positive && known == size) return shape;
  throw base::Error(base::ErrorKind::kValue, "an array of " + std::to_string(size) +
                                                 " elements can't have the shape " +
                                                 nb::str(as_tuple(shape)).c_str());
}

DeviceArray reshape_to(const DeviceArray& array, const std::vector<std::int64_t>& shape) {
  if (auto layout = run::reshaped(array.layout(), shape)) return array.with_layout(*layout);
  const DeviceArray whole = copy(array, run::current_stream(array.device()));
  return whole.with_layout(*run::reshaped(whole.layout(), shape));
}

DeviceArray reshape(const DeviceArray& array, const nb::args& shape) {
  const bool is_sequence = shape.size() == 1 && PySequence_Check(shape[0].ptr()) != 0;
  const auto wanted = shape_argument(is_sequence ? nb::handle(shape[0]) : nb::handle(shape));
  return reshape_to(array, complete_shape(wanted, array.layout().size()));
}

nb::object element(const DeviceArray& array) {
  const nb::object host = copy_to_host(array, nb::none(), run::current_stream(array.device()));
  return host.attr("item")();
}

nb::object only_element(const DeviceArray& array, const char* what) {
  if (array.layout().size() == 1) return element(array);
  throw base::Error(base::ErrorKind::kType,
                    std::string("only an array of one element can be converted to ") + what +
                        "; this one has " + std::to_string(array.layout().size()));
}

nb::object item(const DeviceArray& array, const nb::args& index) {
  if (index.size() == 0) return only_element(array, "a scalar");
  const bool is_flat = index.size() == 1 && array.layout().shape.size() != 1;
  const DeviceArray indexable = is_flat ? reshape_to(array, {array.layout().size()}) : array;
  const DeviceArray found = indexable.with_layout(indexed(indexable.layout(), index));
  return only_element(found, "a scalar");
}

nb::object as_index(const DeviceArray& array) {
  const char kind = as_descriptor(array.dtype)->kind;
  const bool is_integer = array.layout().shape.empty() && (kind == 'i' || kind == 'u');
  if (is_integer) return element(array);
  throw base::Error(base::ErrorKind::kType,
                    "only integer scalar arrays can be converted to a scalar index");
}

nb::object as_complex(const DeviceArray& array) {
  const nb::object value = only_element(array, "a complex");
  return checked(PyObject_CallOneArg(reinterpret_cast<PyObject*>(&PyComplex_Type), value.ptr()));
}

bool truth(const DeviceArray& array) {
  if (array.layout().size() == 1) return PyObject_IsTrue(element(array).ptr()) == 1;
  throw base::Error(base::ErrorKind::kValue, "the truth value of an array with " +
                                                 std::to_string(array.layout().size()) +
                                                 " elements is ambiguous; use a.any() or a.all()");
}

std::int64_t length(const DeviceArray& array) {
  if (!array.layout().shape.empty()) return array.layout().shape.front();
  throw base::Error(base::ErrorKind::kType, "an array without axes has no length");
}

[[noreturn]] nb::object refuse_conversion(const DeviceArray&, const nb::args&, const nb::kwargs&) {
  throw base::Error(base::ErrorKind::kType,
                    "a device array is not copied to the host implicitly; call copy_to_host()");
}

DeviceArray matrix_transpose(const DeviceArray& array) {
  const std::size_t n_axes = array.layout().shape.size();
  if (n_axes < 2) {
    throw base::Error(base::ErrorKind::kValue, "matrix transpose with ndim < 2 is undefined");
  }
  std::vector<std::int64_t> order(n_axes);
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::swap(order[n_axes - 2], order[n_axes - 1]);
  return array.with_layout(run::transposed(array.layout(), order));
}

nb::object part_of(nb::handle self, const char* part) {
  return hooks().call_method(part, self, nb::tuple(), nb::dict());
}

void bind_properties(nb::class_<DeviceArray>& type) {
  type.def_prop_ro(
          "shape", [](const DeviceArray& array) { return as_tuple(array.layout().shape); },
          nb::sig("def shape(self) -> tuple[int, ...]"))
      .def_prop_ro(
          "strides", [](const DeviceArray& array) { return as_tuple(array.layout().strides); },
          nb::sig("def strides(self) -> tuple[int, ...]"), "in bytes")
      .def_prop_ro(
          "dtype", [](const DeviceArray& array) { return array.dtype; },
          nb::sig("def dtype(self) -> numpy.dtype[typing.Any]"))
      .def_prop_ro("ndim", [](const DeviceArray& array) { return array.layout().shape.size(); })
      .def_prop_ro("size", [](const DeviceArray& array) { return array.layout().size(); })
      .def_prop_ro("itemsize", [](const DeviceArray& array) { return array.layout().item_bytes; })
      .def_prop_ro("nbytes", [](const DeviceArray& array) { return array.layout().n_bytes(); })
      .def_prop_ro("device", [](const DeviceArray& array) { return array.device(); })
      .def_prop_ro(
          "T",
          [](const DeviceArray& array) {
            const std::size_t n_axes = array.layout().shape.size();
            return array.with_layout(run::transposed(array.layout(), reversed_axes(n_axes)));
          },
          "a view with the axes reversed")
      .def_prop_ro(
          "mT", [](const DeviceArray& array) { return matrix_transpose(array); },
          "a view with the last two axes interchanged")
      .def_prop_ro(
          "real", [](nb::handle self) { return part_of(self, "real"); },
          nb::sig("def real(self) -> DeviceArray"),
          "a view of the real parts; the array itself if it is real")
      .def_prop_ro(
          "imag", [](nb::handle self) { return part_of(self, "imag"); },
          nb::sig("def imag(self) -> DeviceArray"),
          "a view of the imaginary parts; zeros if the array is real");
}

void bind_protocols(nb::class_<DeviceArray>& type) {
  type.def_prop_ro("__cuda_array_interface__", &array_interface,
                   nb::sig("def __cuda_array_interface__(self) -> dict[str, typing.Any]"))
      .def(
          "__dlpack__",
          [](const DeviceArray& array, const nb::object& stream, const nb::object& max_version,
             const nb::object& dl_device, const nb::object& copy) {
            return dlpack_capsule(array, {stream, max_version, dl_device, copy});
          },
          nb::kw_only(), "stream"_a.none() = nb::none(), "max_version"_a.none() = nb::none(),
          "dl_device"_a.none() = nb::none(), "copy"_a.none() = nb::none(),
          nb::sig("def __dlpack__(self, *, stream: int | None = None, max_version: tuple[int, int] "
                  "| None = None, dl_device: tuple[int, int] | None = None, copy: bool | None = "
                  "None) -> typing.Any"),
          "The memory as a DLPack capsule; work on this array precedes later work on `stream`.")
      .def("__dlpack_device__", &dlpack_device_of,
           nb::sig("def __dlpack_device__(self) -> tuple[int, int]"));
}

void bind_views(nb::class_<DeviceArray>& type) {
  type.def(
          "transpose",
          [](const DeviceArray& array, const nb::args& axes) {
            return array.with_layout(
                run::transposed(array.layout(), axes_argument(axes, array.layout().shape.size())));
          },
          "axes"_a,
          nb::sig("def transpose(self, *axes: int | collections.abc.Sequence[int] | None) "
                  "-> DeviceArray"),
          "Return a view with permuted axes; reversed by default.")
      .def("reshape", &reshape, "shape"_a,
           nb::sig("def reshape(self, *shape: int | collections.abc.Sequence[int]) -> DeviceArray"),
           "Return the elements in C order with another shape: a view if possible, otherwise a "
           "copy.")
      .def(
          "ravel",
          [](const DeviceArray& array) { return reshape_to(array, {array.layout().size()}); },
          "Return the elements in C order along one axis: a view if possible, otherwise a copy.")
      .def(
          "__getitem__",
          [](const DeviceArray& array, const nb::object& key) { return get_item(array, key); },
          "key"_a.none(),
          "Return a view for integers, slices, None and `...`, and a copy for keys with integer "
          "arrays or masks.")
      .def(
          "__setitem__",
          [](const DeviceArray& array, const nb::object& key, const nb::object& value) {
            set_item(array, key, value);
          },
          "key"_a.none(), "value"_a)
      .def("__len__", &length);
}

void bind_copies(nb::class_<DeviceArray>& type) {
  type.def(
          "copy_to_host",
          [](const DeviceArray& array, const nb::object& out, nb::handle stream) {
            return copy_to_host(array, out, stream_of(array, stream));
          },
          "out"_a.none() = nb::none(), "stream"_a.none() = nb::none(),
          nb::sig("def copy_to_host(self, out: numpy.ndarray | None = None, stream: object "
                  "= None) -> numpy.ndarray"),
          "Copy the values to a new NumPy array, or to `out`.\n\nBlocks until they are copied, "
          "unless `out` is pinned and the stream is not a thread's default stream.")
      .def(
          "copy_to_device",
          [](const DeviceArray& array, const nb::object& values, nb::handle stream) {
            assign(array, values, stream_of(array, stream));
          },
          "values"_a, "stream"_a.none() = nb::none(),
          nb::sig("def copy_to_device(self, values: object, stream: object = None) -> None"),
          "Set the values from a host array or another device array.\n\nThey are "
          "broadcast, "
          "and cast within their kind.\n\nRaises:\n    TypeError: they are of another kind.\n    "
          "ValueError: the shapes do not fit, or the memory is read-only.")
      .def(
          "fill",
          [](const DeviceArray& array, nb::handle value, nb::handle stream) {
            fill(array, value, stream_of(array, stream));
          },
          "value"_a, "stream"_a.none() = nb::none(),
          nb::sig("def fill(self, value: object, stream: object = None) -> None"),
          "Set every element to a scalar; raises a ValueError if the memory is read-only.")
      .def(
          "copy",
          [](const DeviceArray& array, nb::handle stream) {
            return copy(array, stream_of(array, stream));
          },
          "stream"_a.none() = nb::none(),
          nb::sig("def copy(self, stream: object = None) -> DeviceArray"),
          "Return a copy in C order.")
      .def(
          "astype",
          [](const DeviceArray& array, nb::handle dtype, const std::string& casting, bool copy,
             nb::handle stream) {
            return as_type(array, device_dtype(dtype), casting.c_str(), copy,
                           stream_of(array, stream));
          },
          "dtype"_a.none(), nb::kw_only(), "casting"_a = "unsafe", "copy"_a = true,
          "stream"_a.none() = nb::none(),
          nb::sig("def astype(self, dtype: object, *, casting: str = 'unsafe', copy: bool = True, "
                  "stream: object = None) -> DeviceArray"),
          "Return the values cast to a dtype as NumPy casts them; the array itself if it has the "
          "dtype and `copy` is false.\n\nRaises:\n    TypeError: `casting` does not allow it, or "
          "no kernel casts these dtypes.")
      .def("item", &item, "index"_a, nb::sig("def item(self, *index: int) -> typing.Any"),
           "Return the single element, or that at an index, as a Python scalar.\n\nOne index of an "
           "array with several axes counts the elements in C order.");
}

void bind_conversions(nb::class_<DeviceArray>& type) {
  type.def("__array__", &refuse_conversion,
           nb::sig("def __array__(self, *args: object, **kwargs: object) -> typing.NoReturn"))
      .def("__bool__", &truth)
      .def("__int__",
           [](const DeviceArray& array) { return nb::int_(only_element(array, "an int")); })
      .def("__float__",
           [](const DeviceArray& array) { return nb::float_(only_element(array, "a float")); })
      .def("__complex__", &as_complex, nb::sig("def __complex__(self) -> complex"))
      .def("__index__", &as_index, nb::sig("def __index__(self) -> int"))
      .def("__repr__", &array_text)
      .def("__array_ufunc__", &array_ufunc,
           nb::sig("def __array_ufunc__(self, ufunc: numpy.ufunc, method: str, *inputs: object, "
                   "**named: object) -> typing.Any"))
      .def("__array_function__", &array_function,
           nb::sig("def __array_function__(self, func: typing.Any, types: "
                   "collections.abc.Iterable[type], args: tuple[typing.Any, ...], kwargs: "
                   "dict[str, typing.Any]) -> typing.Any"));
}

}  // namespace

void bind_device_arrays(nb::module_& module) {
  nb::class_<DeviceArray> type(module, "DeviceArray",
                               "An array in a device's memory. Views share its memory.");
  bind_properties(type);
  bind_views(type);
  bind_copies(type);
  bind_conversions(type);
  bind_protocols(type);
  bind_array_methods(type);
  bind_operators(type);
}

}  // namespace numpy_plugin::ufunc
