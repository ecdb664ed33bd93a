#include "numpy_plugin/ufunc/device_methods/device_method.hpp"

#include <utility>

#include "numpy_plugin/ufunc/api/stream_argument.hpp"
#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"
#include "numpy_plugin/ufunc/arrays/foreign_array.hpp"
#include "numpy_plugin/ufunc/device_calls/device_call.hpp"
#include "numpy_plugin/ufunc/device_methods/method_call.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

// Converts operands as NumPy's outer does: numbers become arrays with their own dtype. An array of
// another library becomes a view of this package for the call.
nb::object outer_operand(nb::handle operand, const std::shared_ptr<run::Stream>& stream) {
  if (find_device_array(operand) != nullptr) return nb::borrow(operand);
  if (!is_on_device(operand)) return checked(PyArray_FROM_O(operand.ptr()));
  return nb::cast(*foreign_device_array(operand, stream));
}

std::size_t n_axes_of(const nb::object& operand) {
  const DeviceArray* const array = find_device_array(operand);
  return array != nullptr ? array->layout().shape.size()
                          : static_cast<std::size_t>(PyArray_NDIM(as_array(operand)));
}

// Appends axes of size 1 to an operand with axes.
nb::object with_trailing_axes(const nb::object& operand, std::size_t n_behind) {
  if (n_axes_of(operand) == 0) return operand;
  const DeviceArray* const array = find_device_array(operand);
  if (array == nullptr) {
    nb::list key;
    key.append(nb::ellipsis());
    for (std::size_t i = 0; i < n_behind; ++i) key.append(nb::none());
    return nb::object(operand[nb::tuple(key)]);
  }
  run::ArrayLayout layout = array->layout();
  for (std::size_t i = 0; i < n_behind; ++i) {
    const std::size_t last = layout.shape.size();  // before the layout moves
    layout = run::with_new_axis(std::move(layout), last);
  }
  return nb::cast(array->with_layout(std::move(layout)));
}

}  // namespace

nb::object outer_on_device(PyObject* ufunc, UfuncState& state, const GivenArguments& given) {
  const declare::Declaration& declaration = state.library->declaration();
  if (given.n_positional != 2 || declaration.n_inputs != 2 || declaration.layout) {
    raise_numpys_error(ufunc, "outer", given, "it is not of two operands");
  }
  const nb::handle named = classify_operands(given).stream;
  const auto stream = named.is_valid() ? named_stream(named) : nullptr;
  const nb::object second = outer_operand(given.values[1], stream);
  const nb::object first =
      with_trailing_axes(outer_operand(given.values[0], stream), n_axes_of(second));
  std::vector<PyObject*> values(given.values, given.values + given.n_values());
  values[0] = first.ptr();
  values[1] = second.ptr();
  CallArguments call = read_call(ufunc, state, {values.data(), given.n_positional, given.names});
  if (is_on_device(given.values[0])) {
    call.library = given.values[0];
  } else if (is_on_device(given.values[1])) {
    call.library = given.values[1];
  }
  return call_on_device(ufunc, state, call);
}

}  // namespace numpy_plugin::ufunc
