// Dimensions of what a device function returns, read from its text as that of the kernel is.
#include <algorithm>

#include "numpy_plugin/infer/arrays/array_expressions.hpp"

namespace numpy_plugin::declare {
namespace {

constexpr int kMostOpenNodes = 400;  // of calls in calls

InferredType type_with(int n_dimensions) {
  return n_dimensions > 0 ? InferredType::array(base::DType::kFloat64, n_dimensions)
                          : InferredType::scalar(base::DType::kFloat64);
}

const SyntaxNode* argument_of(const SyntaxNode& call, const FunctionSyntax& function,
                              std::size_t parameter) {
  const std::vector<SyntaxNode>& arguments = call.children("args");
  if (parameter < arguments.size()) return &arguments[parameter];
  for (const SyntaxNode& keyword : call.children("keywords"))
    if (keyword.text == function.parameters[parameter].text) return keyword.child("value");
  return nullptr;
}

void add_variable(FunctionContext& callee, const SyntaxNode& name, int n_dimensions) {
  Variable& variable = callee.scope.variable(callee.scope.find(name));
  if (!variable.now) variable.now = type_with(n_dimensions);
}

void add_parameters(const FunctionContext& context, FunctionContext& callee,
                    const SyntaxNode& call) {
  for (std::size_t i = 0; i < callee.syntax.parameters.size(); ++i) {
    const SyntaxNode* const argument = argument_of(call, callee.syntax, i);
    callee.scope.add_parameter(callee.syntax.parameters[i].text);
    callee.scope.variable(static_cast<int>(i)).now =
        type_with(argument != nullptr ? n_dimensions(context, *argument) : 0);
  }
}

}  // namespace

int n_dimensions_of_returned(const FunctionContext& context, const FunctionSyntax& function,
                             const SyntaxNode& call) {
  const SyntaxNode& last = function.body.back();
  const SyntaxNode* const value = last.kind == SyntaxKind::kReturn ? last.child("value") : nullptr;
  const bool is_circle = &function == &context.syntax;
  if (value == nullptr || is_circle || context.kernel.n_open_nodes() > kMostOpenNodes) return 0;
  const OpenNode open(context.kernel);
  const FunctionTask task{&function, {}, {}, nullptr, 0, nullptr, false, false};
  FunctionContext callee{context.kernel, task, function, 0};
  add_parameters(context, callee, call);
  for (const SyntaxNode& statement : function.body) {
    const SyntaxNode* const target =
        statement.kind == SyntaxKind::kAssign ? statement.child("targets") : nullptr;
    if (target == nullptr || target->kind != SyntaxKind::kName) continue;
    callee.scope.add(*target, false);
    add_variable(callee, *target, n_dimensions(callee, *statement.child("value")));
  }
  return n_dimensions(callee, *value);
}

}  // namespace numpy_plugin::declare
