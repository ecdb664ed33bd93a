#include "numpy_plugin/ufunc/offload/offload.hpp"

#include <algorithm>
#include <forward_list>
#include <utility>
#include <vector>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/run/device/current_device.hpp"
#include "numpy_plugin/run/launch/launch_kernel.hpp"
#include "numpy_plugin/ufunc/device_methods/device_method.hpp"
#include "numpy_plugin/ufunc/loops/promotion.hpp"
#include "numpy_plugin/ufunc/loops/ufunc_loops.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

using DevicePointer = std::shared_ptr<run::Device>;

bool has_kernel_dtype(nb::handle array) {
  return dtype_of_descriptor(PyArray_DESCR(as_array(array))).has_value();
}

// Array subclasses wrap NumPy's results.
bool is_for_device(PyObject* value) {
  return !PyArray_Check(value) || (PyArray_CheckExact(value) && has_kernel_dtype(value));
}

// The arguments of a method with device arrays in the place of host arrays.
class MovedArguments {
 public:
  MovedArguments(const DevicePointer& device, const GivenArguments& given)
      : stream_(run::current_stream(device)), given_(given) {
    for (std::size_t i = 0; i < given.n_values(); ++i) {
      values_.push_back(moved(given.values[i], is_array(i)).ptr());
    }
  }

  // False for a list that became an array of objects.
  bool are_for_device() const {
    return std::ranges::all_of(moved_, [](const Moved& each) { return each.device.is_valid(); });
  }
  GivenArguments given() const { return {values_.data(), given_.n_positional, given_.names}; }
  // Of a device's result: the array given as `out` with its values, or a new one.
  nb::object to_host(const nb::object& result) const;
  // Writes the first argument's values.
  void update_first() const { write_back(*find(given_.values[0])); }

 private:
  struct Moved {
    nb::object host;
    nb::object device;
  };

  // Whether an argument is the method's array, which may be a list.
  bool is_array(std::size_t i) const {
    return i < given_.n_positional ? i == 0
                                   : is_name(given_.name(i - given_.n_positional), "array");
  }
  const Moved* find(PyObject* host) const;
  nb::object moved(nb::handle value, bool is_array);
  void write_back(const Moved& moved) const;

  std::shared_ptr<run::Stream> stream_;
  GivenArguments given_;
  std::vector<PyObject*> values_;
  std::forward_list<Moved> moved_;
};

const MovedArguments::Moved* MovedArguments::find(PyObject* host) const {
  const auto found =
      std::ranges::find_if(moved_, [&](const Moved& each) { return each.host.ptr() == host; });
  return found == moved_.end() ? nullptr : &*found;
}

// An array that is given twice is copied once.
nb::object MovedArguments::moved(nb::handle value, bool is_array) {
  const bool is_pair = PyTuple_CheckExact(value.ptr()) && PyTuple_GET_SIZE(value.ptr()) == 1 &&
                       PyArray_Check(PyTuple_GET_ITEM(value.ptr(), 0));
  if (is_pair && !is_array) value = PyTuple_GET_ITEM(value.ptr(), 0);
  if (!is_array && !PyArray_Check(value.ptr())) return nb::borrow(value);
  if (const Moved* const known = find(value.ptr())) return known->device;
  const nb::object host = checked(PyArray_FROM_OF(value.ptr(), NPY_ARRAY_NOTSWAPPED));
  moved_.push_front({nb::borrow(value), {}});
  if (has_kernel_dtype(host)) {
    moved_.front().device = nb::cast(copy_to_new_array(stream_, host, "a copy for a ufunc"));
  }
  return moved_.front().device;
}

void MovedArguments::write_back(const Moved& moved) const {
  if (PyArray_FailUnlessWriteable(as_array(moved.host), "output array") < 0) {
    throw nb::python_error();
  }
  copy_values(moved.host, copy_to_host(*find_device_array(moved.device), nb::none(), stream_));
}

nb::object MovedArguments::to_host(const nb::object& result) const {
  if (PyTuple_CheckExact(result.ptr())) {
    nb::list items;
    for (const nb::handle item : nb::borrow<nb::tuple>(result))
      items.append(to_host(nb::borrow(item)));
    return nb::tuple(items);
  }
  for (const Moved& each : moved_) {
    if (!each.device.is(result)) continue;
    write_back(each);
    return each.host;
  }
  nb::object host = copy_to_host(*find_device_array(result), nb::none(), stream_);
  return nb::steal(PyArray_Return(as_array(host.release())));
}

nb::object run_on(const DevicePointer& device, PyObject* ufunc, UfuncState& state,
                  std::string_view method, const GivenArguments& given) {
  const run::CurrentContext context(*device);
  const MovedArguments moved(device, given);
  if (!moved.are_for_device()) return {};
  const nb::object result = find_device_method(method)->run(ufunc, state, moved.given());
  if (!result.is_none()) return moved.to_host(result);
  moved.update_first();
  return result;
}

}  // namespace

nb::object try_host_method_on_device(PyObject* ufunc, UfuncState& state, std::string_view method,
                                     const GivenArguments& given) {
  const declare::Declaration& declaration = state.library->declaration();
  const bool is_for_target =
      declaration.call_target == declare::CallTarget::kCuda && !declaration.layout;
  if (!is_for_target || TypesOnly::is_active() || given.n_values() == 0) return {};
  if (method == "at" && !PyArray_Check(given.values[0])) return {};  // NumPy refuses it
  if (!std::all_of(given.values, given.values + given.n_values(), is_for_device)) return {};
  const DevicePointer device = run::find_current_device();
  if (device == nullptr) {
    warn_without_device();
    return {};
  }
  // The host's results are complete when the call returns.
  const run::ErrorModeScope immediate(run::ErrorMode::kImmediate);
  try {
    return run_on(device, ufunc, state, method, given);
  } catch (const base::Error& error) {
    const bool is_for_numpy =
        error.kind() == base::ErrorKind::kDeviceMemory && !has_missing_loop(*state.library);
    if (!is_for_numpy) throw;
    return {};
  }
}

}  // namespace numpy_plugin::ufunc
