// Parsing in NumPy's order: steps are classified, then consume axes one after the other, then the
// index arrays are broadcast, and last the indices are checked.
#include "numpy_plugin/ufunc/selection/index_key.hpp"

#include <algorithm>
#include <utility>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/ufunc/arrays/foreign_array.hpp"
#include "numpy_plugin/ufunc/selection/select.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

using StreamPointer = std::shared_ptr<run::Stream>;
using Shape = std::vector<std::int64_t>;
using Kind = IndexStep::Kind;

// The axes that a key consumes, one step after the other.
class KeyReader {
 public:
  KeyReader(const DeviceArray& array, StreamPointer stream)
      : array_(array), stream_(std::move(stream)), view_(array.layout()) {}

  ArrayKey read(std::vector<IndexStep> steps);

 private:
  // An index array of one axis, on the host as long as it has not been checked.
  struct Positions {
    nb::object host;
    std::optional<DeviceArray> device;
    std::size_t axis;
  };

  void skip_axes(std::size_t n);
  void read_step(const IndexStep& step, std::size_t n_skipped);
  void note_arrays(bool is_array);
  void read_integer(const IndexStep& step);
  void read_mask(const IndexStep& step);
  void check_mask(const IndexStep& step) const;
  void add_positions(const nb::object& host, std::optional<DeviceArray> device);
  void broadcast(const Shape& shape);
  [[noreturn]] void refuse_shapes() const;
  void place_dimensions();
  void add_indices();

  const DeviceArray& array_;
  StreamPointer stream_;
  run::ArrayLayout view_;
  std::size_t axis_ = 0;       // of the array, the next to be consumed
  std::size_t view_axis_ = 0;  // likewise of the view
  std::vector<Positions> positions_;
  std::vector<Shape> shapes_;  // of index arrays
  Shape shape_;                // of all of them
  // NumPy puts the dimensions of adjacent index arrays in their place, and of others first.
  std::size_t first_dimension_ = 0;
  bool has_arrays_ = false;
  bool is_last_array_ = false;
  bool is_adjacent_ = true;
  bool is_unique_ = true;  // no place is selected twice
  ArrayKey key_;
};

void KeyReader::skip_axes(std::size_t n) {
  axis_ += n;
  view_axis_ += n;
}

// Integers count as index arrays.
void KeyReader::note_arrays(bool is_array) {
  if (is_array && !has_arrays_) first_dimension_ = view_axis_;
  if (is_array && has_arrays_ && !is_last_array_) is_adjacent_ = false;
  has_arrays_ = has_arrays_ || is_array;
  is_last_array_ = is_array;
}

void KeyReader::read_integer(const IndexStep& step) {
  const std::int64_t n = array_.layout().shape[axis_];
  view_ = run::selected(std::move(view_), view_axis_, checked_index(step.object, axis_, n));
  ++axis_;
}

void KeyReader::check_mask(const IndexStep& step) const {
  const Shape shape = shape_argument(step.object.attr("shape"));
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t n = array_.layout().shape[axis_ + i];
    if (shape[i] == n) continue;
    raise_index_error(
        format("boolean index did not match indexed array along axis {}; size of axis is {} but "
               "size of corresponding boolean axis is {}",
               axis_ + i, n, shape[i]));
  }
}

void KeyReader::add_positions(const nb::object& host, std::optional<DeviceArray> device) {
  const Shape shape = device ? device->layout().shape : shape_argument(host.attr("shape"));
  positions_.push_back({host, std::move(device), axis_});
  shapes_.push_back(shape);
  view_ = run::selected(std::move(view_), view_axis_, 0);
  ++axis_;
}

void KeyReader::read_mask(const IndexStep& step) {
  check_mask(step);
  if (step.device) {
    for (DeviceArray& row : find_nonzero(*step.device, stream_)) {
      add_positions(nb::none(), std::move(row));
    }
  } else {
    for (const nb::handle row : nb::borrow<nb::tuple>(step.object.attr("nonzero")())) {
      add_positions(nb::borrow(row), std::nullopt);
    }
  }
}

void KeyReader::read_step(const IndexStep& step, std::size_t n_skipped) {
  note_arrays(step.is_array() || step.kind == Kind::kInteger);
  switch (step.kind) {
    case Kind::kEllipsis:
      return skip_axes(n_skipped);
    case Kind::kNewAxis:
      view_ = run::with_new_axis(std::move(view_), view_axis_++);
      return;
    case Kind::kSlice:
      view_ = sliced_by(std::move(view_), view_axis_, step.object);
      return skip_axes(1);
    case Kind::kInteger:
      return read_integer(step);
    case Kind::kFlag:
      shapes_.push_back({PyObject_IsTrue(step.object.ptr()) == 1 ? 1 : 0});
      return;
    case Kind::kMask:
      return read_mask(step);
    case Kind::kIndices:
      is_unique_ = false;
      return add_positions(step.object, step.device);
  }
}

void KeyReader::refuse_shapes() const {
  std::string text = "shape mismatch: indexing arrays could not be broadcast together with shapes";
  for (const Shape& shape : shapes_) {
    text += " (";
    for (std::size_t i = 0; i < shape.size(); ++i) {
      text += (i > 0 ? "," : "") + std::to_string(shape[i]);
    }
    text += shape.size() == 1 ? ",)" : ")";
  }
  raise_index_error(text);
}

void KeyReader::broadcast(const Shape& shape) {
  if (shape.size() > shape_.size()) shape_.insert(shape_.begin(), shape.size() - shape_.size(), 1);
  const std::size_t missing = shape_.size() - shape.size();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    std::int64_t& n = shape_[missing + i];
    if (shape[i] == n || shape[i] == 1) continue;
    if (n != 1) refuse_shapes();
    n = shape[i];
  }
}

// Inserts the dimensions of the index arrays into the view, with stride 0.
void KeyReader::place_dimensions() {
  run::Selection& selection = key_.selection;
  selection.first_dimension = is_adjacent_ ? first_dimension_ : 0;
  selection.n_dimensions = shape_.size();
  const auto at = static_cast<std::ptrdiff_t>(selection.first_dimension);
  view_.shape.insert(view_.shape.begin() + at, shape_.begin(), shape_.end());
  view_.strides.insert(view_.strides.begin() + at, shape_.size(), 0);
  selection.shape = view_.shape;
  selection.has_repeats = !is_unique_;
  selection.array = {array_.memory.buffer, view_};
}

// Host indices are checked before device indices are looked at.
void KeyReader::add_indices() {
  key_.selection.is_checked = true;
  const bool is_empty = std::find(shape_.begin(), shape_.end(), 0) != shape_.end();
  for (const Positions& positions : positions_) {
    const std::int64_t size = array_.layout().shape[positions.axis];
    if (!positions.device && !is_empty) check_indices(positions.host, positions.axis, size);
    key_.selection.is_checked = key_.selection.is_checked && (!positions.device || is_unique_);
  }
  for (Positions& positions : positions_) {
    if (!positions.device) {
      positions.device = copy_to_new_array(stream_, positions.host, "indices");
    } else if (positions.device->memory.overlaps(array_.memory)) {
      positions.device = copy(*positions.device, stream_);  // stores would change indices to come
    }
    key_.selection.indices.push_back({positions.device->memory,
                                      array_.layout().shape[positions.axis],
                                      array_.layout().strides[positions.axis]});
    key_.arrays.push_back({std::move(*positions.device), positions.axis});
  }
}

ArrayKey KeyReader::read(std::vector<IndexStep> steps) {
  const std::size_t n_dimensions = array_.layout().shape.size();
  key_.is_mask = steps.size() == 1 && steps.front().kind == Kind::kMask &&
                 steps.front().n_axes == n_dimensions;
  const std::size_t n_axes = count_axes(steps, n_dimensions);
  for (const IndexStep& step : steps) read_step(step, n_dimensions - n_axes);
  for (const Shape& shape : shapes_) broadcast(shape);
  if (positions_.size() > run::kMaxIndexArrays) {
    raise_index_error(format("a device array is indexed by at most {} arrays, found {}",
                             run::kMaxIndexArrays, positions_.size()));
  }
  place_dimensions();
  add_indices();
  return std::move(key_);
}

}  // namespace

bool has_arrays(nb::handle key) {
  if (!nb::isinstance<nb::tuple>(key)) return !is_basic_step(key);
  const nb::tuple steps = nb::borrow<nb::tuple>(key);
  return !std::all_of(steps.begin(), steps.end(), is_basic_step);
}

ArrayKey parse_key(const DeviceArray& array, nb::handle key, const StreamPointer& stream) {
  return KeyReader(array, stream).read(read_steps(key, array.device(), stream));
}

void raise_out_of_bounds(const DeviceArray& array, const ArrayKey& key) {
  for (const AxisIndex& index : key.arrays) {
    const StreamPointer stream = run::current_stream(array.device());
    const nb::object host = copy_to_host(index.positions, nb::none(), stream);
    check_indices(host, index.axis, array.layout().shape[index.axis]);
  }
  NPP_ASSERT(false, "indices that a device found out of bounds are in bounds");
  throw nb::python_error();
}

}  // namespace numpy_plugin::ufunc
