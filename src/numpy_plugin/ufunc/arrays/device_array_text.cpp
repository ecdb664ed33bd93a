// The repr of a device array: NumPy prints a small array with the ends of each long axis, and
// abbreviates what is between them as usual.
#include <algorithm>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/ufunc/arrays/device_array.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

using run::ArrayLayout;

constexpr std::int64_t kMaxWholeElements = 100;
constexpr std::int64_t kEdge = 3;
constexpr std::size_t kMaxAxes = 4;  // each doubles the copies

nb::object to_host(const DeviceArray& array) {
  return copy_to_host(array, nb::none(), run::current_stream(array.device()));
}

// An array with the first and last kEdge elements of each long axis, and one between them that is
// never shown.
nb::object ends(const DeviceArray& array, std::size_t axis) {
  if (axis == array.layout().shape.size()) return to_host(array);
  const std::int64_t n = array.layout().shape[axis];
  if (n <= 2 * kEdge + 1) return ends(array, axis + 1);
  nb::list parts;
  parts.append(
      ends(array.with_layout(run::sliced(array.layout(), axis, 0, 1, kEdge + 1)), axis + 1));
  parts.append(
      ends(array.with_layout(run::sliced(array.layout(), axis, n - kEdge, 1, kEdge)), axis + 1));
  return nb::module_::import_("numpy").attr("concatenate")(parts, "axis"_a = axis);
}

std::string values_text(const DeviceArray& array) {
  const bool is_whole = array.layout().size() <= kMaxWholeElements;
  if (!is_whole && array.layout().shape.size() > kMaxAxes) return "...";
  const nb::object values = is_whole ? to_host(array) : ends(array, 0);
  const nb::object text = nb::module_::import_("numpy").attr("array2string")(
      values, "separator"_a = ", ", "prefix"_a = "DeviceArray(", "edgeitems"_a = kEdge,
      "threshold"_a = is_whole ? kMaxWholeElements : 0);
  return nb::str(text).c_str();
}

}  // namespace

std::string array_text(const DeviceArray& array) {
  std::string values;
  try {
    values = values_text(array);
  } catch (const base::Error&) {
    values = "<values can't be read>";  // a lost device; the next call reports it
  }
  return format("DeviceArray({}, shape={}, dtype={}, device='{}')", values,
                nb::str(as_tuple(array.layout().shape)).c_str(), nb::str(array.dtype).c_str(),
                array.device()->info().name);
}

}  // namespace numpy_plugin::ufunc
