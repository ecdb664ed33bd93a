// Bindings: DeviceArray with its properties, copies and conversions.
#include <nanobind/stl/shared_ptr.h>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/ufunc/api/hooks.hpp"
#include "numpy_plugin/ufunc/api/stream_argument.hpp"
#include "numpy_plugin/ufunc/api/string_caster.hpp"
#include "numpy_plugin/ufunc/arrays/device_array.hpp"
#include "numpy_plugin/ufunc/arrays/foreign_array.hpp"
#include "numpy_plugin/ufunc/bindings/bindings.hpp"
#include "numpy_plugin/ufunc/device_methods/array_ufunc.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

using StreamPointer = std::shared_ptr<run::Stream>;

StreamPointer stream_of(const DeviceArray& array, nb::handle stream) {
  return stream_argument(stream, array.device());
}

nb::object element(const DeviceArray& array) {
  const nb::object host = copy_to_host(array, nb::none(), run::current_stream(array.device()));
  return host.attr("item")();
}

nb::object only_element(const DeviceArray& array, const char* what) {
  if (array.layout().size() == 1) return element(array);
  throw base::Error(base::ErrorKind::kType,
                    format("only an array of one element can be converted to {}; this one has {}",
                           what, array.layout().size()));
}

nb::object item(const DeviceArray& array, const nb::args& index) {
  if (index.size() == 0) return only_element(array, "a scalar");
  const bool is_flat = index.size() == 1 && array.layout().shape.size() != 1;
  const DeviceArray indexable = is_flat ? flattened(array) : array;
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
  throw base::Error(
      base::ErrorKind::kValue,
      format("the truth value of an array with {} elements is ambiguous; use a.any() or a.all()",
             array.layout().size()));
}

[[noreturn]] nb::object refuse_conversion(const DeviceArray&, const nb::args&, const nb::kwargs&) {
  throw base::Error(base::ErrorKind::kType,
                    "a device array is not copied to the host implicitly; call copy_to_host()");
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
      .def_prop_ro("device", [](const DeviceArray& array) { return array.device(); });
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
          "copy_to_host",
          [](const DeviceArray& array, const nb::object& out, nb::handle stream) {
            return copy_to_host(array, out, stream_of(array, stream));
          },
          "ary"_a.none(), "stream"_a.none() = nb::none(),
          nb::sig("def copy_to_host(self, ary: numpy.ndarray | None, stream: object = None) -> "
                  "numpy.ndarray"),
          "The same, with Numba's name for `out`.")
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
  bind_array_views(type);
  bind_copies(type);
  bind_conversions(type);
  bind_protocols(type);
  bind_array_methods(type);
  bind_operators(type);
}

}  // namespace numpy_plugin::ufunc
