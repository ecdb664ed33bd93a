#include "numpy_plugin/ufunc/selection/select.hpp"

#include <string>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/run/selection/indexed_call.hpp"
#include "numpy_plugin/run/selection/search.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

using StreamPointer = std::shared_ptr<run::Stream>;

StreamPointer stream_of_call(const DeviceArray& array) {
  return run::current_stream(array.device());
}

base::DType ordered_dtype(const DeviceArray& array) {
  const auto dtype = dtype_of_descriptor(as_descriptor(array.dtype));
  if (dtype) return *dtype;
  throw base::Error(
      base::ErrorKind::kType,
      format("no kernel sorts values of dtype {}; call copy_to_host() and sort them there",
             nb::str(array.dtype).c_str()));
}

DeviceArray in_c_order(const DeviceArray& array, const StreamPointer& stream) {
  return array.layout().is_contiguous(run::ArrayOrder::kC) ? array : copy(array, stream);
}

DeviceArray new_array(const std::vector<std::int64_t>& shape, int type_number,
                      const StreamPointer& stream, const char* what) {
  const nb::object dtype =
      nb::steal(reinterpret_cast<PyObject*>(PyArray_DescrFromType(type_number)));
  const auto item_bytes = PyDataType_ELSIZE(as_descriptor(dtype));
  return make_device_array(stream, run::make_layout(shape, item_bytes, run::ArrayOrder::kC), dtype,
                           what);
}

}  // namespace

DeviceArray argsort_rows(const DeviceArray& values) {
  const base::DType dtype = ordered_dtype(values);
  const run::CurrentContext context(*values.device());
  const StreamPointer stream = stream_of_call(values);
  const DeviceArray rows = in_c_order(values, stream);
  DeviceArray positions = new_array(rows.layout().shape, NPY_INT64, stream, "argsort");
  const ReleasedGil release;
  run::argsort_rows(stream, rows.memory, dtype, positions.memory);
  return positions;
}

DeviceArray take_in_rows(const DeviceArray& values, const DeviceArray& positions) {
  const StreamPointer stream = stream_of_call(values);
  const auto& shape = positions.layout().shape;
  DeviceArray taken = make_device_array(
      stream, run::make_layout(shape, values.layout().item_bytes, run::ArrayOrder::kC),
      values.dtype, "sort");
  if (taken.layout().size() == 0) return taken;
  const auto& strides = values.layout().strides;
  run::Selection selection;
  selection.shape = shape;
  selection.n_dimensions = shape.size();
  selection.array = values.memory;
  selection.array.layout.shape = shape;
  selection.array.layout.strides = {strides[0], 0};
  selection.indices = {{positions.memory, values.layout().shape[1], strides[1]}};
  selection.is_checked = true;
  const ReleasedGil release;
  run::gather(stream, selection, taken.memory);
  return taken;
}

DeviceArray sort_rows(const DeviceArray& values) {
  const base::DType dtype = ordered_dtype(values);
  const run::CurrentContext context(*values.device());
  const StreamPointer stream = stream_of_call(values);
  const DeviceArray rows = in_c_order(values, stream);
  const run::ArrayLayout& layout = rows.layout();
  DeviceArray sorted = make_device_array(
      stream, run::make_layout(layout.shape, layout.item_bytes, run::ArrayOrder::kC), values.dtype,
      "sort");
  {
    const ReleasedGil release;
    if (run::sort_rows(stream, rows.memory, dtype, sorted.memory)) return sorted;
  }
  return take_in_rows(rows, argsort_rows(rows));
}

DeviceArray search_sorted(const DeviceArray& sorted, const DeviceArray& keys, bool is_right) {
  const base::DType dtype = ordered_dtype(sorted);
  const StreamPointer stream = stream_of_call(sorted);
  const DeviceArray row = in_c_order(sorted, stream);
  const DeviceArray searched = in_c_order(keys, stream);
  DeviceArray places = new_array(keys.layout().shape, NPY_INT64, stream, "searchsorted");
  const ReleasedGil release;
  run::search_sorted(stream, row.memory, dtype, searched.memory, is_right, places.memory);
  return places;
}

DeviceArray find_run_heads(const DeviceArray& sorted, bool is_nan_equal) {
  const base::DType dtype = ordered_dtype(sorted);
  const StreamPointer stream = stream_of_call(sorted);
  const DeviceArray row = in_c_order(sorted, stream);
  DeviceArray heads = new_array(sorted.layout().shape, NPY_BOOL, stream, "unique");
  const ReleasedGil release;
  run::find_run_heads(stream, row.memory, dtype, is_nan_equal, heads.memory);
  return heads;
}

DeviceArray number_runs(const DeviceArray& starts, const DeviceArray& positions) {
  const StreamPointer stream = stream_of_call(positions);
  const DeviceArray begins = in_c_order(starts, stream);
  const DeviceArray row = in_c_order(positions, stream);
  DeviceArray numbers = new_array(positions.layout().shape, NPY_INT64, stream, "unique");
  const ReleasedGil release;
  run::write_run_numbers(stream, begins.memory, row.memory, numbers.memory);
  return numbers;
}

std::pair<std::int64_t, std::int64_t> find_limits(const DeviceArray& values) {
  const StreamPointer stream = stream_of_call(values);
  const DeviceArray row = in_c_order(values, stream);
  const ReleasedGil release;
  return run::find_limits(stream, row.memory);
}

DeviceArray count_bins(const DeviceArray& values, std::int64_t n_bins) {
  const StreamPointer stream = stream_of_call(values);
  const DeviceArray row = in_c_order(values, stream);
  DeviceArray counts = new_array({n_bins}, NPY_INT64, stream, "bincount");
  fill(counts, nb::int_(0), stream);
  const ReleasedGil release;
  run::count_bins(stream, row.memory, counts.memory);
  return counts;
}

}  // namespace numpy_plugin::ufunc
