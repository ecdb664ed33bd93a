#include "numpy_plugin/ufunc/selection/select.hpp"

#include <optional>

#include "numpy_plugin/run/selection/indexed_call.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

nb::object dtype_of(int type_number) {
  return nb::steal(reinterpret_cast<PyObject*>(PyArray_DescrFromType(type_number)));
}

// The mask as bools in C order.
DeviceArray as_mask(const DeviceArray& array, const std::shared_ptr<run::Stream>& stream) {
  const DeviceArray mask = as_type(array, dtype_of(NPY_BOOL), "unsafe", /*copies=*/false, stream);
  return mask.layout().is_contiguous(run::ArrayOrder::kC) ? mask : copy(mask, stream);
}

}  // namespace

std::vector<DeviceArray> find_nonzero(const DeviceArray& array,
                                      const std::shared_ptr<run::Stream>& stream) {
  const DeviceArray mask = as_mask(array, stream);
  std::optional<run::CountedMask> counted;
  {
    const ReleasedGil release;
    counted.emplace(stream, mask.memory);
  }
  const auto n_dimensions = static_cast<std::int64_t>(array.layout().shape.size());
  const run::ArrayLayout layout =
      run::make_layout({n_dimensions, counted->count()}, sizeof(npy_int64), run::ArrayOrder::kC);
  const DeviceArray positions =
      make_device_array(stream, layout, dtype_of(NPY_INT64), "positions of a mask");
  {
    const ReleasedGil release;
    counted->write_positions(positions.memory);
  }
  std::vector<DeviceArray> rows;
  for (std::int64_t i = 0; i < n_dimensions; ++i) {
    rows.push_back(positions.with_layout(run::selected(layout, 0, i)));
  }
  return rows;
}

}  // namespace numpy_plugin::ufunc
