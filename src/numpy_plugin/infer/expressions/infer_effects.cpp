// Effects: expressions that change memory or wait are evaluated once and in their place. Their
// value goes into a local before the rest of the statement, and so do the elements that are read
// before.
#include <algorithm>

#include "numpy_plugin/infer/expressions/infer_expressions.hpp"

namespace numpy_plugin::declare {

// The value of an expression with an effect, in a local of its own.
Value ExpressionInference::once(Value value, const SyntaxNode& node) {
  has_effects_ = true;
  if (can_hoist_) return reusable(std::move(value));
  return error(place(node),
               text(*node.child("func")) + " cannot stand where it may not be evaluated",
               "use an 'if' statement");
}

void ExpressionInference::evaluate(Expression expression) {
  Statement statement{StatementKind::kEvaluate, expression.place, 0, {}, {}, {}, {}, {}};
  statement.value = std::move(expression);
  emit(std::move(statement));
}

const ArrayStorage& ExpressionInference::storage_of(int local) const {
  const auto index = static_cast<std::size_t>(local);
  const std::size_t first_temporary = variables_.size() + widened_.size();
  return index < variables_.size() ? variables_[index].storage
                                   : temporaries_[index - first_temporary].storage;
}

// Whether an array's elements are the function's own: nobody else sees what is stored in them.
bool ExpressionInference::is_own_array(const Expression& array) const {
  return array.kind == ExpressionKind::kLocal &&
         storage_of(array.index).kind == ArrayStorage::Kind::kLocal;
}

// As far as the call's text says: a device function may change the arrays that it is given, and in
// a device kernel do all that the kernel itself can.
bool ExpressionInference::may_have_effect(const SyntaxNode& call) const {
  const Binding* binding = find_binding(*call.child("func"));
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
  return kernel_.is_device_kernel() ||
         std::any_of(arguments.begin(), arguments.end(), [&](const SyntaxNode& argument) {
           const int variable =
               argument.kind == SyntaxKind::kName ? find_variable(argument.text) : -1;
           if (variable < 0) return argument.kind == SyntaxKind::kSubscript;
           const auto type = final_type(variable);
           return type && type->is_array();
         });
}

// Looks at a statement's own expressions, not at its blocks.
bool ExpressionInference::has_effect_inside(const SyntaxNode& statement) const {
  if (statement.kind == SyntaxKind::kCall && may_have_effect(statement)) return true;
  return std::any_of(statement.fields.begin(), statement.fields.end(), [&](const auto& entry) {
    const auto& [field, children] = entry;
    const bool is_block =
        statement.kind != SyntaxKind::kIfExp && (field == "body" || field == "orelse");
    return !is_block && std::any_of(children.begin(), children.end(), [&](const SyntaxNode& child) {
      return has_effect_inside(child);
    });
  });
}

}  // namespace numpy_plugin::declare
