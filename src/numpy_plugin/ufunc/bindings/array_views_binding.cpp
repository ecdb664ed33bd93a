// Bindings: views of DeviceArray, and its selection by keys.
#include <algorithm>
#include <numeric>
#include <utility>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/ufunc/api/hooks.hpp"
#include "numpy_plugin/ufunc/bindings/bindings.hpp"
#include "numpy_plugin/ufunc/selection/select.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

std::vector<std::int64_t> reversed_axes(std::size_t n_axes) {
  std::vector<std::int64_t> order(n_axes);
  std::iota(order.rbegin(), order.rend(), std::int64_t{0});
  return order;
}

// A permutation of the axes, from no arguments (reversed), several numbers or one sequence.
std::vector<std::int64_t> axes_argument(const nb::args& axes, std::size_t n_axes) {
  const bool is_reversed = axes.size() == 0 || (axes.size() == 1 && axes[0].is_none());
  if (is_reversed) return reversed_axes(n_axes);
  const bool is_sequence = axes.size() == 1 && PySequence_Check(axes[0].ptr()) != 0;
  std::vector<std::int64_t> order =
      shape_argument(is_sequence ? nb::handle(axes[0]) : nb::handle(axes));
  std::vector<bool> is_seen(n_axes, false);
  bool fits = order.size() == n_axes;
  for (std::int64_t& axis : order) {
    if (axis < 0) axis += static_cast<std::int64_t>(n_axes);
    fits = fits && axis >= 0 && axis < static_cast<std::int64_t>(n_axes) &&
           !is_seen[static_cast<std::size_t>(axis)];
    if (fits) is_seen[static_cast<std::size_t>(axis)] = true;
  }
  if (fits) return order;
  throw base::Error(base::ErrorKind::kValue,
                    format("a transposition must name each of {} axes once, found {}", n_axes,
                           nb::str(axes).c_str()));
}

// A shape with at most one -1, which is computed from the rest.
std::vector<std::int64_t> complete_shape(std::vector<std::int64_t> shape, std::int64_t size) {
  std::int64_t known = 1;
  for (const std::int64_t n : shape) known *= n == -1 ? 1 : n;
  const auto unknown = std::find(shape.begin(), shape.end(), -1);
  const bool is_divisible = known > 0 && size % known == 0;
  if (unknown != shape.end() && is_divisible) *unknown = size / known;
  known = 1;
  for (const std::int64_t n : shape) known *= n;
  const bool is_positive =
      std::all_of(shape.begin(), shape.end(), [](std::int64_t n) { return n >= 0; });
  if (is_positive && known == size) return shape;
  throw base::Error(base::ErrorKind::kValue,
                    format("an array of {} elements can't have the shape {}", size,
                           nb::str(as_tuple(shape)).c_str()));
}

DeviceArray reshape_to(const DeviceArray& array, const std::vector<std::int64_t>& shape) {
  if (auto layout = run::reshaped(array.layout(), shape)) return array.with_layout(*layout);
  const DeviceArray whole = copy(array, run::current_stream(array.device()));
  return whole.with_layout(*run::reshaped(whole.layout(), shape));
}

DeviceArray reshape(const DeviceArray& array, const nb::args& shape) {
  const bool is_sequence = shape.size() == 1 && PySequence_Check(shape[0].ptr()) != 0;
  const auto wanted = shape_argument(is_sequence ? nb::handle(shape[0]) : nb::handle(shape));
  return reshape_to(array, complete_shape(wanted, array.layout().size()));
}

std::int64_t length(const DeviceArray& array) {
  if (!array.layout().shape.empty()) return array.layout().shape.front();
  throw base::Error(base::ErrorKind::kType, "an array without axes has no length");
}

DeviceArray matrix_transpose(const DeviceArray& array) {
  const std::size_t n_axes = array.layout().shape.size();
  if (n_axes < 2) {
    throw base::Error(base::ErrorKind::kValue, "matrix transpose with ndim < 2 is undefined");
  }
  std::vector<std::int64_t> order(n_axes);
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::swap(order[n_axes - 2], order[n_axes - 1]);
  return array.with_layout(run::transposed(array.layout(), order));
}

nb::object part_of(nb::handle self, const char* part) {
  return hooks().call_method(part, self, nb::tuple(), nb::dict());
}

void bind_view_properties(nb::class_<DeviceArray>& type) {
  type.def_prop_ro(
          "T",
          [](const DeviceArray& array) {
            const std::size_t n_axes = array.layout().shape.size();
            return array.with_layout(run::transposed(array.layout(), reversed_axes(n_axes)));
          },
          "a view with the axes reversed")
      .def_prop_ro(
          "mT", [](const DeviceArray& array) { return matrix_transpose(array); },
          "a view with the last two axes interchanged")
      .def_prop_ro(
          "real", [](nb::handle self) { return part_of(self, "real"); },
          nb::sig("def real(self) -> DeviceArray"),
          "a view of the real parts; the array itself if it is real")
      .def_prop_ro(
          "imag", [](nb::handle self) { return part_of(self, "imag"); },
          nb::sig("def imag(self) -> DeviceArray"),
          "a view of the imaginary parts; zeros if the array is real");
}

void bind_view_methods(nb::class_<DeviceArray>& type) {
  type.def(
          "transpose",
          [](const DeviceArray& array, const nb::args& axes) {
            return array.with_layout(
                run::transposed(array.layout(), axes_argument(axes, array.layout().shape.size())));
          },
          "axes"_a,
          nb::sig("def transpose(self, *axes: int | collections.abc.Sequence[int] | None) "
                  "-> DeviceArray"),
          "Return a view with permuted axes; reversed by default.")
      .def("reshape", &reshape, "shape"_a,
           nb::sig("def reshape(self, *shape: int | collections.abc.Sequence[int]) -> DeviceArray"),
           "Return the elements in C order with another shape: a view if possible, otherwise a "
           "copy.")
      .def("ravel", &flattened,
           "Return the elements in C order along one axis: a view if possible, otherwise a copy.")
      .def(
          "__getitem__",
          [](const DeviceArray& array, const nb::object& key) { return get_item(array, key); },
          "key"_a.none(),
          "Return a view for integers, slices, None, `...` and names of fields, and a copy for "
          "keys "
          "with integer arrays or masks.")
      .def(
          "__setitem__",
          [](const DeviceArray& array, const nb::object& key, const nb::object& value) {
            set_item(array, key, value);
          },
          "key"_a.none(), "value"_a)
      .def("__len__", &length);
}

}  // namespace

DeviceArray flattened(const DeviceArray& array) {
  return reshape_to(array, {array.layout().size()});
}

void bind_array_views(nb::class_<DeviceArray>& type) {
  bind_view_properties(type);
  bind_view_methods(type);
}

}  // namespace numpy_plugin::ufunc
