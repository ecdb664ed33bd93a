// Passes over a function: its local names, the repetition until a fixed point, and the resulting
// typed function.
#include "numpy_plugin/infer/core/kernel_inference.hpp"

#include <algorithm>
#include <iterator>

#include "numpy_plugin/infer/calls/infer_calls.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/records.hpp"
#include "numpy_plugin/infer/statements/infer_statements.hpp"

namespace numpy_plugin::declare {
namespace {

// Types only widen by promotion, so few passes are ever needed; this bounds a bug in this package.
constexpr int kMaxPasses = 30;
// An erroneous value has no type, so an error in every other pass makes inferred types oscillate.
constexpr int kMaxPassesWithErrors = 10;

bool declares_by_name(const SyntaxNode& statement) {
  return statement.kind == SyntaxKind::kFunctionDef || statement.kind == SyntaxKind::kClassDef ||
         statement.kind == SyntaxKind::kAsyncFunctionDef;
}

void declare_target(Scope& scope, const SyntaxNode& target, bool is_augmented = false) {
  if (target.kind == SyntaxKind::kName && !scope.error_names.contains(target.text)) {
    scope.add(target, is_augmented);
  }
  for (const SyntaxNode& item : target.children("elts")) declare_target(scope, item);
  if (target.kind == SyntaxKind::kStarred) declare_target(scope, *target.child("value"));
}

// A name assigned anywhere in a function is local to all of it.
void declare_names(Scope& scope, const SyntaxNode& statement) {
  for (const SyntaxNode& target : statement.children("targets")) {
    if (statement.kind != SyntaxKind::kDelete) declare_target(scope, target);
  }
  if (const SyntaxNode* target = statement.child("target")) {
    declare_target(scope, *target, statement.kind == SyntaxKind::kAugAssign);
  }
  if (declares_by_name(statement)) scope.error_names.insert(statement.text);
  for (const SyntaxNode& alias : statement.children("names")) {
    scope.error_names.insert(alias.text);
  }
  if (statement.kind == SyntaxKind::kGlobal) scope.error_names.insert(statement.text);
  for (const auto* field : {"body", "orelse", "finalbody", "handlers", "cases"}) {
    for (const SyntaxNode& inner : statement.children(field)) declare_names(scope, inner);
  }
}

Scope function_scope(const FunctionTask& task) {
  Scope scope;
  for (const SyntaxNode& parameter : task.syntax->parameters) {
    scope.add_parameter(parameter.text);
  }
  for (const SyntaxNode& statement : task.syntax->body) declare_names(scope, statement);
  return scope;
}

void begin_pass(FunctionContext& context) {
  const std::vector<InferredType>& arguments = context.task.arguments;
  context.findings = {};
  context.arrays = {};
  context.statement = {};
  context.loops.clear();
  context.has_effects = false;
  context.may_raise = false;
  context.too_deep.reset();
  context.n_unrolled_trips = 0;
  ResultState results;
  results.before = context.results.now;
  context.results = results;
  context.scope.begin_pass(arguments);
  context.flow = Flow(context.scope.variables.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const SourceSpan where = place(context, context.syntax.parameters[i]);
    if (arguments[i].is_none()) {
      context.flow.assign_none(static_cast<int>(i));
      continue;
    }
    context.scope.variables[i].assignments.push_back({arguments[i], where, nullptr});
    context.flow.assign(static_cast<int>(i));
  }
}

// Statements that give the fields of records names of their own.
std::vector<Statement> spread_records(FunctionContext& context) {
  std::vector<Statement> statements;
  context.block = &statements;
  for (std::size_t i = 0; i < context.task.arguments.size(); ++i) {
    Variable& variable = context.scope.variables[i];
    if (!context.task.arguments[i].is_record || !variable.is_assigned_once()) continue;
    Value record;
    record.node = &context.syntax.parameters[i];
    record.type = context.task.arguments[i];
    const LocalReference local{static_cast<int>(i)};
    record.expression = Expression{
        ExpressionKind::kLocal, storage(record.type), place(context, *record.node), {}, local};
    variable.item = with_fields_in_locals(context, record);
  }
  context.block = nullptr;
  return statements;
}

// Statements that copy the inputs that the kernel changes, whose names stand for the copies.
void copy_changed_inputs(FunctionContext& context, std::vector<Statement>& statements) {
  context.block = &statements;
  for (const auto& [input, changed_at] : context.scope.changed_inputs) {
    Value value;
    value.node = &context.syntax.parameters[static_cast<std::size_t>(input)];
    value.type = context.task.arguments[static_cast<std::size_t>(input)];
    value.expression = Expression{ExpressionKind::kLocal,
                                  storage(value.type),
                                  place(context, *value.node),
                                  {},
                                  LocalReference{input}};
    const std::string& name = value.node->text;
    warn(context, changed_at, format("'{}' is an input: the kernel changes a copy of it", name),
         format("writable_args=({},) lets it change the caller's array", input));
    context.scope.variable(input).item = copied_array(context, value, *value.node);
  }
  context.scope.n_copied = context.scope.changed_inputs.size();
  context.block = nullptr;
}

// Adds the flags of variables that may have no value where they are read.
void add_flags(FunctionContext& context, std::vector<Statement>& statements) {
  context.block = &statements;
  for (std::size_t i = 0; i < context.scope.variables.size(); ++i) {
    Variable& variable = context.scope.variables[i];
    if (!variable.is_checked) continue;
    variable.flag = context.scope.add_temporary(InferredType::scalar(base::DType::kBool));
    const int index = static_cast<int>(i);
    set_value_flag(context, index, context.flow.is_assigned(index) && !context.flow.is_none(index),
                   place(context, context.syntax.body.front()));
  }
  context.block = nullptr;
}

bool is_settled(const FunctionContext& context) {
  return context.results.before == context.results.now && context.scope.is_settled();
}

// Types the body until a fixed point and returns that of the last pass.
std::vector<Statement> type_body(FunctionContext& context) {
  for (int n_passes = 0;; ++n_passes) {
    NPP_ASSERT(n_passes < kMaxPasses,
               format("the types of '{}' do not converge", context.syntax.name));
    begin_pass(context);
    std::vector<Statement> body = spread_records(context);
    copy_changed_inputs(context, body);
    add_flags(context, body);
    for (Statement& statement : block(context, context.syntax.body)) {
      body.push_back(std::move(statement));
    }
    check_end_of_body(context);
    check_outputs_written(context);
    const bool has_errors = !context.findings.errors.empty();
    if (n_passes > 0 && is_settled(context)) {
      if (!context.is_tentative || !has_errors) return body;
      context.is_tentative = false;
    }
    if (n_passes >= kMaxPassesWithErrors && has_errors) return body;
  }
}

// Copies parameters that later take a wider type into locals of that type.
std::vector<Statement> copy_widened_parameters(FunctionContext& context) {
  std::vector<Statement> copies;
  for (const int parameter : context.scope.widened) {
    const auto i = static_cast<std::size_t>(parameter);
    if (context.task.arguments[i].is_none()) continue;
    const SourceSpan where = place(context, context.syntax.parameters[i]);
    Value value;
    value.type = context.task.arguments[i];
    value.expression = Expression{
        ExpressionKind::kLocal, storage(value.type), where, {}, LocalReference{parameter}};
    const int local = context.scope.local_of(parameter);
    Statement copy{StatementKind::kAssign, where, local, {}, {}, {}, {}, {}};
    copy.value = convert(context, value, *context.scope.variables[i].now);
    copies.push_back(std::move(copy));
  }
  return copies;
}

InferredType declared_type(const std::vector<base::DType>& dtypes) {
  if (dtypes.size() == 1) return InferredType::scalar(dtypes.front());
  InferredType type = InferredType::tuple({});
  for (const base::DType dtype : dtypes) type.items.push_back(InferredType::scalar(dtype));
  return type;
}

std::vector<Local> locals(const FunctionContext& context) {
  const Scope& scope = context.scope;
  const InferredType untyped = InferredType::scalar(base::DType::kInt64);
  std::vector<Local> result;
  for (std::size_t i = 0; i < scope.variables.size(); ++i) {
    const Variable& variable = scope.variables[i];
    const InferredType type =
        variable.is_parameter ? context.task.arguments[i] : variable.now.value_or(untyped);
    result.push_back({variable.name, storage(type), variable.storage});
  }
  for (const int parameter : scope.widened) {
    const Variable& variable = scope.variable(parameter);
    result.push_back({variable.name, storage(*variable.now), {}});
  }
  result.insert(result.end(), scope.temporaries.begin(), scope.temporaries.end());
  return result;
}

Function typed_function(FunctionContext& context, std::vector<Statement> body) {
  Function function;
  function.name = context.syntax.name;
  function.n_parameters = context.syntax.parameters.size();
  function.locals = locals(context);
  function.body = copy_widened_parameters(context);
  std::move(body.begin(), body.end(), std::back_inserter(function.body));
  return function;
}

void sort_by_line(std::vector<Diagnostic>& errors) {
  std::stable_sort(
      errors.begin(), errors.end(), [](const Diagnostic& left, const Diagnostic& right) {
        return left.place.source == right.place.source && left.place.line < right.place.line;
      });
}

}  // namespace

TypedFunction infer_function(KernelInference& kernel, const FunctionTask& task) {
  FunctionContext context{kernel, task, *task.syntax, kernel.source_base(*task.syntax)};
  context.scope = function_scope(task);
  std::vector<Statement> body = type_body(context);
  TypedFunction result;
  result.function = typed_function(context, std::move(body));
  result.has_result = context.results.now.has_value();
  result.returned_parameter = context.results.parameter;
  if (!context.results.now && context.results.parameter < 0) result.made = context.results.made;
  result.has_effects = context.has_effects;
  result.may_raise = context.may_raise;
  if (context.results.now) {
    result.result = *context.results.now;
  } else if (task.results) {
    result.result = declared_type(*task.results);  // every path raises
  }
  if (context.results.first_return) result.first_return = *context.results.first_return;
  result.function.result = storage(result.result);
  sort_by_line(context.findings.errors);
  result.stored = std::move(context.arrays.stored);
  result.too_deep = std::move(context.too_deep);
  result.findings = std::move(context.findings);
  return result;
}

}  // namespace numpy_plugin::declare
