// Bindings: what the functions of numpy_plugin.cuda that select, sort and count are made of.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/ufunc/arrays/foreign_array.hpp"
#include "numpy_plugin/ufunc/bindings/bindings.hpp"
#include "numpy_plugin/ufunc/device_methods/device_method.hpp"
#include "numpy_plugin/ufunc/selection/select.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

// An operand of one call: a device array, or the memory of another library's for the call.
DeviceArray borrow_array(nb::handle array) {
  DeviceArray* own = nullptr;
  if (nb::try_cast(array, own) && own != nullptr) return *own;
  if (may_be_foreign_device_array(array)) {
    if (auto found = foreign_device_array(array, nullptr)) return std::move(*found);
  }
  throw base::Error(
      base::ErrorKind::kType,
      format("expected a device array, found {}; copy it with numpy_plugin.cuda.to_device()",
             type_name_of(array)));
}

}  // namespace

void bind_selection(nb::module_& module) {
  module.def("borrow_array", &borrow_array, "array"_a.none(),
             nb::sig("def borrow_array(array: object) -> DeviceArray"),
             "Return an operand of one call: a device array, or another library's memory.");
  module.def(
      "nonzero",
      [](const DeviceArray& array) {
        return find_nonzero(array, run::current_stream(array.device()));
      },
      "array"_a, "Return the coordinates of the elements that are not zero.");
  module.def(
      "update_at",
      [](nb::handle ufunc, const nb::tuple& arguments, nb::handle signature) {
        const PythonArguments given(arguments, nb::dict());
        update_at(ufunc, state_of(ufunc), {given.given().values, given.given().n_positional},
                  signature);
      },
      "ufunc"_a, "arguments"_a, "signature"_a.none(),
      nb::sig("def update_at(ufunc: numpy.ufunc, arguments: tuple[object, ...], signature: object) "
              "-> None"),
      "The ufunc's `at`, with the dtypes of its loop or None.");
  module.def("argsort_rows", &argsort_rows, "values"_a);
  module.def("sort_rows", &sort_rows, "values"_a);
  module.def("take_in_rows", &take_in_rows, "values"_a, "positions"_a);
  module.def("search_sorted", &search_sorted, "sorted"_a, "keys"_a, "is_right"_a);
  module.def("find_run_heads", &find_run_heads, "sorted"_a, "is_nan_equal"_a);
  module.def("number_runs", &number_runs, "starts"_a, "positions"_a);
  module.def("find_limits", &find_limits, "values"_a);
  module.def("count_bins", &count_bins, "values"_a, "n_bins"_a);
}

}  // namespace numpy_plugin::ufunc
