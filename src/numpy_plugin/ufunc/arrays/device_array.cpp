// Host memory is passed to run/ as one block in the axis order of the device array's memory;
// NumPy arrays with another layout are copied by NumPy.
#include "numpy_plugin/ufunc/arrays/device_array.hpp"

#include <utility>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/run/forms/device_move.hpp"
#include "numpy_plugin/run/launch/raise_records.hpp"
#include "numpy_plugin/ufunc/api/events.hpp"
#include "numpy_plugin/ufunc/api/numpy_api.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"

namespace numpy_plugin::ufunc {

namespace nb = nanobind;

namespace {

namespace nb = nanobind;

using run::ArrayLayout;
using run::ArrayOrder;
using StreamPointer = std::shared_ptr<run::Stream>;

std::string text_of(nb::handle object) { return nb::str(object).c_str(); }

// A new NumPy array with the layout of `block`, made by run::packed.
nb::object new_host_array(const ArrayLayout& block, const nb::object& dtype) {
  const std::vector<npy_intp> dims(block.shape.begin(), block.shape.end());
  const auto ndim = static_cast<int>(dims.size());
  for (const ArrayOrder order : {ArrayOrder::kC, ArrayOrder::kFortran}) {
    if (!block.is_contiguous(order)) continue;
    return checked(
        PyArray_Empty(ndim, dims.data(), new_descriptor(dtype), order == ArrayOrder::kFortran));
  }
  const npy_intp n_bytes = block.n_bytes();
  nb::object bytes = checked(PyArray_SimpleNew(1, &n_bytes, NPY_UINT8));
  const std::vector<npy_intp> strides(block.strides.begin(), block.strides.end());
  char* const data = PyArray_BYTES(as_array(bytes)) + block.offset;
  nb::object array =
      checked(PyArray_NewFromDescr(&PyArray_Type, new_descriptor(dtype), ndim, dims.data(),
                                   strides.data(), data, NPY_ARRAY_WRITEABLE, nullptr));
  if (PyArray_SetBaseObject(as_array(array), bytes.release().ptr()) < 0) throw nb::python_error();
  return array;
}

bool has_shape(PyArrayObject* array, const std::vector<std::int64_t>& shape) {
  return std::vector<std::int64_t>(PyArray_DIMS(array),
                                   PyArray_DIMS(array) + PyArray_NDIM(array)) == shape;
}

bool has_dtype(PyArrayObject* array, const nb::object& dtype) {
  return PyArray_EquivTypes(PyArray_DESCR(array), as_descriptor(dtype)) != 0;
}

// Whether a NumPy array has the dtype and memory layout of a block.
bool is_block(PyArrayObject* array, const ArrayLayout& block, const nb::object& dtype) {
  if (!has_shape(array, block.shape) || !has_dtype(array, dtype)) return false;
  for (std::size_t axis = 0; axis < block.shape.size(); ++axis) {
    const bool steps = block.shape[axis] > 1 && block.size() > 0;
    if (steps && PyArray_STRIDES(array)[axis] != block.strides[axis]) return false;
  }
  return true;
}

char* block_data(PyArrayObject* array, const ArrayLayout& block) {
  return PyArray_BYTES(array) - block.offset;
}

void check_out(const DeviceArray& array, const nb::object& out) {
  if (!PyArray_Check(out.ptr())) {
    throw base::Error(base::ErrorKind::kType,
                      "out must be a numpy.ndarray, found " + type_name_of(out));
  }
  if (!has_shape(as_array(out), array.layout().shape) || !has_dtype(as_array(out), array.dtype)) {
    throw base::Error(base::ErrorKind::kValue,
                      format("out has shape {} and dtype {}; expected {} and {}",
                             text_of(out.attr("shape")), text_of(out.attr("dtype")),
                             text_of(as_tuple(array.layout().shape)), text_of(array.dtype)));
  }
  if (!PyArray_ISWRITEABLE(as_array(out))) {
    throw base::Error(base::ErrorKind::kValue, "out can't be written to");
  }
}

// Without the GIL. A copy of pinned memory on an explicit stream completes asynchronously; all
// others are waited for.
template <class Copy>
void copy_block(const StreamPointer& stream, std::shared_ptr<void> array, const void* data,
                const Copy& copy) {
  const bool is_kept = !stream->is_default() && run::is_pinned(*stream->device(), data);
  if (!is_kept && stream->recording() != nullptr) stream->refuse_waiting();
  copy();
  if (is_kept) return stream->keep(std::move(array));
  stream->synchronize();
  run::raise_late(*stream->device(), stream->handle());
}

void assign_block(const DeviceArray& to, const ArrayLayout& block, const nb::object& values,
                  const StreamPointer& stream) {
  const char* const data = block_data(as_array(values), block);
  std::shared_ptr<void> kept = keep_alive(values);
  const ReleasedGil release;
  copy_block(stream, std::move(kept), data, [&] { run::move_from_host(stream, to.memory, data); });
}

}  // namespace

void check_writable(const DeviceArray& array) {
  if (!array.memory.buffer->is_read_only()) return;
  throw base::Error(base::ErrorKind::kValue, "the array's memory is read-only");
}

nb::object checked(PyObject* new_reference) {
  nb::object result = nb::steal(new_reference);
  if (!result.is_valid()) throw nb::python_error();
  return result;
}

void copy_values(nb::handle to, nb::handle from, const char* casting) {
  nb::module_::import_("numpy").attr("copyto")(to, from, casting);
}

std::shared_ptr<void> keep_alive(nb::object object) {
  return {object.release().ptr(), [](void* kept) {
            free_with_python([kept] { Py_DECREF(static_cast<PyObject*>(kept)); });
          }};
}

nb::object device_dtype(nb::handle dtype) {
  PyArray_Descr* descriptor = nullptr;
  if (PyArray_DescrConverter(dtype.ptr(), &descriptor) == NPY_FAIL) throw nb::python_error();
  nb::object result = nb::steal(reinterpret_cast<PyObject*>(descriptor));
  if (dtype_of_descriptor(descriptor) && PyArray_ISNBO(descriptor->byteorder)) return result;
  const std::string name = text_of(result);
  if (PyDataType_REFCHK(descriptor) || descriptor->type_num == NPY_VSTRING) {
    throw base::Error(base::ErrorKind::kType,
                      format("device memory can't hold values of dtype {}, which are Python "
                             "objects; expected numbers or records of them",
                             name));
  }
  if (PyDataType_ELSIZE(descriptor) == 0) {
    throw base::Error(base::ErrorKind::kType, format("dtype {} has no size", name));
  }
  if (!nb::cast<bool>(result.attr("isnative"))) {
    throw base::Error(base::ErrorKind::kType, format("dtype {} has non-native byte order; convert "
                                                     "it with a.astype(a.dtype.newbyteorder('='))",
                                                     name));
  }
  return result;
}

std::vector<std::int64_t> shape_argument(nb::handle shape) {
  PyArray_Dims dims = {nullptr, 0};
  if (PyArray_IntpConverter(shape.ptr(), &dims) == NPY_FAIL) throw nb::python_error();
  std::vector<std::int64_t> result(dims.ptr, dims.ptr + dims.len);
  PyDimMem_FREE(dims.ptr);
  return result;
}

nb::tuple as_tuple(const std::vector<std::int64_t>& values) {
  nb::list list;
  for (const std::int64_t value : values) list.append(value);
  return nb::tuple(list);
}

DeviceArray make_device_array(const StreamPointer& stream, const ArrayLayout& layout,
                              const nb::object& dtype, const std::string& what) {
  const std::string origin = stream->device()->is_simulated() ? at_caller_line(what) : what;
  std::shared_ptr<run::DeviceBuffer> buffer;
  {
    const ReleasedGil release;
    buffer = std::make_shared<run::DeviceBuffer>(stream, static_cast<std::size_t>(layout.n_bytes()),
                                                 origin);
  }
  // A result that nobody keeps is written nevertheless.
  if (stream->recording() != nullptr) stream->recording()->buffers.push_back(buffer);
  return {{std::move(buffer), layout}, dtype};
}

DeviceArray copy_to_new_array(const StreamPointer& stream, const nb::object& array,
                              const std::string& what) {
  const nb::object dtype = device_dtype(array.attr("dtype"));
  const bool is_fortran = PyArray_IS_F_CONTIGUOUS(as_array(array)) != 0 &&
                          PyArray_IS_C_CONTIGUOUS(as_array(array)) == 0;
  const ArrayLayout layout =
      run::make_layout(shape_argument(array.attr("shape")), PyArray_ITEMSIZE(as_array(array)),
                       is_fortran ? ArrayOrder::kFortran : ArrayOrder::kC);
  DeviceArray made = make_device_array(stream, layout, dtype, what);
  assign(made, array, stream);
  return made;
}

nb::object copy_to_host(const DeviceArray& array, const nb::object& out,
                        const StreamPointer& stream) {
  if (!out.is_none()) check_out(array, out);
  const ArrayLayout block = run::packed(array.layout());
  const bool is_direct = !out.is_none() && is_block(as_array(out), block, array.dtype);
  nb::object to = is_direct ? out : new_host_array(block, array.dtype);
  {
    char* const data = block_data(as_array(to), block);
    std::shared_ptr<void> kept = keep_alive(to);
    const ReleasedGil release;
    copy_block(stream, std::move(kept), data,
               [&] { run::move_to_host(stream, array.memory, data); });
  }
  if (out.is_none() || is_direct) return to;
  copy_values(out, to);
  return out;
}

void assign(const DeviceArray& to, const nb::object& values, const StreamPointer& stream) {
  check_writable(to);
  DeviceArray* from = nullptr;
  if (nb::try_cast(values, from) && from != nullptr) {
    if (from->device() == to.device()) return assign_on_device(to, *from, "same_kind", stream);
    const StreamPointer theirs = run::current_stream(from->device());
    const bool is_plain = from->dtype.equal(to.dtype) && from->layout().shape == to.layout().shape;
    if (is_plain && &from->device()->driver() == &to.device()->driver()) {
      const ReleasedGil release;
      return run::move_between_devices(stream, to.memory, theirs, from->memory);
    }
    return assign(to, copy_to_host(*from, nb::none(), theirs), stream);
  }
  const ArrayLayout block = run::packed(to.layout());
  const bool is_direct = PyArray_Check(values.ptr()) && is_block(as_array(values), block, to.dtype);
  if (is_direct) return assign_block(to, block, values, stream);
  const nb::object cast = new_host_array(block, to.dtype);
  copy_values(cast, values);
  assign_block(to, block, cast, stream);
}

void fill(const DeviceArray& array, nb::handle value, const StreamPointer& stream) {
  check_writable(array);
  const nb::object element =
      checked(PyArray_Zeros(0, nullptr, new_descriptor(array.dtype), /*is_f_order=*/0));
  element[nb::ellipsis()] = value;
  const void* const bytes = PyArray_DATA(as_array(element));
  const ReleasedGil release;
  run::fill_on_device(stream, array.memory, bytes);
}

void warn_of_cast(base::DType from, base::DType to) {
  const bool is_lossy = base::is_complex(from) && !base::is_complex(to) && to != base::DType::kBool;
  if (!is_lossy) return;
  const nb::object category =
      nb::module_::import_("numpy").attr("exceptions").attr("ComplexWarning");
  const char* const text = "Casting complex values to real discards the imaginary part";
  if (PyErr_WarnEx(category.ptr(), text, caller_stack_level()) < 0) throw nb::python_error();
}

}  // namespace numpy_plugin::ufunc
