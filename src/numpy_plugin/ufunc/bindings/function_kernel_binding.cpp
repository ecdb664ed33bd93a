// Bindings: device kernels written in Python, and their types derived from arguments.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/run/library/function_kernel.hpp"
#include "numpy_plugin/ufunc/api/python_error.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"
#include "numpy_plugin/ufunc/api/string_caster.hpp"
#include "numpy_plugin/ufunc/bindings/bindings.hpp"
#include "numpy_plugin/ufunc/bindings/kernel_arguments.hpp"
#include "numpy_plugin/ufunc/loops/syntax_reader.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

using run::FunctionKernel;
using run::RawKernel;

std::shared_ptr<FunctionKernel> make_function_kernel(const nb::tuple& syntax,
                                                     const std::vector<std::string>& options) {
  return std::make_shared<FunctionKernel>(read_function_syntax(syntax), options);
}

std::shared_ptr<RawKernel> typed_for(FunctionKernel& kernel,
                                     const std::vector<declare::OperandType>& parameters) {
  std::shared_ptr<RawKernel> typed;
  {
    const ReleasedGil release;
    typed = kernel.typed_for(parameters);
  }
  issue_warnings(kernel.take_warnings());
  return typed;
}

std::shared_ptr<RawKernel> for_signature(FunctionKernel& kernel, const std::string& signature) {
  return typed_for(kernel, declare::parse_device_kernel_signature(signature));
}

void check_count(const FunctionKernel& kernel, std::size_t n_arguments) {
  const std::size_t n_parameters = kernel.n_parameters();
  if (n_arguments == n_parameters) return;
  throw base::Error(base::ErrorKind::kType, "'" + kernel.name() + "' takes " +
                                                base::counted(n_parameters, "argument") +
                                                ", found " + std::to_string(n_arguments));
}

std::shared_ptr<RawKernel> for_arguments(FunctionKernel& kernel, const nb::tuple& arguments) {
  check_count(kernel, arguments.size());
  return typed_for(kernel, types_of_arguments(kernel.name(), arguments));
}

}  // namespace

void bind_function_kernels(nb::module_& module) {
  nb::class_<FunctionKernel>(module, "FunctionKernel", "A device kernel written in Python.")
      .def("for_signature", &for_signature, "signature"_a,
           "The kernel for the types of a signature's text.")
      .def("for_arguments", &for_arguments, "arguments"_a,
           nb::sig("def for_arguments(self, arguments: tuple[object, ...]) -> RawKernel"),
           "The kernel for the types that these arguments have.");
  module.def("make_function_kernel", &make_function_kernel, "syntax"_a, "options"_a,
             nb::sig("def make_function_kernel(syntax: tuple[object, ...], "
                     "options: Sequence[str]) -> FunctionKernel"),
             "A kernel from a function's syntax, still without types.");
}

}  // namespace numpy_plugin::ufunc
