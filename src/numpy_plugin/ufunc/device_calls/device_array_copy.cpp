// Assignment between device arrays: broadcast, cast, and copied by the driver where they consist of
// few blocks, else by a kernel.
#include <utility>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/run/forms/device_move.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"
#include "numpy_plugin/ufunc/arguments/stand_ins.hpp"
#include "numpy_plugin/ufunc/arrays/device_array.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

using run::ArrayLayout;
using run::ArrayOrder;
using StreamPointer = std::shared_ptr<run::Stream>;

// Lets NumPy attempt the invalid assignment and raise its error.
[[noreturn]] void raise_numpys_error(const DeviceArray& to, const DeviceArray& from,
                                     const char* casting) {
  copy_values(stand_in(to), stand_in(from), casting);
  NPP_ASSERT(false, "NumPy makes an assignment that was refused");
  throw nb::python_error();
}

bool can_cast(const DeviceArray& to, const DeviceArray& from, const char* casting) {
  const nb::object allowed =
      nb::module_::import_("numpy").attr("can_cast")(from.dtype, to.dtype, casting);
  return nb::cast<bool>(allowed);
}

// The dtype that kernels copy; others are left to the driver.
std::optional<base::DType> kernel_dtype(const DeviceArray& array) {
  return dtype_of_descriptor(as_descriptor(array.dtype));
}

[[noreturn]] void refuse_dtypes(const DeviceArray& to, const DeviceArray& from) {
  throw base::Error(
      base::ErrorKind::kType,
      format("no kernel casts {} to {}; call copy_to_host() and cast the values there",
             nb::str(from.dtype).c_str(), nb::str(to.dtype).c_str()));
}

// Arrays of the same shape, without shared bytes.
void cast(const DeviceArray& to, const DeviceArray& from, const StreamPointer& stream) {
  const auto to_dtype = kernel_dtype(to);
  const auto from_dtype = kernel_dtype(from);
  const bool has_kernel = to_dtype && from_dtype;
  if (!has_kernel && !to.dtype.equal(from.dtype)) refuse_dtypes(to, from);
  const ReleasedGil release;
  if (has_kernel)
    return run::cast_on_device(stream, to.memory, *to_dtype, from.memory, *from_dtype);
  run::move_on_device(stream, to.memory, from.memory);
}

DeviceArray new_in_c_order(const DeviceArray& shape_of, const nb::object& dtype,
                           const StreamPointer& stream, const char* what) {
  const auto item_bytes = PyDataType_ELSIZE(as_descriptor(dtype));
  const ArrayLayout layout = run::make_layout(shape_of.layout().shape, item_bytes, ArrayOrder::kC);
  return make_device_array(stream, layout, dtype, what);
}

}  // namespace

void assign_on_device(const DeviceArray& to, const DeviceArray& from, const char* casting,
                      const StreamPointer& stream) {
  auto layout = run::broadcast(from.layout(), to.layout().shape);
  if (!layout || !can_cast(to, from, casting)) raise_numpys_error(to, from, casting);
  const bool is_shared = to.memory.overlaps(from.memory);
  const DeviceArray values = is_shared ? copy(from, stream) : from;
  if (is_shared) layout = run::broadcast(values.layout(), to.layout().shape);
  const auto to_dtype = kernel_dtype(to);
  const auto from_dtype = kernel_dtype(from);
  if (to_dtype && from_dtype) warn_of_cast(*from_dtype, *to_dtype);
  cast(to, values.with_layout(std::move(*layout)), stream);
}

DeviceArray copy(const DeviceArray& array, const StreamPointer& stream) {
  DeviceArray made = new_in_c_order(array, array.dtype, stream, "copy");
  cast(made, array, stream);
  return made;
}

DeviceArray as_type(const DeviceArray& array, const nb::object& dtype, const char* casting,
                    bool copies, const StreamPointer& stream) {
  if (!copies && array.dtype.equal(dtype)) return array;
  DeviceArray made = new_in_c_order(array, dtype, stream, "astype");
  assign_on_device(made, array, casting, stream);
  return made;
}

}  // namespace numpy_plugin::ufunc
