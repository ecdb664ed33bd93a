#include "numpy_plugin/ufunc/device_methods/array_ufunc.hpp"

#include <string>

#include "numpy_plugin/ufunc/api/hooks.hpp"
#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"
#include "numpy_plugin/ufunc/device_calls/device_call.hpp"
#include "numpy_plugin/ufunc/device_methods/device_method.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

nb::object call(nb::handle ufunc, UfuncState& state, const PythonArguments& arguments) {
  return call_on_device(ufunc.ptr(), state, read_call(ufunc.ptr(), state, arguments.given()));
}

// Calls a ufunc of NumPy or of another package.
nb::object call_other_ufunc(nb::handle ufunc, const nb::str& method, const nb::args& inputs,
                            const nb::kwargs& named) {
  return hooks().call_ufunc(ufunc, method, inputs, named);
}

}  // namespace

nb::object array_ufunc(nb::handle, nb::handle ufunc, const nb::str& method, const nb::args& inputs,
                       const nb::kwargs& named) {
  // NumPy's protocol asks the other operand's type next, with the original ufunc.
  if (classify_operands(PythonArguments(inputs, named).given()).has_foreign_dispatch()) {
    return not_implemented();
  }
  UfuncState* state = find_state(ufunc.ptr());
  if (state == nullptr) return call_other_ufunc(ufunc, method, inputs, named);
  const PythonArguments arguments(inputs, named);
  const std::string name = method.c_str();
  if (name == "__call__") return call(ufunc, *state, arguments);
  const DeviceMethod* const found = find_device_method(name);
  if (found == nullptr) return not_implemented();
  return found->run(ufunc.ptr(), *state, arguments.given());
}

nb::object array_function(nb::handle, nb::handle function, nb::handle types, nb::handle args,
                          nb::handle named) {
  return hooks().call_function(function, types, args, named);
}

}  // namespace numpy_plugin::ufunc
