// The struct of a kernel: members used by the loop templates, device functions, `call`.
#include "numpy_plugin/emit/printing/kernel_struct.hpp"

#include "numpy_plugin/analysis/generalized_kernel.hpp"
#include "numpy_plugin/analysis/tree.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/emit/printing/cpp_text.hpp"
#include "numpy_plugin/emit/printing/statement.hpp"
#include "numpy_plugin/emit/printing/user_code.hpp"
#include "numpy_plugin/kernel/scratch.hpp"

namespace numpy_plugin::emit {

using declare::Function;
using declare::TypedKernel;
using declare::ValueType;

namespace {

Scope make_scope(const Function& function, const FunctionNames& called) {
  Scope scope;
  if (called.can_raise) scope.errors = scope.names.add("errors");
  if (called.has_scratch) scope.scratch = scope.names.add("scratch");
  for (const std::string& name : called.device)
    scope.device_functions.push_back(scope.names.add(name));
  scope.external_functions = called.external;
  scope.sources = called.sources;
  for (const declare::Local& local : function.locals)
    scope.locals.push_back(local.storage.constant
                               ? called.constants.at(local.storage.constant.get())
                               : scope.names.add(local.name));
  return scope;
}

// "float x, float y".
std::string parameters(const std::vector<std::string>& types, const Scope& scope) {
  std::vector<std::string> texts;
  if (!scope.errors.empty()) texts.push_back("npp::Errors& " + scope.errors);
  if (!scope.scratch.empty()) texts.push_back("npp::Scratch& " + scope.scratch);
  for (std::size_t i = 0; i < types.size(); ++i)
    texts.push_back(format("{} {}", types[i], scope.locals[i]));
  return base::join(texts, ", ");
}

std::string python_function(const std::string& name, const Function& function,
                            const std::vector<std::string>& types, const FunctionNames& called) {
  Scope scope = make_scope(function, called);
  const std::string head = format("  NPP_FUNCTION static {} {}({}) {\n", cpp_type(function.result),
                                  name, parameters(types, scope));
  return head + StatementPrinter(function, scope, 4).print() + "  }\n";
}

std::string device_function(const Function& function, const std::string& name,
                            const FunctionNames& called) {
  Scope scope = make_scope(function, called);
  std::vector<std::string> types;
  for (std::size_t i = 0; i < function.n_parameters; ++i)
    types.push_back(cpp_type(function.locals[i].type));
  return format("{} {} {}({}) {\n{}}\n\n",
                function.is_recursive ? "NPP_LONG_FUNCTION" : "NPP_FUNCTION",
                cpp_type(function.result), name, parameters(types, scope),
                StatementPrinter(function, scope, 2).print());
}

std::string constant(const char* type, const char* name, const std::string& value) {
  return format("  static constexpr {} {} = {};\n", type, name, value);
}

std::string scalar_members(const TypedKernel& kernel) {
  const analysis::KernelTraits kernel_traits = analysis::traits(kernel);
  const auto types = [](const std::vector<declare::OperandType>& operands) {
    return base::join(element_types(operands), ", ");
  };
  return format(
      "  using Inputs = npp::Types<{}>;\n"
      "  using Outputs = npp::Types<{}>;\n"
      "  static constexpr bool kHasVectorMath = {};\n"
      "  static constexpr bool kHasBranches = {};\n"
      "{}",
      types(kernel.signature.inputs), types(kernel.signature.outputs),
      kernel_traits.has_vector_math ? "true" : "false",
      kernel_traits.has_branches ? "true" : "false",
      kernel_traits.moves_flags ? constant("bool", "kMovesFlags", "true") : "");
}

std::string generalized_members(const TypedKernel& kernel) {
  return format(
      "  using Operands = npp::Types<{}>;\n"
      "  static constexpr int kNumberOfInputs = {};\n"
      "  static constexpr int kNumberOfNames = {};\n",
      base::join(generalized_types(kernel), ", "), kernel.layout->n_inputs,
      kernel.layout->names.size());
}

// The __global__ function of a kernel that can raise, with one more parameter.
std::string raising_launch(const std::string& name, const std::string& of_thread,
                           const std::vector<std::string>& types) {
  std::vector<std::string> given, handed_on = {"errors"};
  for (const std::string& type : types) {
    handed_on.push_back(format("x{}", given.size()));
    given.push_back(format("{} {}", type, handed_on.back()));
  }
  given.push_back("npp::Errors* record");
  return format(
      "__global__ void {}({}) {\n"
      "  npp::Errors errors;\n"
      "  {}({});\n"
      "  npp::store_errors(record, errors);\n"
      "}\n",
      name, base::join(given, ", "), of_thread, base::join(handed_on, ", "));
}

}  // namespace

std::string kernel_struct_name(std::size_t index) { return format("Kernel{}", index); }

std::string KernelStructPrinter::print(const TypedKernel& kernel, const std::string& name,
                                       const std::vector<analysis::SplitLoop>& loops,
                                       const std::string& members) {
  std::string functions, call, more;
  if (const auto* python = std::get_if<declare::PythonKernel>(&kernel.body)) {
    functions = device_functions(*python);
    if (called_.can_raise) more += constant("bool", "kCanRaise", "true");
    if (python->prints) more += constant("bool", "kPrints", "true");
    if (called_.has_scratch) {
      more += "  using Scratch = npp::Scratch;\n";
      more += constant("int", "kScratchItemBytes",
                       std::to_string(declare::scratch_item_bytes(*python)));
    }
    std::vector<std::string> types =
        kernel.layout ? generalized_types(kernel) : element_types(kernel.signature.inputs);
    types.insert(types.end(), loops.size(), "npp::int64");
    call = python_function(
        "call", loops.empty() ? python->function : analysis::iteration_function(kernel, loops),
        types, called_);
    if (!loops.empty()) more += constant("int", "kNumberOfLoops", std::to_string(loops.size()));
  } else {
    call = print_cpp_body(kernel);
  }
  return format("{}// {}\nstruct {} {\n{}{}\n{}{}};\n", functions, kernel.signature.text(), name,
                kernel.layout ? generalized_members(kernel) : scalar_members(kernel), more, call,
                members);
}

std::string KernelStructPrinter::print_product(const TypedKernel& kernel, const std::string& name,
                                               const analysis::MatrixProduct& product,
                                               int tile_items) {
  const std::string functions = device_functions(std::get<declare::PythonKernel>(kernel.body));
  const auto cpp_name = [](base::DType dtype) { return std::string(base::info(dtype).cpp_name); };
  const std::string total = cpp_name(product.total_dtype);
  std::vector<std::string> finish_types = generalized_types(kernel);
  finish_types.insert(finish_types.end(), {"npp::int64", "npp::int64", total});
  const std::vector<std::string> step_types = {total, cpp_name(product.left_dtype),
                                               cpp_name(product.right_dtype)};
  return format(
      "{}// {}\n"
      "struct {} {\n"
      "{}  static constexpr int kLeft = {};\n"
      "  static constexpr int kRight = {};\n"
      "  static constexpr int kTileItems = {};\n"
      "  using Total = {};\n\n"
      "{}\n"
      "{}\n"
      "{}};\n",
      functions, kernel.signature.text(), name, generalized_members(kernel), product.left.input,
      product.right.input, tile_items, total, python_function("start", product.start, {}, called_),
      python_function("step", product.step, step_types, called_),
      python_function("finish", product.finish, finish_types, called_));
}

std::string KernelStructPrinter::print_launched(const TypedKernel& kernel,
                                                const std::string& name) {
  const auto& python = std::get<declare::PythonKernel>(kernel.body);
  NPP_ASSERT(!declare::has_scratch(python), kernel.name);
  const std::string functions = device_functions(python);
  Scope scope = make_scope(python.function, called_);
  const std::vector<std::string> types = view_types(kernel.signature.inputs);
  const std::string of_thread = called_.can_raise ? name + "_of_thread" : name;
  const std::string text =
      format("{}// {}\n{} void {}({}) {\n{}}\n", functions, kernel.signature.text(),
             called_.can_raise ? "NPP_FUNCTION" : "__global__", of_thread, parameters(types, scope),
             StatementPrinter(python.function, scope, 2).print());
  return called_.can_raise ? format("{}\n{}", text, raising_launch(name, of_thread, types)) : text;
}

std::string KernelStructPrinter::device_functions(const declare::PythonKernel& kernel) {
  called_.device.clear();
  called_.external = external_.names.at(n_kernels_++);
  called_.can_raise = !kernel.exceptions.empty();
  called_.has_scratch = declare::has_scratch(kernel);
  called_.sources = has_lines_ ? &kernel.sources : nullptr;
  std::string text = print_constant_arrays(kernel, called_.constants);
  for (const Function& function : kernel.device_functions) {
    Names names;  // unique by its number, so it can't collide
    const std::string name = names.add(format("{}_{}", function.name, n_device_functions_++));
    text += device_function(function, name, called_);
    called_.device.push_back(name);
  }
  return text;
}

}  // namespace numpy_plugin::emit
