#include "numpy_plugin/ufunc/selection/select.hpp"

#include <algorithm>
#include <utility>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"
#include "numpy_plugin/ufunc/arrays/foreign_array.hpp"
#include "numpy_plugin/ufunc/selection/index_key.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

using StreamPointer = std::shared_ptr<run::Stream>;

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += (i > 0 ? "," : "") + std::to_string(shape[i]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

// Index arrays of a selection without elements are checked all the same, if they have some.
void check_empty(const DeviceArray& array, const ArrayKey& key) {
  const run::Selection& selection = key.selection;
  std::int64_t n_indices = 1;
  for (std::size_t i = 0; i < selection.n_dimensions; ++i) {
    n_indices *= selection.shape[selection.first_dimension + i];
  }
  if (n_indices == 0 || selection.is_checked) return;
  for (const AxisIndex& index : key.arrays) {
    const StreamPointer stream = run::current_stream(array.device());
    check_indices(copy_to_host(index.positions, nb::none(), stream), index.axis,
                  array.layout().shape[index.axis]);
  }
}

// A host value as an array of the target's dtype.
nb::object cast_on_host(const nb::object& value, const nb::object& dtype) {
  const nb::object values = checked(PyArray_FROM_O(value.ptr()));
  const bool is_scalar = PyArray_CheckAnyScalar(value.ptr());
  const nb::object cast = checked(
      PyArray_NewLikeArray(as_array(values), NPY_CORDER, new_descriptor(dtype), /*subok=*/0));
  copy_values(cast, values, is_scalar ? "unsafe" : "same_kind");
  return cast;
}

// The values of an assignment, on the array's device and with its dtype.
DeviceArray values_for(const DeviceArray& array, const nb::object& value,
                       const StreamPointer& stream) {
  DeviceArray* own = nullptr;
  std::optional<DeviceArray> given;
  if (nb::try_cast(value, own) && own != nullptr) {
    given = *own;
  } else if (may_be_foreign_device_array(value)) {
    given = foreign_device_array(value, stream);
  }
  if (given && given->device() != array.device()) {
    const StreamPointer theirs = run::current_stream(given->device());
    return values_for(array, copy_to_host(*given, nb::none(), theirs), stream);
  }
  if (!given) return copy_to_new_array(stream, cast_on_host(value, array.dtype), "values");
  const DeviceArray cast = as_type(*given, array.dtype, "same_kind", /*copies=*/false, stream);
  return cast.memory.overlaps(array.memory) ? copy(cast, stream) : cast;
}

[[noreturn]] void refuse_values(const ArrayKey& key, const std::vector<std::int64_t>& shape) {
  const auto n_dimensions = std::to_string(shape.size());
  if (key.is_mask && shape.size() > 1) {
    throw base::Error(base::ErrorKind::kType,
                      format("NumPy boolean array indexing assignment requires a 0 or "
                             "1-dimensional input, input has {} dimensions",
                             n_dimensions));
  }
  std::string text = format(
      "shape mismatch: value array of shape {} could not be broadcast to indexing result of shape "
      "{}",
      shape_text(shape), shape_text(key.selection.shape));
  if (key.is_mask) {
    text = format(
        "NumPy boolean array indexing assignment cannot assign {} input values to the {} output "
        "values where the mask is true",
        shape.empty() ? 1 : shape[0], key.selection.shape[0]);
  }
  throw base::Error(base::ErrorKind::kValue, text);
}

DeviceArray broadcast_values(const DeviceArray& array, const ArrayKey& key, const nb::object& value,
                             const StreamPointer& stream) {
  const DeviceArray values = values_for(array, value, stream);
  auto layout = run::broadcast(values.layout(), key.selection.shape);
  const bool is_flat = !key.is_mask || values.layout().shape.size() <= 1;
  if (!layout || !is_flat) refuse_values(key, values.layout().shape);
  return values.with_layout(std::move(*layout));
}

// Index arrays in the memory that is written are read before.
void keep_indices(const DeviceArray& array, ArrayKey& key, const StreamPointer& stream) {
  for (std::size_t i = 0; i < key.arrays.size(); ++i) {
    if (!key.arrays[i].positions.memory.overlaps(array.memory)) continue;
    key.arrays[i].positions = copy(key.arrays[i].positions, stream);
    key.selection.indices[i].positions = key.arrays[i].positions.memory;
  }
}

void scatter(const DeviceArray& array, ArrayKey& key, const nb::object& value,
             const StreamPointer& stream) {
  const DeviceArray values = broadcast_values(array, key, value, stream);
  if (values.layout().size() == 0) return check_empty(array, key);
  keep_indices(array, key, stream);
  const bool is_inside = [&] {
    const ReleasedGil release;
    return run::scatter(stream, key.selection, values.memory);
  }();
  if (!is_inside) raise_out_of_bounds(array, key);
}

// Whether a key is the name of a field; an array of numbers has none.
bool names_field(const DeviceArray& array, nb::handle key) {
  return PyUnicode_Check(key.ptr()) != 0 && !array.dtype.attr("fields").is_none();
}

}  // namespace

DeviceArray take(const DeviceArray& array, const ArrayKey& key, const StreamPointer& stream) {
  if (key.arrays.empty()) return copy(array.with_layout(key.selection.array.layout), stream);
  const run::ArrayLayout layout =
      run::make_layout(key.selection.shape, array.layout().item_bytes, run::ArrayOrder::kC);
  DeviceArray values = make_device_array(stream, layout, array.dtype, "indexing");
  if (layout.size() == 0) {
    check_empty(array, key);
    return values;
  }
  const bool is_inside = [&] {
    const ReleasedGil release;
    return run::gather(stream, key.selection, values.memory);
  }();
  if (!is_inside) raise_out_of_bounds(array, key);
  return values;
}

DeviceArray get_item(const DeviceArray& array, nb::handle key) {
  if (names_field(array, key)) return field_of(array, key);
  if (!has_arrays(key)) return array.with_layout(indexed(array.layout(), key));
  const run::CurrentContext context(*array.device());  // for all of the call
  const StreamPointer stream = run::current_stream(array.device());
  return take(array, parse_key(array, key, stream), stream);
}

void set_item(const DeviceArray& array, nb::handle key, const nb::object& value) {
  const run::CurrentContext context(*array.device());
  const StreamPointer stream = run::current_stream(array.device());
  const bool is_field = names_field(array, key);
  if (is_field || !has_arrays(key)) {
    const DeviceArray part =
        is_field ? field_of(array, key) : array.with_layout(indexed(array.layout(), key));
    const bool is_scalar = PyArray_CheckAnyScalar(value.ptr());
    return is_scalar ? fill(part, value, stream) : assign(part, value, stream);
  }
  check_writable(array);
  ArrayKey parsed = parse_key(array, key, stream);
  if (!parsed.arrays.empty()) return scatter(array, parsed, value, stream);
  const DeviceArray values = broadcast_values(array, parsed, value, stream);
  assign_on_device(array.with_layout(parsed.selection.array.layout), values, "same_kind", stream);
}

}  // namespace numpy_plugin::ufunc
