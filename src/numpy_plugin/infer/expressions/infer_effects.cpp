#include "numpy_plugin/infer/expressions/infer_conversions.hpp"

#include <algorithm>

#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

bool holds_array(const InferredType& type) {
  return type.is_array() || std::any_of(type.items.begin(), type.items.end(), holds_array);
}

bool may_hold_array(const FunctionContext& context, const SyntaxNode& argument) {
  if (argument.kind == SyntaxKind::kTuple) {
    const std::vector<SyntaxNode>& items = argument.children("elts");
    return std::any_of(items.begin(), items.end(), [&context](const SyntaxNode& item) {
      return may_hold_array(context, item);
    });
  }
  const int variable = context.scope.find(argument);
  if (variable < 0) return argument.kind == SyntaxKind::kSubscript;
  const auto type = context.scope.type_of(variable);
  return type && holds_array(*type);
}

// Conservative, from the call's text: a device function may modify its array arguments and, in a
// device kernel, have any effect.
bool may_have_effect(const FunctionContext& context, const SyntaxNode& call) {
  const Binding* binding = find_binding(context, *call.child("func"));
  if (!binding) return false;
  if (binding->kind == Binding::Kind::kFunction) {
    constexpr std::string_view kPrefix = "cuda.";
    if (!binding->name.starts_with(kPrefix)) return false;
    const auto function = find_thread_function(binding->name.substr(kPrefix.size()));
    return binding->name.starts_with("cuda.atomic.") ||
           (function && info(*function).wait != ThreadWait::kNobody);
  }
  if (binding->kind != Binding::Kind::kDeviceFunction) return false;
  const std::vector<SyntaxNode>& arguments = call.children("args");
  return context.kernel.is_device_kernel() ||
         std::any_of(arguments.begin(), arguments.end(), [&context](const SyntaxNode& argument) {
           return may_hold_array(context, argument);
         });
}

}  // namespace

Value once(FunctionContext& context, Value value) {
  context.has_effects = true;
  return in_local(context, std::move(value));
}

Value called_once(FunctionContext& context, const TypedFunction& callee, Value value) {
  context.may_raise = context.may_raise || callee.may_raise;
  if (callee.has_effects) return once(context, std::move(value));
  // C++ evaluates arguments in any order: a local fixes which one raises first.
  return callee.may_raise ? reusable(context, std::move(value)) : value;
}

std::vector<Statement> infer_apart(FunctionContext& context, const SyntaxNode& part,
                                   const std::function<void()>& infer_part) {
  std::vector<Statement> statements;
  std::vector<Statement>* const outer = std::exchange(context.block, &statements);
  const bool used_locals =
      std::exchange(context.uses_locals, context.uses_locals && has_effect_inside(context, part));
  infer_part();
  context.uses_locals = used_locals;
  context.block = outer;
  return statements;
}

Expression evaluated_apart(FunctionContext& context, Expression expression,
                           std::vector<Statement> chosen, std::vector<Statement> other) {
  if (chosen.empty() && other.empty()) return expression;
  const SourceSpan where = expression.place;
  const ValueType type = expression.type;
  std::vector<Expression> operands = std::move(expression.operands);
  if (expression.kind != ExpressionKind::kSelect) {
    const bool is_and = expression.kind == ExpressionKind::kAnd;
    operands.push_back(constant_expression(DType::kBool, std::int64_t{!is_and}, where));
    if (!is_and) {
      std::swap(operands[1], operands[2]);
      std::swap(chosen, other);
    }
  }
  const int local = context.scope.add_temporary(type);
  const auto assign = [&](std::vector<Statement>& block, Expression& value) {
    block.push_back({StatementKind::kAssign, where, local, std::move(value), {}, {}, {}, {}});
  };
  assign(chosen, operands[1]);
  assign(other, operands[2]);
  add_statement(context, {StatementKind::kIf,
                          where,
                          0,
                          std::move(operands[0]),
                          {},
                          {},
                          std::move(chosen),
                          std::move(other)});
  return {ExpressionKind::kLocal, type, where, {}, LocalReference{local}};
}

void evaluate(FunctionContext& context, Expression expression) {
  Statement statement{StatementKind::kEvaluate, expression.place, 0, {}, {}, {}, {}, {}};
  statement.value = std::move(expression);
  add_statement(context, std::move(statement));
}

int exception(FunctionContext& context, RaisedException raised) {
  context.may_raise = true;
  return context.kernel.exception(std::move(raised));
}

Statement raised(FunctionContext& context, const SyntaxNode& node, std::string type_name,
                 std::string message) {
  RaisedException found;
  found.type_name = std::move(type_name);
  found.arguments = {{MessagePart{std::move(message), false, DType::kInt64, ""}}};
  found.place = place(context, node);
  found.file = context.syntax.source.file;
  found.function = context.syntax.name;
  Statement statement{StatementKind::kRaise, place(context, node), 0, {}, {}, {}, {}, {}};
  statement.exception = exception(context, std::move(found));
  return statement;
}

bool is_own_array(const FunctionContext& context, const Expression& array) {
  if (array.kind != ExpressionKind::kLocal) return false;
  const ArrayStorage::Kind kind = context.scope.storage_of(*read_local(array)).kind;
  return kind == ArrayStorage::Kind::kLocal || kind == ArrayStorage::Kind::kScratch;
}

bool has_effect_inside(const FunctionContext& context, const SyntaxNode& statement) {
  if (statement.kind == SyntaxKind::kCall && may_have_effect(context, statement)) return true;
  return std::any_of(statement.fields.begin(), statement.fields.end(), [&](const auto& entry) {
    const auto& [field, children] = entry;
    const bool is_block =
        statement.kind != SyntaxKind::kIfExp && (field == "body" || field == "orelse");
    return !is_block && std::any_of(children.begin(), children.end(), [&](const SyntaxNode& child) {
      return has_effect_inside(context, child);
    });
  });
}

}  // namespace numpy_plugin::declare
