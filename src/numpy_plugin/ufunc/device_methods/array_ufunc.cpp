#include "numpy_plugin/ufunc/device_methods/array_ufunc.hpp"

#include <string>
#include <utility>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/ufunc/api/hooks.hpp"
#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"
#include "numpy_plugin/ufunc/arguments/call_dispatch.hpp"
#include "numpy_plugin/ufunc/device_calls/device_call.hpp"
#include "numpy_plugin/ufunc/device_methods/at.hpp"
#include "numpy_plugin/ufunc/device_methods/device_method.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

nb::object call(nb::handle ufunc, UfuncState& state, const PythonArguments& arguments) {
  return call_on_device(ufunc.ptr(), state, read_call(ufunc.ptr(), state, arguments.given()));
}

// Converts operands as NumPy's outer does: numbers become arrays with their own dtype.
nb::object outer_operand(nb::handle operand) {
  if (is_on_device(operand)) return nb::borrow(operand);
  return checked(PyArray_FROM_O(operand.ptr()));
}

// Appends axes of size 1 to the operand.
nb::object with_trailing_axes(const nb::object& operand, std::size_t n_behind) {
  const DeviceArray* array = find_device_array(operand);
  if (array == nullptr) return operand;
  run::ArrayLayout layout = array->layout();
  for (std::size_t i = 0; i < n_behind; ++i) {
    layout = run::with_new_axis(std::move(layout), layout.shape.size());
  }
  return nb::cast(array->with_layout(std::move(layout)));
}

nb::object call_outer(nb::handle ufunc, UfuncState& state, const nb::args& inputs,
                      const nb::kwargs& named) {
  const nb::object second = outer_operand(inputs[1]);
  const auto n_axes = nb::cast<std::size_t>(second.attr("ndim"));
  const nb::object first = with_trailing_axes(outer_operand(inputs[0]), n_axes);
  return call(ufunc, state, PythonArguments(nb::make_tuple(first, second), named));
}

// Calls a ufunc of NumPy or of another package.
nb::object call_other_ufunc(nb::handle ufunc, const nb::str& method, const nb::args& inputs,
                            const nb::kwargs& named) {
  return hooks().call_ufunc(ufunc, method, inputs, named);
}

[[noreturn]] void refuse_method(const UfuncState& state, const std::string& method) {
  throw base::Error(base::ErrorKind::kType,
                    "'" + state.name + "." + method +
                        "' works on host arrays only; call copy_to_host() on the device arrays, "
                        "and numpy_plugin.cuda.to_device() on the result");
}

}  // namespace

nb::object array_ufunc(nb::handle, nb::handle ufunc, const nb::str& method, const nb::args& inputs,
                       const nb::kwargs& named) {
  // NumPy's protocol asks the other operand's type next, with the original ufunc.
  if (classify_operands(PythonArguments(inputs, named).given()).has_foreign_dispatch) {
    return not_implemented();
  }
  UfuncState* state = find_state(ufunc.ptr());
  if (state == nullptr) return call_other_ufunc(ufunc, method, inputs, named);
  const std::string name = method.c_str();
  if (name == "__call__") return call(ufunc, *state, PythonArguments(inputs, named));
  if (name == "outer" && inputs.size() == 2) return call_outer(ufunc, *state, inputs, named);
  if (const DeviceMethod* const found = find_device_method(name)) {
    return found->run(ufunc.ptr(), *state, PythonArguments(inputs, named).given());
  }
  if (name == "at") {
    const PythonArguments arguments(inputs, named);
    update_at(ufunc, *state, {arguments.given().values, arguments.given().n_positional},
              nb::none());
    return nb::none();
  }
  refuse_method(*state, name);
}

nb::object array_function(nb::handle, nb::handle function, nb::handle types, nb::handle args,
                          nb::handle named) {
  return hooks().call_function(function, types, args, named);
}

}  // namespace numpy_plugin::ufunc
