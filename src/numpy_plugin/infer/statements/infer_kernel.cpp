// One kernel: its function and its device functions, typed for a signature.
#include <algorithm>
#include <functional>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/cpp_body/cpp_body.hpp"
#include "numpy_plugin/infer/core/kernel_inference.hpp"
#include "numpy_plugin/infer/statements/infer_kernel.hpp"
#include "numpy_plugin/infer/statements/kernel_checks.hpp"
#include "numpy_plugin/signature/signature_parse.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

// Calls `visit_call` for each function call in a block, `visit_exception` for each number of an
// exception.
template <class Call, class Exception>
void visit_references(Expression& expression, const Call& visit_call,
                      const Exception& visit_exception) {
  for (Expression& operand : expression.operands)
    visit_references(operand, visit_call, visit_exception);
  if (expression.exception >= 0) visit_exception(expression.exception);
  const bool is_call = expression.kind == ExpressionKind::kCallFunction ||
                       expression.kind == ExpressionKind::kCallExternal;
  if (is_call) visit_call(expression);
}

template <class Call, class Exception>
void visit_references(std::vector<Statement>& block, const Call& visit_call,
                      const Exception& visit_exception) {
  const auto visit = [&](auto& part) { visit_references(part, visit_call, visit_exception); };
  for (Statement& statement : block) {
    if (statement.value) visit(*statement.value);
    for (Expression& expression : statement.indices) visit(expression);
    for (Expression& expression : statement.range) visit(expression);
    if (statement.exception >= 0) visit_exception(statement.exception);
    visit(statement.body);
    visit(statement.orelse);
  }
}

// Sizes fixed by the layout, or named by it.
std::vector<std::int64_t> core_sizes(const CoreSignature& layout, std::size_t operand) {
  std::vector<std::int64_t> sizes;
  for (const CoreDimension& dimension : layout.operands[operand]) {
    const long fixed = layout.names[static_cast<std::size_t>(dimension.name_index)].frozen_size;
    sizes.push_back(fixed < 0 ? named_size(dimension.name_index) : fixed);
  }
  return sizes;
}

// An output without core dimensions is an array of one element in a kernel: out[0] = ...
InferredType operand_type(const OperandType& operand, const CoreSignature* layout,
                          std::size_t index, std::size_t n_inputs) {
  if (!layout) return InferredType::scalar(operand.dtype);
  const bool is_input = index < n_inputs;
  std::vector<std::int64_t> sizes = core_sizes(*layout, index);
  if (sizes.empty() && is_input && operand.n_dimensions == 0) {
    return InferredType::scalar(operand.dtype);
  }
  if (sizes.empty()) sizes = {1};
  const int n_dimensions = static_cast<int>(sizes.size());
  const bool is_read_only = is_input && !layout->is_writable(index);
  return InferredType::array(operand.dtype, n_dimensions, is_read_only, std::move(sizes));
}

Diagnostic wrong_number_of_arguments(const FunctionSyntax& function, std::size_t n_expected) {
  Diagnostic diagnostic;
  const std::size_t n_found = function.parameters.size();
  const std::string name = function.name == "<lambda>" ? "the lambda" : function.name;
  diagnostic.message = format("{} takes {}, the signature has {}", name,
                              base::counted(n_found, "argument"), n_expected);
  diagnostic.place = function.name_place;
  if (n_found > 0) {
    diagnostic.place = function.parameters.front().place;
    diagnostic.place.end_line = function.parameters.back().place.end_line;
    diagnostic.place.end_column = function.parameters.back().place.end_column;
  }
  return diagnostic;
}

// Types of outputs, from the values that a kernel stores in them.
struct OutputGuess {
  std::vector<OperandType> outputs;  // unchanged where the kernel itself stores nothing
  std::vector<bool> is_stored;
  bool has_errors = false;
};

OutputGuess stored_in(const FunctionSyntax& function, const TypeSignature& signature,
                      const CoreSignature& layout, const std::vector<bool>& plain) {
  FunctionTask task = kernel_task(function, signature, &layout, plain);
  task.seeks_outputs = true;
  KernelInference inference;
  const TypedFunction typed = inference.type_function(task, {});
  OutputGuess guess = {signature.outputs, std::vector<bool>(signature.outputs.size()),
                       !typed.findings.errors.empty()};
  for (const auto& [parameter, type] : typed.stored) {
    const auto output = static_cast<std::size_t>(parameter) - layout.n_inputs;
    if (output >= guess.outputs.size()) continue;
    guess.outputs[output].dtype = type.dtype;
    guess.is_stored[output] = true;
  }
  return guess;
}

// An output that starts as bool and then receives nothing else, as in out[0] = out[0] or x[i] > 0,
// is bool; started as a number it would stay one.
void find_booleans(const FunctionSyntax& function, TypeSignature& signature,
                   const CoreSignature& layout, const std::vector<bool>& plain) {
  TypeSignature booleans = signature;
  for (OperandType& output : booleans.outputs) output.dtype = DType::kBool;
  const OutputGuess guess = stored_in(function, booleans, layout, plain);
  if (guess.has_errors) return;
  for (std::size_t i = 0; i < guess.outputs.size(); ++i) {
    const bool is_boolean = guess.is_stored[i] && guess.outputs[i].dtype == DType::kBool;
    if (is_boolean) signature.outputs[i].dtype = DType::kBool;
  }
}

// Types of outputs that no signature declares, from the values stored in them. One that the kernel
// also reads, or that only its device functions store to, starts as the inputs' common type.
std::vector<OperandType> stored_operands(const FunctionSyntax& function, TypeSignature signature,
                                         const CoreSignature& layout,
                                         const std::vector<bool>& plain) {
  constexpr int kMaxGuesses = 8;
  std::vector<DType> inputs;
  for (std::size_t i = 0; i < signature.inputs.size(); ++i) {
    if (plain.empty() || !plain[i]) inputs.push_back(signature.inputs[i].dtype);
  }
  if (inputs.empty()) inputs = {DType::kInt64};
  signature.outputs = promoted_signature(inputs, layout.n_outputs()).outputs;
  take_dimensions(signature, layout);
  find_booleans(function, signature, layout, plain);
  for (int n_guesses = 0; n_guesses < kMaxGuesses; ++n_guesses) {
    OutputGuess guess = stored_in(function, signature, layout, plain);
    if (guess.outputs == signature.outputs) break;
    signature.outputs = std::move(guess.outputs);
  }
  return signature.outputs;
}

std::vector<OperandType> result_operands(const InferredType& result) {
  std::vector<OperandType> outputs;
  if (result.is_scalar()) outputs.push_back({result.dtype, 0});
  for (const InferredType& item : result.items) outputs.push_back({item.dtype, 0});
  return outputs;
}

// The function, or one for each level of its calls, the deepest of which raises, first.
std::vector<Function> levels(const TypedFunction& typed) {
  if (!typed.too_deep) return {typed.function};
  std::vector<Function> result(kMostLevels + 1, typed.function);
  for (Function& level : result) level.is_recursive = true;
  result.front().body = {*typed.too_deep};
  return result;
}

}  // namespace

FunctionTask kernel_task(const FunctionSyntax& function, const TypeSignature& signature,
                         const CoreSignature* layout, const std::vector<bool>& plain) {
  FunctionTask task;
  task.syntax = &function;
  task.signature = &signature;
  task.n_inputs = signature.inputs.size();
  task.layout = layout;
  for (const OperandType& input : signature.inputs) {
    task.arguments.push_back(operand_type(input, layout, task.arguments.size(), task.n_inputs));
    InferredType& type = task.arguments.back();
    type.is_weak = type.is_scalar() && !plain.empty() && plain[task.arguments.size() - 1];
  }
  if (layout) {
    for (const OperandType& output : signature.outputs) {
      task.arguments.push_back(operand_type(output, layout, task.arguments.size(), task.n_inputs));
    }
  } else if (!signature.outputs.empty()) {
    task.results.emplace();
    for (const OperandType& output : signature.outputs) task.results->push_back(output.dtype);
    for (auto wanted = function.derivatives.rbegin(); wanted != function.derivatives.rend();
         ++wanted) {
      task.results = derive::results_of(*wanted, *task.results);
    }
  }
  return task;
}

TypedFunction KernelInference::type_function(const FunctionTask& task,
                                             const SourceSpan& called_at) {
  open_functions_.push_back({&task, called_at});
  TypedFunction result = infer_function(*this, task);
  if (!task.syntax->derivatives.empty() && result.findings.errors.empty())
    differentiate(task, result);
  open_functions_.pop_back();
  return result;
}

std::size_t KernelInference::device_function(const FunctionTask& task,
                                             const SourceSpan& called_at) {
  for (std::size_t i = 0; i < device_functions_.size(); ++i) {
    const FunctionTask& made = device_functions_[i].task;
    const bool is_same = made.syntax == task.syntax && made.arguments == task.arguments &&
                         made.signature == task.signature;
    if (is_same) return i;
  }
  auto typed = std::make_unique<TypedFunction>(type_function(task, called_at));
  device_functions_.push_back({task, std::move(typed)});
  return device_functions_.size() - 1;
}

std::size_t KernelInference::external_function(ExternalFunction function) {
  for (std::size_t i = 0; i < external_functions_.size(); ++i) {
    const ExternalFunction& made = external_functions_[i];
    const bool is_same = made.name == function.name && made.signature == function.signature &&
                         made.body.body == function.body.body &&
                         made.preamble == function.preamble && made.declared == function.declared;
    if (is_same) return i;
  }
  external_functions_.push_back(std::move(function));
  return external_functions_.size() - 1;
}

const TypeSignature& KernelInference::keep(TypeSignature signature) {
  const auto found = std::find(signatures_.begin(), signatures_.end(), signature);
  if (found != signatures_.end()) return *found;
  return signatures_.emplace_back(std::move(signature));
}

int KernelInference::source_base(const FunctionSyntax& syntax) {
  const auto [position, is_new] =
      source_bases_.try_emplace(&syntax, static_cast<int>(sources_.size()));
  if (is_new) {
    sources_.push_back(syntax.source);
    sources_.insert(sources_.end(), syntax.other_sources.begin(), syntax.other_sources.end());
  }
  return position->second;
}

int KernelInference::exception(RaisedException raised) {
  const auto found =
      std::find_if(exceptions_.begin(), exceptions_.end(), [&raised](const RaisedException& other) {
        return other.place.source == raised.place.source && other.place.line == raised.place.line &&
               other.place.column == raised.place.column && other.arguments == raised.arguments;
      });
  if (found == exceptions_.end()) {
    exceptions_.push_back(std::move(raised));
    return static_cast<int>(exceptions_.size()) - 1;
  }
  return static_cast<int>(found - exceptions_.begin());
}

PythonKernel KernelInference::assemble(Function main) {
  PythonKernel kernel;
  std::map<int, int> new_indices, new_externals, new_exceptions;
  // Without those of earlier passes only.
  const auto renumber_exception = [&](int& number) {
    const auto next = static_cast<int>(kernel.exceptions.size());
    const auto [position, is_new] = new_exceptions.try_emplace(number, next);
    if (is_new) kernel.exceptions.push_back(exceptions_[static_cast<std::size_t>(number)]);
    number = position->second;
  };
  const std::function<void(Expression&)> renumber = [&](Expression& call) {
    if (call.kind == ExpressionKind::kCallExternal) {
      const auto next = static_cast<int>(kernel.external_functions.size());
      const int made = detail<ExternalFunctionCall>(call).function;
      const auto [position, is_new] = new_externals.try_emplace(made, next);
      if (is_new) {
        kernel.external_functions.push_back(external_functions_[static_cast<std::size_t>(made)]);
      }
      call.detail = ExternalFunctionCall{position->second};
      return;
    }
    const int made = detail<DeviceFunctionCall>(call).function;
    if (made == kItself) {
      call.detail = DeviceFunctionCall{static_cast<int>(kernel.device_functions.size()) - 1};
      return;
    }
    if (!new_indices.contains(made)) {
      for (Function& level : levels(*device_functions_[static_cast<std::size_t>(made)].typed)) {
        visit_references(level.body, renumber, renumber_exception);
        kernel.device_functions.push_back(std::move(level));
      }
      new_indices[made] = static_cast<int>(kernel.device_functions.size()) - 1;
    }
    call.detail = DeviceFunctionCall{new_indices[made]};
  };
  visit_references(main.body, renumber, renumber_exception);
  kernel.function = std::move(main);
  kernel.prints = prints_;
  return kernel;
}

namespace {

FrontEndResult type_kernel(const FunctionTask& task) {
  const FunctionSyntax& function = *task.syntax;
  if (task.arguments.size() != function.parameters.size()) {
    throw KernelError({wrong_number_of_arguments(function, task.arguments.size())},
                      {function.source});
  }
  KernelInference inference(task.is_device_kernel);
  TypedFunction typed = inference.type_function(task, {});
  if (!typed.findings.errors.empty()) {
    throw KernelError(std::move(typed.findings.errors), inference.sources());
  }
  FrontEndResult result;
  result.kernel.name = function.name;
  result.kernel.signature = *task.signature;
  if (!task.is_device_kernel && task.signature->outputs.empty()) {
    result.kernel.signature.outputs = result_operands(typed.result);
  }
  PythonKernel kernel = inference.assemble(std::move(typed.function));
  result.sources = inference.sources();
  kernel.sources = result.sources;
  result.warnings = std::move(typed.findings.warnings);
  for (Diagnostic& warning :
       task.is_device_kernel ? check_barriers(kernel) : check_outputs(kernel, task.n_inputs)) {
    result.warnings.push_back(std::move(warning));
  }
  if (auto errors = store_times(kernel); !errors.empty()) {
    throw KernelError(std::move(errors), result.sources);
  }
  if (!task.is_device_kernel) separate_first_trips(kernel.function.body);
  if (!task.is_device_kernel && function.checks_bounds) check_bounds(kernel, result.sources);
  result.kernel.body = std::move(kernel);
  return result;
}

}  // namespace

FrontEndResult type_python_kernel(const FunctionSyntax& function, const TypeSignature& given,
                                  const std::optional<CoreSignature>& layout,
                                  const std::vector<bool>& plain) {
  TypeSignature signature = given;
  if (layout && given.outputs.empty()) {
    signature.outputs = stored_operands(function, given, *layout, plain);
  }
  FrontEndResult result =
      type_kernel(kernel_task(function, signature, layout ? &*layout : nullptr, plain));
  result.kernel.layout = layout;
  return result;
}

FrontEndResult type_device_kernel(const FunctionSyntax& function,
                                  const std::vector<OperandType>& parameters) {
  const TypeSignature signature = {parameters, {}};
  FunctionTask task;
  task.syntax = &function;
  task.signature = &signature;
  task.is_device_kernel = true;
  for (const OperandType& parameter : parameters) {
    task.arguments.push_back(parameter.n_dimensions == 0
                                 ? InferredType::scalar(parameter.dtype)
                                 : InferredType::array(parameter.dtype, parameter.n_dimensions));
  }
  return type_kernel(task);
}

}  // namespace numpy_plugin::declare
