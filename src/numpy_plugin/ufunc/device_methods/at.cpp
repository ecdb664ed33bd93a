// A key without index arrays selects a view, which an ordinary call updates. Others become the
// numbers of their places: integers with exact operations are updated atomically; else the numbers
// are sorted, and a thread makes all updates of a place.
#include "numpy_plugin/ufunc/device_methods/device_method.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <utility>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/kernel/exact_update.hpp"
#include "numpy_plugin/run/selection/search.hpp"
#include "numpy_plugin/ufunc/api/events.hpp"
#include "numpy_plugin/ufunc/api/python_error.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"
#include "numpy_plugin/ufunc/arguments/call_operands.hpp"
#include "numpy_plugin/ufunc/arrays/device_array.hpp"
#include "numpy_plugin/ufunc/arrays/foreign_array.hpp"
#include "numpy_plugin/ufunc/device_methods/method_call.hpp"
#include "numpy_plugin/ufunc/loops/promotion.hpp"
#include "numpy_plugin/ufunc/selection/select.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

using base::DType;
using StreamPointer = std::shared_ptr<run::Stream>;

// The kernel of the updates.
struct UpdateLoop {
  const run::Loop* loop;
  std::vector<nb::object> dtypes;  // of the loop
  std::vector<DType> stored;       // of the array, the values and the array again
};

// The second operand: on the host, or on a device.
struct UpdateValues {
  nb::object host;
  std::optional<DeviceArray> device;

  nb::object dtype() const { return device ? device->dtype : nb::object(host.attr("dtype")); }
};

nb::object empty_of(const nb::object& dtype) {
  const npy_intp n_elements = 0;
  return checked(PyArray_NewFromDescr(&PyArray_Type, new_descriptor(dtype), 1, &n_elements, nullptr,
                                      nullptr, 0, nullptr));
}

class UpdateCall {
 public:
  UpdateCall(nb::handle ufunc, UfuncState& state, std::span<PyObject* const> arguments)
      : ufunc_(ufunc), state_(state), key_(arguments[1]) {
    read_array(arguments[0]);
    std::vector<const DeviceArray*> arrays = {&*array_};
    if (arguments.size() > 2) read_values(arguments[2]);
    if (values_ && values_->device) arrays.push_back(&*values_->device);
    stream_ = stream_of_call(nullptr, array_->device(), arrays);
  }

  void check_with_numpy() const;
  void run(nb::handle signature);
  UpdateExplanation explain() const;

 private:
  void read_array(nb::handle array);
  void read_values(nb::handle values);
  UpdateLoop resolve(nb::handle signature) const;
  // The atomic operation that makes the updates; empty where they are made in order.
  std::string_view atomic_update(const UpdateLoop& loop) const;
  void update_view(const DeviceArray& view, nb::handle signature);
  void update_places(const UpdateLoop& loop, const ArrayKey& key);
  DeviceArray values_on_device(const ArrayKey& key, const nb::object* dtype) const;
  bool update_atomically(const UpdateLoop& loop, const ArrayKey& key, const DeviceArray& values,
                         std::string_view update);
  DeviceArray find_places(const ArrayKey& key, std::int64_t unit) const;
  void update_in_order(const UpdateLoop& loop, const ArrayKey& key,
                       const std::optional<DeviceArray>& values);
  [[noreturn]] void raise_of(std::uint64_t number, const ArrayKey& key,
                             const run::RaisedError& raised) const;

  nb::handle ufunc_;
  UfuncState& state_;
  nb::handle key_;
  std::optional<run::CurrentContext> context_;  // for all of the call
  StreamPointer stream_;
  std::optional<DeviceArray> array_;
  std::optional<UpdateValues> values_;
};

void UpdateCall::read_array(nb::handle array) {
  const DeviceArray* const own = find_device_array(array);
  if (own != nullptr) {
    array_ = *own;
  } else if (may_be_foreign_device_array(array)) {
    array_ = foreign_device_array(array, nullptr);
  }
  if (!array_) {
    throw base::Error(base::ErrorKind::kType,
                      format("operand 1 of '{}.at' is not on a device and others are; no implicit "
                             "copies are made: call numpy_plugin.cuda.to_device(a) first",
                             state_.name));
  }
  check_writable(*array_);
  context_.emplace(*array_->device());
}

// Numbers have the dtypes of NumPy's arrays of them, as in NumPy's `at`.
void UpdateCall::read_values(nb::handle values) {
  const DeviceArray* const own = find_device_array(values);
  values_.emplace();
  if (own != nullptr) {
    values_->device = *own;
  } else if (may_be_foreign_device_array(values)) {
    values_->device = foreign_device_array(values, nullptr);
  }
  if (values_->device && values_->device->device() == array_->device()) return;
  if (values_->device) {
    values_->host =
        copy_to_host(*values_->device, nb::none(), run::current_stream(values_->device->device()));
    values_->device = std::nullopt;
  } else {
    values_->host = checked(PyArray_FROM_O(values.ptr()));
  }
}

// NumPy checks the ufunc, the dtypes and the casts, with arrays without elements.
void UpdateCall::check_with_numpy() const {
  const TypesOnly types_only;
  const npy_intp n_elements = 0;
  const nb::object indices = checked(PyArray_SimpleNew(1, &n_elements, NPY_INTP));
  const nb::object array = empty_of(array_->dtype);
  if (values_) {
    ufunc_.attr("at")(array, indices, empty_of(values_->dtype()));
  } else {
    ufunc_.attr("at")(array, indices);
  }
}

UpdateLoop UpdateCall::resolve(nb::handle signature) const {
  nb::list types;
  types.append(array_->dtype);
  if (values_) types.append(values_->dtype());
  types.append(nb::none());
  nb::dict named;
  named["casting"] = "unsafe";
  if (!signature.is_none()) named["signature"] = signature;
  UpdateLoop loop;
  std::vector<DType> loop_dtypes;
  const TypesOnly types_only;
  for (const nb::handle dtype : ufunc_.attr("resolve_dtypes")(nb::tuple(types), **named)) {
    loop.dtypes.push_back(nb::borrow(dtype));
    loop_dtypes.push_back(kernel_dtype(state_, loop.dtypes.back()));
  }
  loop.loop = find_loop(state_, loop_dtypes);
  loop.stored = {kernel_dtype(state_, array_->dtype)};
  if (values_) loop.stored.push_back(kernel_dtype(state_, values_->dtype()));
  loop.stored.push_back(loop.stored.front());
  require_unit(state_, loop.stored.front(), loop_dtypes.front());
  if (values_ && base::is_time(loop.stored[1])) loop.stored[1] = loop_dtypes[1];
  warn_of_cast(loop_dtypes.back(), loop.stored.back());
  return loop;
}

// Whether the words of 4 bytes that contain the elements are in the array's memory: atomic updates
// of smaller elements change words.
bool has_whole_words(const DeviceArray& array) {
  constexpr std::uint64_t kWord = 4;
  const run::ArrayLayout& layout = array.layout();
  if (layout.item_bytes >= static_cast<std::int64_t>(kWord)) return true;
  const run::DeviceBuffer& buffer = *array.memory.buffer;
  const std::uint64_t lowest = buffer.address() + static_cast<std::uint64_t>(layout.lowest_byte());
  const std::uint64_t end = lowest + static_cast<std::uint64_t>(layout.span_bytes());
  return layout.is_contiguous(run::ArrayOrder::kC) && lowest / kWord * kWord >= buffer.address() &&
         (end + kWord - 1) / kWord * kWord <= buffer.address() + buffer.n_bytes();
}

std::string_view UpdateCall::atomic_update(const UpdateLoop& loop) const {
  const bool has_casts = !loop.dtypes.front().equal(array_->dtype);
  if (has_casts || !has_whole_words(*array_)) return {};
  return declare::exact_update(loop.loop->kernel);
}

DeviceArray broadcast_values(const DeviceArray& values, const std::vector<std::int64_t>& shape) {
  auto layout = run::broadcast(values.layout(), shape);
  if (layout) return values.with_layout(std::move(*layout));
  throw base::Error(base::ErrorKind::kValue, "array is not broadcastable to correct shape");
}

// No place of a view is repeated.
void UpdateCall::update_view(const DeviceArray& view, nb::handle signature) {
  const nb::object target = nb::cast(view);
  nb::dict named;
  named["out"] = target;
  named["casting"] = "unsafe";
  if (!signature.is_none()) named["signature"] = signature;
  if (!values_) {
    ufunc_(target, **named);
    return;
  }
  const DeviceArray values =
      values_->device ? *values_->device : copy_to_new_array(stream_, values_->host, "values");
  broadcast_values(values, view.layout().shape);
  ufunc_(target, nb::cast(values), **named);
}

// Broadcast to the selection.
DeviceArray UpdateCall::values_on_device(const ArrayKey& key, const nb::object* dtype) const {
  DeviceArray values =
      values_->device ? *values_->device : copy_to_new_array(stream_, values_->host, "values");
  if (dtype != nullptr) values = as_type(values, *dtype, "unsafe", /*copies=*/false, stream_);
  if (values.memory.overlaps(array_->memory)) values = copy(values, stream_);
  return broadcast_values(values, key.selection.shape);
}

bool UpdateCall::update_atomically(const UpdateLoop& loop, const ArrayKey& key,
                                   const DeviceArray& values, std::string_view update) {
  const std::string type(base::info(loop.stored.front()).cpp_name);
  const ReleasedGil release;
  return run::update_atomically(stream_, key.selection, values.memory, std::string(update), type);
}

// The numbers of the selected places, in units from the array's lowest byte.
DeviceArray UpdateCall::find_places(const ArrayKey& key, std::int64_t unit) const {
  run::Selection selection = key.selection;
  run::ArrayLayout& layout = selection.array.layout;
  layout.offset = (layout.offset - array_->layout().lowest_byte()) / unit;
  for (std::int64_t& stride : layout.strides) stride /= unit;
  for (run::IndexArray& index : selection.indices) index.stride /= unit;
  const nb::object dtype = nb::steal(reinterpret_cast<PyObject*>(PyArray_DescrFromType(NPY_INT64)));
  DeviceArray places = make_device_array(
      stream_, run::make_layout(selection.shape, sizeof(npy_int64), run::ArrayOrder::kC), dtype,
      format("places of {}.at", state_.name));
  const bool is_inside = [&] {
    const ReleasedGil release;
    return run::find_places(stream_, selection, places.memory);
  }();
  if (!is_inside) raise_out_of_bounds(*array_, key);
  return places;
}

// The largest number of bytes that all elements of an array are apart.
std::int64_t common_unit(const run::ArrayLayout& layout) {
  std::int64_t all = layout.item_bytes;
  for (const std::int64_t stride : layout.strides) all |= stride;
  return std::int64_t{1} << std::countr_zero(static_cast<std::uint64_t>(all));
}

// Values as a contiguous row, or a single one.
DeviceArray row_of(const DeviceArray& values, const StreamPointer& stream) {
  const auto& strides = values.layout().strides;
  const bool is_one = std::ranges::all_of(strides, [](std::int64_t stride) { return stride == 0; });
  const bool is_row = values.layout().is_contiguous(run::ArrayOrder::kC);
  return is_one || is_row ? values : copy(values, stream);
}

void UpdateCall::update_in_order(const UpdateLoop& loop, const ArrayKey& key,
                                 const std::optional<DeviceArray>& values) {
  const run::ArrayLayout& layout = array_->layout();
  const std::int64_t unit = common_unit(layout);
  const DeviceArray places = find_places(key, unit);
  std::optional<DeviceArray> row;
  if (values) row = row_of(*values, stream_);
  const bool has_row = row && row->layout().is_contiguous(run::ArrayOrder::kC);
  std::optional<DeviceArray> order;
  if (key.selection.has_repeats) {
    const std::int64_t n = places.layout().size();
    order =
        make_device_array(stream_, run::make_layout({1, n}, sizeof(npy_int64), run::ArrayOrder::kC),
                          places.dtype, format("the order of {}.at", state_.name));
  }
  const auto kernels = state_.library->device_loop(array_->device(), *loop.loop, loop.stored);
  const npp::UpdatesArguments updates = {
      .array = array_->memory.buffer->address() + static_cast<std::uint64_t>(layout.lowest_byte()),
      .unit = static_cast<std::uint64_t>(unit),
      .places = places.memory.address(),
      .order = order ? order->memory.address() : 0,
      .values = row ? row->memory.address() : 0,
      .value_stride = has_row ? static_cast<std::uint64_t>(row->layout().item_bytes) : 0,
      .n = static_cast<std::uint64_t>(places.layout().size()),
      .step = 0,
      .first = 0,
      .padding = 0};
  const RaiseScope scope;
  const run::LaunchScope place(place_of_call(state_.name));
  std::optional<std::uint64_t> raised;
  {
    const ReleasedGil release;
    if (order) {
      run::DeviceMemory numbers = places.memory;
      numbers.layout = order->layout();
      run::argsort_numbers(stream_, numbers, layout.span_bytes() / unit, order->memory);
    }
    array_->memory.buffer->use_on(stream_);
    places.memory.buffer->use_on(stream_, run::Access::kRead);
    if (row) row->memory.buffer->use_on(stream_, run::Access::kRead);
    raised = kernels->update(stream_, updates);
  }
  if (raised) raise_of(*raised, key, scope.raised());
}

// The element of the selection with the given number in C order.
void UpdateCall::raise_of(std::uint64_t number, const ArrayKey& key,
                          const run::RaisedError& raised) const {
  const auto& shape = key.selection.shape;
  std::vector<std::int64_t> indices(shape.size());
  auto rest = static_cast<std::int64_t>(number);
  for (std::size_t i = shape.size(); i-- > 0; rest /= shape[i]) indices[i] = rest % shape[i];
  set_raised_exception(raised, state_.name, as_tuple(indices));
  throw nb::python_error();
}

void UpdateCall::update_places(const UpdateLoop& loop, const ArrayKey& key) {
  const std::string_view exact = atomic_update(loop);
  const bool is_exact = !exact.empty();
  std::optional<DeviceArray> values;
  const bool has_casts = is_exact || (values_ && base::is_time(loop.stored[1]));
  if (values_) values = values_on_device(key, has_casts ? &loop.dtypes[1] : nullptr);
  // Also checks the indices of a selection without elements.
  if (run::make_layout(key.selection.shape, 1, run::ArrayOrder::kC).size() == 0) {
    take(*array_, key, stream_);
  } else if (!is_exact) {
    update_in_order(loop, key, values);
  } else if (!update_atomically(loop, key, *values, exact)) {
    raise_out_of_bounds(*array_, key);
  }
}

void UpdateCall::run(nb::handle signature) {
  if (!has_arrays(key_)) {
    return update_view(array_->with_layout(indexed(array_->layout(), key_)), signature);
  }
  const UpdateLoop loop = resolve(signature);
  const ArrayKey key = parse_key(*array_, key_, stream_);
  if (!key.arrays.empty()) return update_places(loop, key);
  update_view(array_->with_layout(key.selection.array.layout), signature);
}

UpdateExplanation UpdateCall::explain() const {
  const ArrayKey key = has_arrays(key_) ? parse_key(*array_, key_, stream_) : ArrayKey();
  if (key.arrays.empty()) return {"view", "view: the key selects each place once, as a call does"};
  const UpdateLoop loop = resolve(nb::none());
  const std::string n =
      base::counted(run::make_layout(key.selection.shape, 1, run::ArrayOrder::kC).size(), "update");
  if (!atomic_update(loop).empty()) {
    return {"atomic", format("atomic: {}, whose results do not depend on their order", n)};
  }
  if (!key.selection.has_repeats) return {"places", "places: no place is repeated; " + n};
  return {"sorted",
          format("NumPy's order, because the results depend on it, or are no whole words of "
                 "integers: places are sorted, and a thread makes all updates of a place; {}",
                 n)};
}

}  // namespace

nb::object at_on_device(PyObject* ufunc, UfuncState& state, const GivenArguments& given) {
  const bool fits = given.n_positional == 2 || given.n_positional == 3;
  if (!fits || given.n_named() > 0) {
    raise_numpys_error(ufunc, "at", given, "its arguments are not the method's");
  }
  update_at(ufunc, state, {given.values, given.n_positional}, nb::none());
  return nb::none();
}

void update_at(nb::handle ufunc, UfuncState& state, std::span<PyObject* const> arguments,
               nb::handle signature) {
  UpdateCall call(ufunc, state, arguments);
  if (signature.is_none()) call.check_with_numpy();
  call.run(signature);
}

UpdateExplanation explain_at(nb::handle ufunc, UfuncState& state,
                             std::span<PyObject* const> arguments) {
  const UpdateCall call(ufunc, state, arguments);
  call.check_with_numpy();
  return call.explain();
}

}  // namespace numpy_plugin::ufunc
