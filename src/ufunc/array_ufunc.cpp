#include "numpy_plugin/ufunc/array_ufunc.hpp"

#include <string>
#include <utility>
#include <vector>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/ufunc/call_arguments.hpp"
#include "numpy_plugin/ufunc/call_dispatch.hpp"
#include "numpy_plugin/ufunc/device_call.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

nb::object not_implemented() { return nb::borrow(Py_NotImplemented); }

// Positional and named arguments as Python's calls carry them.
class Arguments {
 public:
  Arguments(const nb::tuple& positional, const nb::kwargs& named)
      : n_positional_(positional.size()) {
    for (const nb::handle value : positional) values_.push_back(value.ptr());
    nb::list names;
    for (const auto& [name, value] : named) {
      names.append(name);
      values_.push_back(value.ptr());
    }
    names_ = nb::tuple(names);
  }
  GivenArguments given() const { return {values_.data(), n_positional_, names_.ptr()}; }

 private:
  std::vector<PyObject*> values_;
  std::size_t n_positional_;
  nb::object names_;
};

nb::object call(nb::handle ufunc, UfuncState& state, const Arguments& arguments) {
  if (look_at(arguments.given()).has_foreign_dispatch) return not_implemented();
  return call_on_device(ufunc.ptr(), state, read_call(ufunc.ptr(), state, arguments.given()));
}

std::size_t n_axes(nb::handle operand) {
  if (const DeviceArray* array = find_device_array(operand)) return array->layout().shape.size();
  return static_cast<std::size_t>(PyArray_NDIM(as_array(checked(PyArray_FROM_O(operand.ptr())))));
}

// The operand with as many axes of one element behind its own.
nb::object with_axes_behind(nb::handle operand, std::size_t n_behind) {
  const DeviceArray* array = find_device_array(operand);
  if (array == nullptr || n_behind == 0) return nb::borrow(operand);
  run::ArrayLayout layout = array->layout();
  for (std::size_t i = 0; i < n_behind; ++i) {
    layout = run::with_new_axis(std::move(layout), layout.shape.size());
  }
  return nb::cast(array->with_layout(std::move(layout)));
}

nb::object call_outer(nb::handle ufunc, UfuncState& state, const nb::args& inputs,
                      const nb::kwargs& named) {
  const nb::object first = with_axes_behind(inputs[0], n_axes(inputs[1]));
  return call(ufunc, state, Arguments(nb::make_tuple(first, inputs[1]), named));
}

// Of a ufunc that is not ours.
nb::object call_other_ufunc(nb::handle, const nb::str&, const nb::args&, const nb::kwargs&) {
  return not_implemented();
}

[[noreturn]] void refuse_method(const UfuncState& state, const std::string& method) {
  throw base::Error(base::ErrorKind::kType,
                    "'" + state.name + "." + method +
                        "' works on arrays of the host only; call copy_to_host() on the device's, "
                        "and numpy_plugin.cuda.to_device() on the result");
}

}  // namespace

nb::object array_ufunc(nb::handle, nb::handle ufunc, const nb::str& method, const nb::args& inputs,
                       const nb::kwargs& named) {
  UfuncState* state = find_state(ufunc.ptr());
  if (state == nullptr) return call_other_ufunc(ufunc, method, inputs, named);
  const std::string name = method.c_str();
  if (name == "__call__") return call(ufunc, *state, Arguments(inputs, named));
  if (name == "outer" && inputs.size() == 2) return call_outer(ufunc, *state, inputs, named);
  refuse_method(*state, name);
}

}  // namespace numpy_plugin::ufunc
