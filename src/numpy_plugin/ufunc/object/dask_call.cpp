#include "numpy_plugin/ufunc/object/call_hook.hpp"

#include <vector>

namespace numpy_plugin::ufunc {

namespace nb = nanobind;

nb::object try_dask_call(const LazyFunction& hook, nb::handle ufunc, const GivenArguments& given) {
  std::vector<PyObject*> values = {ufunc.ptr()};
  values.insert(values.end(), given.values, given.values + given.n_values());
  nb::object result = checked(
      PyObject_Vectorcall(hook.get().ptr(), values.data(), given.n_positional + 1, given.names));
  return result.is(nb::handle(Py_NotImplemented)) ? nb::object() : result;
}

}  // namespace numpy_plugin::ufunc
