#include "numpy_plugin/ufunc/selection/index_key.hpp"

#include <algorithm>
#include <utility>

#include "numpy_plugin/ufunc/arrays/foreign_array.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

using Kind = IndexStep::Kind;
using StreamPointer = std::shared_ptr<run::Stream>;

nb::object int64_dtype() {
  return nb::steal(reinterpret_cast<PyObject*>(PyArray_DescrFromType(NPY_INT64)));
}

constexpr const char* kWrongType =
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean "
    "arrays are valid indices";
constexpr const char* kWrongDtype = "arrays used as indices must be of integer (or boolean) type";

IndexStep device_step(DeviceArray array, const StreamPointer& stream) {
  const int type = as_descriptor(array.dtype)->type_num;
  const std::size_t n_dimensions = array.layout().shape.size();
  if (PyTypeNum_ISBOOL(type) && n_dimensions > 0) {
    const nb::object shown = nb::cast(array);
    return {Kind::kMask, shown, std::move(array), n_dimensions};
  }
  if (PyTypeNum_ISBOOL(type)) return {Kind::kFlag, copy_to_host(array, nb::none(), stream), {}, 0};
  if (!PyTypeNum_ISINTEGER(type)) raise_index_error(kWrongDtype);
  return {Kind::kIndices, nb::none(),
          as_type(array, int64_dtype(), "same_kind", /*copies=*/false, stream), 1};
}

// A host array, or a sequence of numbers.
IndexStep host_step(nb::handle object) {
  const bool is_array = PyArray_Check(object.ptr());
  nb::object array = checked(PyArray_FROM_O(object.ptr()));
  const int n_dimensions = PyArray_NDIM(as_array(array));
  const int type = PyArray_TYPE(as_array(array));
  if (PyTypeNum_ISBOOL(type)) {
    const Kind kind = n_dimensions == 0 ? Kind::kFlag : Kind::kMask;
    return {kind, std::move(array), {}, static_cast<std::size_t>(n_dimensions)};
  }
  const bool is_empty_list = !is_array && n_dimensions > 0 && PyArray_SIZE(as_array(array)) == 0;
  if (!PyTypeNum_ISINTEGER(type) && !is_empty_list) {
    raise_index_error(is_array ? kWrongDtype : kWrongType);
  }
  return {
      Kind::kIndices,
      checked(PyArray_FROM_OTF(array.ptr(), NPY_INT64, NPY_ARRAY_CARRAY_RO | NPY_ARRAY_FORCECAST)),
      {},
      1};
}

IndexStep read_step(nb::handle step, const std::shared_ptr<run::Device>& device,
                    const StreamPointer& stream) {
  if (step.is_none()) return {Kind::kNewAxis, nb::none(), {}, 0};
  if (step.ptr() == Py_Ellipsis) return {Kind::kEllipsis, nb::none(), {}, 0};
  if (PySlice_Check(step.ptr())) return {Kind::kSlice, nb::borrow(step), {}, 1};
  if (is_basic_step(step)) return {Kind::kInteger, nb::borrow(step), {}, 1};
  DeviceArray* own = nullptr;
  std::optional<DeviceArray> found;
  if (nb::try_cast(step, own) && own != nullptr) {
    found = *own;
  } else if (may_be_foreign_device_array(step)) {
    found = foreign_device_array(step, stream);
  }
  if (!found) return host_step(step);
  if (found->device() == device) return device_step(std::move(*found), stream);
  return host_step(copy_to_host(*found, nb::none(), run::current_stream(found->device())));
}

}  // namespace

std::vector<IndexStep> read_steps(nb::handle key, const std::shared_ptr<run::Device>& device,
                                  const StreamPointer& stream) {
  std::vector<IndexStep> steps;
  if (!nb::isinstance<nb::tuple>(key)) {
    steps.push_back(read_step(key, device, stream));
    return steps;
  }
  for (const nb::handle step : nb::borrow<nb::tuple>(key)) {
    steps.push_back(read_step(step, device, stream));
  }
  return steps;
}

std::size_t count_axes(std::vector<IndexStep>& steps, std::size_t n_dimensions) {
  std::size_t n_axes = 0;
  for (const IndexStep& step : steps) n_axes += step.n_axes;
  const auto n_ellipses = std::ranges::count(steps, Kind::kEllipsis, &IndexStep::kind);
  if (n_ellipses > 1) raise_index_error("an index can only have a single ellipsis ('...')");
  check_axes(n_axes, n_dimensions);
  if (n_ellipses == 0) steps.push_back({Kind::kEllipsis, nb::none(), {}, 0});
  return n_axes;
}

void check_indices(const nb::object& indices, std::size_t axis, std::int64_t size) {
  const nb::object whole = checked(PyArray_FROM_OTF(indices.ptr(), NPY_INT64, NPY_ARRAY_CARRAY_RO));
  const auto* const values = static_cast<const std::int64_t*>(PyArray_DATA(as_array(whole)));
  const auto* const end = values + PyArray_SIZE(as_array(whole));
  const auto* const outside =
      std::find_if(values, end, [size](std::int64_t i) { return i < -size || i >= size; });
  if (outside != end) check_index(*outside, axis, size);
}

}  // namespace numpy_plugin::ufunc
