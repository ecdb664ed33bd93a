// Bindings: one elementwise call of a ufunc on this thread's device.
#include <string>
#include <vector>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/run/device_call.hpp"
#include "numpy_plugin/ufunc/bindings.hpp"
#include "numpy_plugin/ufunc/device_array.hpp"
#include "numpy_plugin/ufunc/ufunc_state.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

// Inputs as the loop takes them, contiguous and of its types, and new outputs of their common
// shape.
std::vector<nb::object> make_operands(const run::Loop& loop, const nb::args& given) {
  std::vector<nb::object> arrays;
  nb::object shape_of;  // the first input that is no scalar
  for (std::size_t i = 0; i < given.size(); ++i) {
    const int number = numpy_type_number(loop.kernel.signature.inputs[i].dtype);
    arrays.push_back(checked(PyArray_FROMANY(given[i].ptr(), number, 0, 0, NPY_ARRAY_CARRAY_RO)));
    if (!shape_of.is_valid() && PyArray_NDIM(as_array(arrays.back())) > 0) shape_of = arrays.back();
  }
  if (!shape_of.is_valid()) shape_of = arrays.front();
  for (const auto& output : loop.kernel.signature.outputs) {
    arrays.push_back(checked(PyArray_SimpleNew(PyArray_NDIM(as_array(shape_of)),
                                               PyArray_DIMS(as_array(shape_of)),
                                               numpy_type_number(output.dtype))));
  }
  return arrays;
}

std::vector<run::HostOperand> host_operands(const std::vector<nb::object>& arrays,
                                            std::size_t n_inputs, npy_intp size) {
  std::vector<run::HostOperand> operands;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    PyArrayObject* array = as_array(arrays[i]);
    const bool is_scalar = i < n_inputs && PyArray_NDIM(array) == 0;
    if (!is_scalar && PyArray_SIZE(array) != size) {
      throw base::Error(base::ErrorKind::kValue, "operand " + std::to_string(i + 1) + " has " +
                                                     std::to_string(PyArray_SIZE(array)) +
                                                     " elements, expected 1 or " +
                                                     std::to_string(size));
    }
    operands.push_back({PyArray_DATA(array), static_cast<std::size_t>(PyArray_ITEMSIZE(array)),
                        i >= n_inputs, is_scalar});
  }
  return operands;
}

// The first declared loop whose input types are the arrays' own.
const run::Loop& loop_of(const UfuncState& state, const nb::args& given) {
  for (const run::Loop* loop : state.library->loops()) {
    const auto& inputs = loop->kernel.signature.inputs;
    bool fits = inputs.size() == given.size();
    for (std::size_t i = 0; i < inputs.size() && fits; ++i) {
      fits = !PyArray_CheckExact(given[i].ptr()) ||
             dtype_of_number(PyArray_TYPE(as_array(nb::borrow(given[i])))) == inputs[i].dtype;
    }
    if (fits) return *loop;
  }
  throw base::Error(base::ErrorKind::kType,
                    "'" + state.name + "' has no kernel for these operands on the device");
}

nb::object run_on_device(nb::handle ufunc, const nb::args& given) {
  const UfuncState& state = state_of(ufunc);
  const run::Loop& loop = loop_of(state, given);
  const std::vector<nb::object> arrays = make_operands(loop, given);
  const npy_intp size = PyArray_SIZE(as_array(arrays.back()));
  const std::vector<run::HostOperand> operands = host_operands(arrays, given.size(), size);
  {
    const nb::gil_scoped_release release;
    run::call_on_device(*state.library, loop, size, operands);
  }
  return arrays[given.size()];
}

}  // namespace

void bind_device_calls(nb::module_& module) {
  module.def(
      "run_on_device", &run_on_device, "ufunc"_a, "operands"_a,
      nb::sig("def run_on_device(ufunc: object, *operands: object) -> numpy.ndarray"),
      "One elementwise call on the current device: host arrays there, the first result back.");
}

}  // namespace numpy_plugin::ufunc
