// Comparisons with None, and others by 'is': decided when a kernel is compiled where a name is
// always None or never, as it runs where a name has None on some paths.
#include "numpy_plugin/infer/core/constants.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_arrays.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"
#include "numpy_plugin/infer/expressions/infer_operators.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

// The other side of a comparison with None, where nothing needs to be computed for it; null for
// anything else.
const SyntaxNode* compared_with_none(const FunctionContext& context, const SyntaxNode& node) {
  if (node.kind != SyntaxKind::kCompare || node.children("ops").size() != 1) return nullptr;
  const SyntaxKind op = node.child("ops")->kind;
  const bool is_test = op == SyntaxKind::kIs || op == SyntaxKind::kIsNot || op == SyntaxKind::kEq ||
                       op == SyntaxKind::kNotEq;
  const SyntaxNode& left = *node.child("left");
  const SyntaxNode& right = *node.child("comparators");
  const SyntaxNode& side = is_none(right) ? left : right;
  const bool is_read = side.kind == SyntaxKind::kName || side.kind == SyntaxKind::kAttribute ||
                       side.kind == SyntaxKind::kSubscript || is_none(side);
  const bool is_comparison = is_test && is_read && (is_none(left) || is_none(right));
  return is_comparison && !has_effect_inside(context, side) ? &side : nullptr;
}

bool is_true_of_none(const SyntaxNode& comparison) {
  const SyntaxKind op = comparison.child("ops")->kind;
  return op == SyntaxKind::kIs || op == SyntaxKind::kEq;
}

bool has_none_as_default(const FunctionSyntax& function, int parameter) {
  const std::size_t n_required = function.parameters.size() - function.defaults.size();
  const auto index = static_cast<std::size_t>(parameter);
  return index >= n_required && function.defaults[index - n_required].kind == Binding::Kind::kNone;
}

// An operand of a ufunc without a default of None, which a test for None suggests it had.
bool is_operand(const FunctionContext& context, const SyntaxNode& node) {
  const bool is_ufunc = context.task.signature != nullptr && !context.task.is_device_kernel;
  const int variable = context.scope.find(node);
  return is_ufunc && variable >= 0 && context.scope.variable(variable).is_parameter &&
         !has_none_as_default(context.syntax, variable);
}

std::string hint_at_nan(FunctionContext& context, const Value& value, const SyntaxNode& node) {
  const bool may_be_nan = value.type.is_scalar() && (base::is_floating(value.type.dtype) ||
                                                     base::is_complex(value.type.dtype));
  if (!may_be_nan) return "";
  return format("math.isnan({}) tests for a missing value", text(context, node));
}

void warn_never_none(FunctionContext& context, const SyntaxNode& node, const SyntaxNode& operand) {
  const Value value = infer(context, operand);
  if (!value.type.is_known() || !context.scope.reported_names.insert(text(context, node)).second) {
    return;
  }
  warn(context, node,
       format("{} is {}, never None", text(context, operand), with_article(value.type)),
       hint_at_nan(context, value, operand));
}

bool is_integer(const InferredType& type) {
  return type.is_scalar() && base::is_integer(type.dtype);
}

bool is_array_name(const FunctionContext& context, const SyntaxNode& node) {
  const int variable = context.scope.find(node);
  const auto type = variable >= 0 ? context.scope.type_of(variable) : std::nullopt;
  return type && type->is_array();
}

// The variable of a name that is None on some paths to here; nullopt for anything else.
std::optional<int> sometimes_none(const FunctionContext& context, const SyntaxNode& node) {
  const int variable = context.scope.find(node);
  const bool is_sometimes =
      node.kind == SyntaxKind::kName && variable >= 0 && !context.scope.variable(variable).item &&
      context.flow.is_assigned(variable) && context.flow.is_perhaps_none(variable) &&
      !context.flow.is_none(variable);
  return is_sometimes ? std::optional(variable) : std::nullopt;
}

// Whether what is read is None; nullopt after an error.
std::optional<bool> is_none_here(FunctionContext& context, const SyntaxNode& node) {
  const int variable = context.scope.find(node);
  if (variable >= 0 && !context.scope.variable(variable).item) {
    const bool has_value =
        context.flow.is_assigned(variable) && !context.flow.is_perhaps_none(variable);
    if (has_value) return false;  // of a type that may be unknown yet
  }
  const Value value = infer_optional(context, node);
  return value.type.is_known() ? std::optional(value.type.is_none()) : std::nullopt;
}

}  // namespace

bool is_none(const SyntaxNode& node) {
  return node.kind == SyntaxKind::kConstant && node.text == "NoneType";
}

bool is_name_of_none(const FunctionContext& context, const SyntaxNode& node) {
  if (node.kind != SyntaxKind::kName) return false;
  if (const int variable = context.scope.find(node); variable >= 0) {
    return context.flow.is_none(variable) && !context.scope.variable(variable).item;
  }
  const Binding* const binding = find_binding(context, node);
  return binding != nullptr && binding->kind == Binding::Kind::kNone;
}

std::optional<bool> decided_none_test(FunctionContext& context, const SyntaxNode& node) {
  const SyntaxNode* const side = compared_with_none(context, node);
  if (side == nullptr || sometimes_none(context, *side)) return std::nullopt;
  const SyntaxKind op = node.child("ops")->kind;
  const bool is_identity = op == SyntaxKind::kIs || op == SyntaxKind::kIsNot;
  if (!is_identity && is_array_name(context, *side)) return std::nullopt;
  if (is_operand(context, *side)) warn_never_none(context, node, *side);
  const auto found = is_none_here(context, *side);
  if (!found) return std::nullopt;
  return found == is_true_of_none(node);
}

// Its flag says whether it has a value; the next pass has the flag where none knew before that it
// is needed.
std::optional<Value> none_test(FunctionContext& context, const SyntaxNode& node) {
  const SyntaxNode* const side = compared_with_none(context, node);
  const auto variable = side != nullptr ? sometimes_none(context, *side) : std::nullopt;
  if (!variable) return std::nullopt;
  Variable& entry = context.scope.variable(*variable);
  entry.is_checked = true;
  Value value = boolean(context, false, node);
  if (!entry.flag) return value;
  value.expression = value_flag(context, *variable, node);
  if (is_true_of_none(node)) {
    value.expression = call(Operation::kLogicalNot, DType::kBool, {std::move(value.expression)},
                            place(context, node));
  }
  return value;
}

Value infer_identity(FunctionContext& context, const SyntaxNode& node) {
  const SyntaxNode& left = *node.child("left");
  const SyntaxNode& right = *node.child("comparators");
  const SyntaxKind op = node.child("ops")->kind;
  const Value value = infer(context, left);
  if (!value.type.is_known()) return {};
  const bool is_identity = op == SyntaxKind::kIs || op == SyntaxKind::kIsNot;
  if (is_none(right)) {
    const std::string start =
        is_identity ? "'is' cannot be used in a kernel; " : "None in a kernel; ";
    return error(
        context, node,
        format("{}{} is {}, never None", start, text(context, left), with_article(value.type)),
        hint_at_nan(context, value, left));
  }
  const std::string_view symbol = op == SyntaxKind::kIs ? "==" : "!=";
  const std::string hint = format("{} {} {}", text(context, left), symbol, text(context, right));
  const Value other = infer(context, right);
  if (!other.type.is_known()) return {};
  if (!is_integer(value.type) || !is_integer(other.type)) {
    return error(context, node, "'is' cannot be used in a kernel", hint);
  }
  warn(context, node, "'is' compares the values of integers in a kernel", hint);
  return compare_typed(context,
                       *find_operator(op == SyntaxKind::kIs ? SyntaxKind::kEq : SyntaxKind::kNotEq),
                       value, other, node);
}

std::vector<int> exclude_none(FunctionContext& context, const SyntaxNode& test, bool holds) {
  if (test.kind == SyntaxKind::kUnaryOp && test.op == SyntaxKind::kNot) {
    return exclude_none(context, *test.child("operand"), !holds);
  }
  std::vector<int> excluded;
  if (test.kind == SyntaxKind::kBoolOp && holds == (test.op == SyntaxKind::kAnd)) {
    for (const SyntaxNode& part : test.children("values")) {
      const std::vector<int> more = exclude_none(context, part, holds);
      excluded.insert(excluded.end(), more.begin(), more.end());
    }
    return excluded;
  }
  const SyntaxNode* const side = compared_with_none(context, test);
  if (side == nullptr || holds == is_true_of_none(test)) return excluded;
  if (const auto variable = sometimes_none(context, *side)) {
    context.flow.exclude_none(*variable);
    excluded.push_back(*variable);
  }
  return excluded;
}

void allow_none(FunctionContext& context, const std::vector<int>& variables) {
  for (const int variable : variables) context.flow.allow_none(variable);
}

}  // namespace numpy_plugin::declare
