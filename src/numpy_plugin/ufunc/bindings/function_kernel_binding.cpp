// Bindings: device kernels written in Python, and their types derived from arguments; the parameter
// lists of CuPy and PyCUDA, and operations over whole arrays.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <tuple>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/cpp_body/indexed_body.hpp"
#include "numpy_plugin/run/library/function_kernel.hpp"
#include "numpy_plugin/run/library/kernel_library.hpp"
#include "numpy_plugin/signature/operand_pattern.hpp"
#include "numpy_plugin/ufunc/api/python_error.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"
#include "numpy_plugin/ufunc/api/string_caster.hpp"
#include "numpy_plugin/ufunc/bindings/bindings.hpp"
#include "numpy_plugin/ufunc/bindings/kernel_arguments.hpp"
#include "numpy_plugin/ufunc/object/make_ufunc.hpp"

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
  throw base::Error(base::ErrorKind::kType,
                    format("'{}' takes {}, found {}", kernel.name(),
                           base::counted(n_parameters, "argument"), n_arguments));
}

std::shared_ptr<RawKernel> for_arguments(FunctionKernel& kernel, const nb::tuple& arguments) {
  check_count(kernel, n_items(arguments));
  return typed_for(kernel, types_of_arguments(kernel.name(), arguments));
}

using base::DType;
using declare::IndexedOperation;
using declare::IndexedRole;

DType dtype_named(const std::string& name) {
  const auto dtype = base::find_dtype(std::string_view(name));
  NPP_ASSERT(dtype.has_value(), name);
  return *dtype;
}

IndexedRole role_named(const std::string& name) {
  if (name == "scalar") return IndexedRole::kScalar;
  if (name == "element") return IndexedRole::kElement;
  if (name == "output") return IndexedRole::kOutput;
  if (name == "raw") return IndexedRole::kRaw;
  NPP_ASSERT(name == "pointer", name);
  return IndexedRole::kPointer;
}

// Name, dtype, number of dimensions, role, whether it is written.
using OperandRow = std::tuple<std::string, std::string, int, std::string, bool>;

void set_operands(IndexedOperation& operation, const std::vector<OperandRow>& rows) {
  operation.operands.clear();
  for (const auto& [name, dtype, n_dimensions, role, is_writable] : rows) {
    operation.operands.push_back(
        {name, dtype_named(dtype), n_dimensions, role_named(role), is_writable});
  }
}

nb::object host_kernel(const IndexedOperation& operation) {
  std::shared_ptr<run::KernelLibrary> library;
  {
    const ReleasedGil release;
    library = std::make_shared<run::KernelLibrary>(
        declare::make_declaration(run::host_declaration(operation)));
  }
  return make_ufunc(library, nb::none(), operation.name);
}

std::shared_ptr<run::RawKernel> device_kernel(const IndexedOperation& operation,
                                              const std::vector<std::string>& options) {
  const ReleasedGil release;
  return run::device_kernel(operation, options);
}

// Name, type, whether it is a placeholder, whether the kernel indexes it, whether it has a '*',
// whether it is const.
using ParameterRow = std::tuple<std::string, std::string, bool, bool, bool, bool>;

std::vector<ParameterRow> parse_parameters(const std::string& argument, const std::string& text) {
  std::vector<ParameterRow> rows;
  for (const auto& parameter : declare::parse_parameter_list({argument, text})) {
    rows.emplace_back(parameter.name, parameter.type, parameter.is_placeholder, parameter.is_raw,
                      parameter.is_pointer, parameter.is_const);
  }
  return rows;
}

// Name and type of each operand; what a call gives: a dtype of an array, or one of a Python number.
std::vector<std::string> resolve_parameters(
    const std::string& kernel, const std::vector<std::pair<std::string, std::string>>& operands,
    std::size_t n_inputs, const std::vector<std::pair<std::string, std::string>>& given) {
  declare::PatternedOperands patterned{kernel, {}, {}, n_inputs};
  for (const auto& [name, type] : operands) {
    patterned.names.push_back(name);
    patterned.patterns.push_back(declare::OperandPattern::parse(type));
  }
  std::vector<declare::GivenType> types(given.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!given[i].first.empty()) types[i].dtype = dtype_named(given[i].first);
    if (!given[i].second.empty()) types[i].number = dtype_named(given[i].second);
  }
  std::vector<std::string> names;
  for (const DType dtype : declare::resolve_pattern(patterned, types)) {
    names.emplace_back(base::name(dtype));
  }
  return names;
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

void bind_indexed_kernels(nb::module_& module) {
  nb::class_<IndexedOperation>(module, "IndexedOperation",
                               "An operation that runs once for each index over whole arrays.")
      .def(nb::init<>())
      .def_rw("name", &IndexedOperation::name)
      .def_rw("preamble", &IndexedOperation::preamble)
      .def_rw("text", &IndexedOperation::text)
      .def_rw("before_loop", &IndexedOperation::before_loop)
      .def_rw("after_loop", &IndexedOperation::after_loop)
      .def_rw("before_element", &IndexedOperation::before_element)
      .def_rw("n_dimensions", &IndexedOperation::n_dimensions, "of the index")
      .def(
          "set_aliases",
          [](IndexedOperation& operation,
             const std::vector<std::pair<std::string, std::string>>& aliases) {
            operation.aliases = declare::make_aliases(aliases);
          },
          "aliases"_a, "Set names of types, and the dtypes' names.")
      .def("set_operands", &set_operands, "operands"_a,
           "Set name, dtype, number of dimensions, role, and whether it is written, of each.")
      .def("host_kernel", &host_kernel, nb::sig("def host_kernel(self) -> numpy.ufunc"),
           "A generalized ufunc of the operands and the sizes of the index.")
      .def("device_kernel", &device_kernel, "options"_a,
           "A kernel with the operands and the sizes of the index as parameters.");
  module.def(
      "parse_parameters", &parse_parameters, "argument"_a, "text"_a,
      "The parameters that a text lists: name, type, is a placeholder, raw, a pointer, const.");
  module.def("uses_index", &declare::uses_index, "text"_a, "parameters"_a,
             "Whether a text names the index of an element, not a parameter.");
  module.def("kept_output", &declare::kept_output, "text"_a, "outputs"_a,
             "The first output that may keep its earlier value, or an empty str.");
  module.def("resolve_parameters", &resolve_parameters, "kernel"_a, "operands"_a, "n_inputs"_a,
             "given"_a, "The dtypes of named operands for what a call gives.");
}

}  // namespace numpy_plugin::ufunc
