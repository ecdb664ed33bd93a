// DeviceArray: an array in device memory with NumPy's shape and dtype. Views share the memory.
// Contains the copies to and from the host; the Python class is in device_array_binding.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "numpy_plugin/base/dtype.hpp"
#include "numpy_plugin/run/device/current_device.hpp"
#include "numpy_plugin/run/memory/device_copy.hpp"
#include "numpy_plugin/ufunc/api/numpy_api.hpp"

namespace numpy_plugin::ufunc {

struct DeviceArray {
  run::DeviceMemory memory;
  nanobind::object dtype;  // a numpy.dtype

  const std::shared_ptr<run::Device>& device() const { return memory.buffer->device(); }
  const run::ArrayLayout& layout() const { return memory.layout; }
  DeviceArray with_layout(run::ArrayLayout layout) const {
    return {{memory.buffer, std::move(layout)}, dtype};
  }
};

// Takes ownership of a new reference; throws the Python error that is set for null.
nanobind::object checked(PyObject* new_reference);

// Keeps a Python object alive until the result is released, in any thread.
std::shared_ptr<void> keep_alive(nanobind::object object);

// A numpy.dtype that device memory can hold. Throws base::Error (kType).
nanobind::object device_dtype(nanobind::handle dtype);
// An int or a sequence of them.
std::vector<std::int64_t> shape_argument(nanobind::handle shape);
nanobind::tuple as_tuple(const std::vector<std::int64_t>& values);

// `what` is the function that the user called, for the simulator's messages.
DeviceArray make_device_array(const std::shared_ptr<run::Stream>& stream,
                              const run::ArrayLayout& layout, const nanobind::object& dtype,
                              const std::string& what);
// Copies a NumPy array to new device memory.
DeviceArray copy_to_new_array(const std::shared_ptr<run::Stream>& stream,
                              const nanobind::object& array, const std::string& what);

// Returns a new array, or `out`. Waits, unless the stream is explicit and `out` is pinned.
nanobind::object copy_to_host(const DeviceArray& array, const nanobind::object& out,
                              const std::shared_ptr<run::Stream>& stream);
// Assigns host values or another DeviceArray as NumPy's assignment does: broadcast, and cast by
// "same_kind". Waits as copy_to_host does. Throws base::Error (kValue) where the memory is another
// library's and read-only, as fill does.
void assign(const DeviceArray& to, const nanobind::object& values,
            const std::shared_ptr<run::Stream>& stream);
// Throws base::Error (kValue) where the memory is another library's and read-only.
void check_writable(const DeviceArray& array);
// Sets every element to a value, cast as by NumPy's fill.
void fill(const DeviceArray& array, nanobind::handle value,
          const std::shared_ptr<run::Stream>& stream);
// Assignment between arrays on one device; `casting` as in NumPy.
void assign_on_device(const DeviceArray& to, const DeviceArray& from, const char* casting,
                      const std::shared_ptr<run::Stream>& stream);
// A copy in C order.
DeviceArray copy(const DeviceArray& array, const std::shared_ptr<run::Stream>& stream);
// The values cast to a dtype; the array itself where it has that dtype and `copies` is false.
DeviceArray as_type(const DeviceArray& array, const nanobind::object& dtype, const char* casting,
                    bool copies, const std::shared_ptr<run::Stream>& stream);

// numpy.copyto.
void copy_values(nanobind::handle to, nanobind::handle from, const char* casting = "same_kind");

// The selection of `array[key]`: integers, slices, None and Ellipsis.
run::ArrayLayout indexed(const run::ArrayLayout& layout, nanobind::handle key);
// A field of an array of records, as a view; NumPy's ValueError where there is none of that name.
DeviceArray field_of(const DeviceArray& array, nanobind::handle name);
// Whether a step of a key is one of these.
bool is_basic_step(nanobind::handle step);
// NumPy's IndexError: with a text; for an index outside an axis of size n; for more indices than
// axes.
[[noreturn]] void raise_index_error(const std::string& text);
void check_index(std::int64_t index, std::size_t axis, std::int64_t n);
void check_axes(std::size_t n_axes, std::size_t n_dimensions);
// An integer as an index of an axis of size n, not negative. Throws NumPy's IndexError.
std::int64_t checked_index(const nanobind::object& step, std::size_t axis, std::int64_t n);
run::ArrayLayout sliced_by(run::ArrayLayout layout, std::size_t axis,
                           const nanobind::object& slice);

// The repr: some values, shape, dtype, device.
std::string array_text(const DeviceArray& array);

// NumPy's warning about lossy casts, for casts on a device. Issues numpy.exceptions.ComplexWarning
// where imaginary parts are discarded, at the line that called this package. Throws the Python
// error where warnings are errors.
void warn_of_cast(base::DType from, base::DType to);

// Binds the operators of DeviceArray, in terms of NumPy's ufuncs.
void bind_operators(nanobind::class_<DeviceArray>& type);

}  // namespace numpy_plugin::ufunc
