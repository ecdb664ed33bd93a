// The struct of a kernel: members used by the loop templates, device functions, `call`.
#include "numpy_plugin/emit/printing/kernel_struct.hpp"

#include "numpy_plugin/analysis/iteration_function.hpp"
#include "numpy_plugin/analysis/tree.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/emit/printing/cpp_body.hpp"
#include "numpy_plugin/emit/printing/operand_types.hpp"
#include "numpy_plugin/emit/printing/statement.hpp"
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
  for (std::size_t i = 0; i < types.size(); ++i) texts.push_back(types[i] + " " + scope.locals[i]);
  return base::join(texts, ", ");
}

std::string python_function(const std::string& name, const Function& function,
                            const std::vector<std::string>& types, const FunctionNames& called) {
  Scope scope = make_scope(function, called);
  const std::string head = "  NPP_FUNCTION static " + cpp_type(function.result) + " " + name + "(" +
                           parameters(types, scope) + ") {\n";
  return head + StatementPrinter(function, scope, 4).print() + "  }\n";
}

std::string device_function(const Function& function, const std::string& name,
                            const FunctionNames& called) {
  Scope scope = make_scope(function, called);
  std::vector<std::string> types;
  for (std::size_t i = 0; i < function.n_parameters; ++i)
    types.push_back(cpp_type(function.locals[i].type));
  return "NPP_FUNCTION " + cpp_type(function.result) + " " + name + "(" + parameters(types, scope) +
         ") {\n" + StatementPrinter(function, scope, 2).print() + "}\n\n";
}

std::string constant(const char* type, const char* name, const std::string& value) {
  return std::string("  static constexpr ") + type + " " + name + " = " + value + ";\n";
}

std::string scalar_members(const TypedKernel& kernel) {
  const analysis::KernelTraits kernel_traits = analysis::traits(kernel);
  const auto types = [](const std::vector<declare::OperandType>& operands) {
    return "npp::Types<" + base::join(element_types(operands), ", ") + ">;\n";
  };
  return "  using Inputs = " + types(kernel.signature.inputs) +
         "  using Outputs = " + types(kernel.signature.outputs) +
         constant("bool", "kHasVectorMath", kernel_traits.has_vector_math ? "true" : "false") +
         constant("bool", "kHasBranches", kernel_traits.has_branches ? "true" : "false") +
         (kernel_traits.moves_flags ? constant("bool", "kMovesFlags", "true") : "");
}

std::string generalized_members(const TypedKernel& kernel) {
  return "  using Operands = npp::Types<" + base::join(generalized_types(kernel), ", ") + ">;\n" +
         constant("int", "kNumberOfInputs", std::to_string(kernel.layout->n_inputs)) +
         constant("int", "kNumberOfNames", std::to_string(kernel.layout->names.size()));
}

// The __global__ function of a kernel that can raise, with one more parameter.
std::string raising_launch(const std::string& name, const std::string& of_thread,
                           const std::vector<std::string>& types) {
  std::vector<std::string> given, handed_on = {"errors"};
  for (const std::string& type : types) {
    handed_on.push_back("x" + std::to_string(given.size()));
    given.push_back(type + " " + handed_on.back());
  }
  given.push_back("npp::Errors* record");
  return "__global__ void " + name + "(" + base::join(given, ", ") +
         ") {\n  npp::Errors errors;\n  " + of_thread + "(" + base::join(handed_on, ", ") +
         ");\n  npp::store_errors(record, errors);\n}\n";
}

}  // namespace

std::string kernel_struct_name(std::size_t index) { return "Kernel" + std::to_string(index); }

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
  return functions + "// " + kernel.signature.text() + "\nstruct " + name + " {\n" +
         (kernel.layout ? generalized_members(kernel) : scalar_members(kernel)) + more + "\n" +
         call + members + "};\n";
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
  return functions + "// " + kernel.signature.text() + "\nstruct " + name + " {\n" +
         generalized_members(kernel) +
         constant("int", "kLeft", std::to_string(product.left.input)) +
         constant("int", "kRight", std::to_string(product.right.input)) +
         constant("int", "kTileItems", std::to_string(tile_items)) + "  using Total = " + total +
         ";\n\n" + python_function("start", product.start, {}, called_) + "\n" +
         python_function("step", product.step, step_types, called_) + "\n" +
         python_function("finish", product.finish, finish_types, called_) + "};\n";
}

std::string KernelStructPrinter::print_launched(const TypedKernel& kernel,
                                                const std::string& name) {
  const auto& python = std::get<declare::PythonKernel>(kernel.body);
  NPP_ASSERT(!declare::has_scratch(python), kernel.name);
  const std::string functions = device_functions(python);
  Scope scope = make_scope(python.function, called_);
  const std::vector<std::string> types = view_types(kernel.signature.inputs);
  const std::string of_thread = called_.can_raise ? name + "_of_thread" : name;
  const std::string text = functions + "// " + kernel.signature.text() + "\n" +
                           (called_.can_raise ? "NPP_FUNCTION" : "__global__") + " void " +
                           of_thread + "(" + parameters(types, scope) + ") {\n" +
                           StatementPrinter(python.function, scope, 2).print() + "}\n";
  return called_.can_raise ? text + "\n" + raising_launch(name, of_thread, types) : text;
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
    const std::string name = names.add(function.name + "_" + std::to_string(n_device_functions_++));
    text += device_function(function, name, called_);
    called_.device.push_back(name);
  }
  return text;
}

}  // namespace numpy_plugin::emit
