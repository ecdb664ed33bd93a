// Bindings: the creation of device arrays, views of any layout, and pinned host arrays.
#include <nanobind/stl/shared_ptr.h>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/ufunc/api/events.hpp"
#include "numpy_plugin/ufunc/api/stream_argument.hpp"
#include "numpy_plugin/ufunc/api/string_caster.hpp"
#include "numpy_plugin/ufunc/arguments/stand_ins.hpp"
#include "numpy_plugin/ufunc/arrays/device_array.hpp"
#include "numpy_plugin/ufunc/arrays/foreign_array.hpp"
#include "numpy_plugin/ufunc/bindings/bindings.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

using run::ArrayLayout;
using run::ArrayOrder;
using StreamPointer = std::shared_ptr<run::Stream>;

ArrayOrder order_argument(const std::string& order) {
  if (order == "C") return ArrayOrder::kC;
  if (order == "F") return ArrayOrder::kFortran;
  throw base::Error(base::ErrorKind::kValue, format("order must be 'C' or 'F', found '{}'", order));
}

ArrayLayout layout_of(nb::handle shape, const nb::object& dtype, const std::string& order) {
  return run::make_layout(shape_argument(shape), PyDataType_ELSIZE(as_descriptor(dtype)),
                          order_argument(order));
}

DeviceArray make_array(nb::handle shape, nb::handle dtype, const std::string& order,
                       nb::handle stream, const std::string& what) {
  const nb::object type = device_dtype(dtype);
  const ArrayLayout layout = layout_of(shape, type, order);
  return make_device_array(stream_argument(stream, run::current_device()), layout, type, what);
}

DeviceArray make_array_beside(const DeviceArray& array, nb::handle shape, nb::handle dtype,
                              const std::string& order, const std::string& what) {
  const nb::object type = device_dtype(dtype);
  return make_device_array(run::current_stream(array.device()), layout_of(shape, type, order), type,
                           what);
}

DeviceArray to_device(const nb::object& values, nb::handle stream, bool copies) {
  const nb::object host = checked(PyArray_FROM_O(values.ptr()));
  const StreamPointer on = stream_argument(stream, run::current_device());
  if (copies) return copy_to_new_array(on, host, "to_device");
  const ArrayLayout layout = run::make_layout(shape_argument(host.attr("shape")),
                                              PyArray_ITEMSIZE(as_array(host)), ArrayOrder::kC);
  return make_device_array(on, layout, device_dtype(host.attr("dtype")), "to_device");
}

nb::object pinned_array(nb::handle shape, nb::handle dtype, const std::string& order) {
  const nb::object type = device_dtype(dtype);
  auto* const descriptor = as_descriptor(type);
  const ArrayLayout layout = layout_of(shape, type, order);
  auto buffer = std::make_unique<run::PinnedBuffer>(run::current_device(),
                                                    static_cast<std::size_t>(layout.n_bytes()),
                                                    at_caller_line("pinned_array"));
  const std::vector<npy_intp> dims(layout.shape.begin(), layout.shape.end());
  const std::vector<npy_intp> strides(layout.strides.begin(), layout.strides.end());
  Py_INCREF(descriptor);
  nb::object array = checked(
      PyArray_NewFromDescr(&PyArray_Type, descriptor, static_cast<int>(dims.size()), dims.data(),
                           strides.data(), buffer->data(), NPY_ARRAY_WRITEABLE, nullptr));
  nb::capsule owner(buffer.release(),
                    [](void* pinned) noexcept { delete static_cast<run::PinnedBuffer*>(pinned); });
  if (PyArray_SetBaseObject(as_array(array), owner.release().ptr()) < 0) throw nb::python_error();
  return array;
}

// The package's own functions derive layouts from those of NumPy's views, which are in bounds.
DeviceArray view_of(const DeviceArray& array, nb::handle shape, nb::handle strides,
                    std::int64_t offset, const nb::object& dtype) {
  ArrayLayout layout{.shape = shape_argument(shape),
                     .strides = shape_argument(strides),
                     .offset = array.layout().offset + offset,
                     .item_bytes = PyDataType_ELSIZE(as_descriptor(dtype))};
  const std::int64_t lowest = layout.lowest_byte();
  const bool is_inside =
      layout.size() == 0 ||
      (lowest >= array.layout().lowest_byte() &&
       lowest + layout.span_bytes() <= array.layout().lowest_byte() + array.layout().span_bytes());
  NPP_ASSERT(is_inside, "a view is inside of its array");
  return {{array.memory.buffer, std::move(layout)}, dtype};
}

}  // namespace

void bind_array_creation(nb::module_& module) {
  module.def(
      "as_device_array",
      [](nb::handle array, nb::handle stream) {
        return as_device_array(array, named_stream(stream));
      },
      "array"_a.none(), "stream"_a.none(),
      nb::sig("def as_device_array(array: object, stream: object) -> DeviceArray"),
      "Return a view of another library's array.");
  module.def("make_device_array", &make_array, "shape"_a, "dtype"_a.none(), "order"_a,
             "stream"_a.none(), "what"_a,
             nb::sig("def make_device_array(shape: object, dtype: object, order: str, stream: "
                     "object, what: str) -> DeviceArray"),
             "Return an uninitialized array on the current device; `what` is the function called.");
  module.def("make_array_beside", &make_array_beside, "array"_a, "shape"_a, "dtype"_a.none(),
             "order"_a, "what"_a,
             nb::sig("def make_array_beside(array: DeviceArray, shape: object, dtype: object, "
                     "order: str, what: str) -> DeviceArray"),
             "Return an uninitialized array on the device of another.");
  module.def("to_device", &to_device, "values"_a, "stream"_a.none(), "copies"_a,
             nb::sig("def to_device(values: object, stream: object, copies: bool) -> "
                     "DeviceArray"),
             "Copy a host array to a new array on the current device.");
  module.def("pinned_array", &pinned_array, "shape"_a, "dtype"_a.none(), "order"_a,
             nb::sig("def pinned_array(shape: object, dtype: object, order: str) -> numpy.ndarray"),
             "Return a NumPy array in pinned memory.");
  module.def("view_of", &view_of, "array"_a, "shape"_a, "strides"_a, "offset"_a, "dtype"_a,
             nb::sig("def view_of(array: DeviceArray, shape: tuple[int, ...], strides: tuple[int, "
                     "...], offset: int, dtype: numpy.dtype[typing.Any]) -> DeviceArray"),
             "Return a view of any layout inside of an array's; offset and strides in bytes.");
  module.def("strided_stand_in", &strided_stand_in, "array"_a,
             nb::sig("def strided_stand_in(array: DeviceArray) -> numpy.ndarray"),
             "Return a read-only host array of zeros with the same shape, dtype and strides.");
}

}  // namespace numpy_plugin::ufunc
