// DeviceArray: an array in device memory, with NumPy's words for its shape and dtype. Views share
// the memory. Copies to and from the host are here; the class Python sees is in
// device_array_binding.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

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

// Takes a new reference; throws the Python error that is set where there is none.
nanobind::object checked(PyObject* new_reference);

// Keeps a Python object until whoever holds this lets go of it, in whatever thread that is.
std::shared_ptr<void> keep_alive(nanobind::object object);

// A numpy.dtype whose values device memory can hold. Throws base::Error (kType).
nanobind::object device_dtype(nanobind::handle dtype);
// An int or a sequence of them.
std::vector<std::int64_t> shape_argument(nanobind::handle shape);
nanobind::tuple as_tuple(const std::vector<std::int64_t>& values);

// `what` is the function that the user called, for the simulator's messages.
DeviceArray make_device_array(const std::shared_ptr<run::Stream>& stream,
                              const run::ArrayLayout& layout, const nanobind::object& dtype,
                              const std::string& what);
// A copy of a NumPy array in device memory.
DeviceArray copy_to_new_array(const std::shared_ptr<run::Stream>& stream,
                              const nanobind::object& array, const std::string& what);

// A new array, or `out`. Waits, unless the stream is not a thread's own and `out` is pinned.
nanobind::object copy_to_host(const DeviceArray& array, const nanobind::object& out,
                              const std::shared_ptr<run::Stream>& stream);
// Values of the host or of another DeviceArray into an array, as NumPy's assignment: they are
// broadcast, and cast within their kind. Waits as copy_to_host does. Throws base::Error (kValue)
// where the memory is another library's and read-only, as fill does.
void assign(const DeviceArray& to, const nanobind::object& values,
            const std::shared_ptr<run::Stream>& stream);
// Every element becomes a value that is cast as NumPy's fill does.
void fill(const DeviceArray& array, nanobind::handle value,
          const std::shared_ptr<run::Stream>& stream);
// The same between arrays of one device, on that device; `casting` as NumPy has it.
void assign_on_device(const DeviceArray& to, const DeviceArray& from, const char* casting,
                      const std::shared_ptr<run::Stream>& stream);
// In C order, in memory of its own.
DeviceArray copy(const DeviceArray& array, const std::shared_ptr<run::Stream>& stream);
// The values cast to a dtype; the array itself where it has that dtype and `copies` is false.
DeviceArray as_type(const DeviceArray& array, const nanobind::object& dtype, const char* casting,
                    bool copies, const std::shared_ptr<run::Stream>& stream);

// numpy.copyto.
void copy_values(nanobind::handle to, nanobind::handle from, const char* casting = "same_kind");

// The selection of `array[key]`: integers, slices, None and Ellipsis.
run::ArrayLayout indexed(const run::ArrayLayout& layout, nanobind::handle key);

// As repr shows it: a few values, shape, dtype, device.
std::string array_text(const DeviceArray& array);

}  // namespace numpy_plugin::ufunc
