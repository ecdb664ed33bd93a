// Integers that are known although names hold them: sizes of arrays and steps of slices are
// constants. Everywhere else such a name is read as any other.
#include <algorithm>
#include <optional>
#include <variant>
#include <vector>

#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"

namespace numpy_plugin::declare {
namespace {

using MaybeNumber = std::optional<PlainNumber>;

MaybeNumber known_number(FunctionContext& context, const SyntaxNode& node);

MaybeNumber number_of(const Value& value) { return value.constant; }

MaybeNumber known_local(const FunctionContext& context, int variable) {
  const Variable& entry = context.scope.variable(variable);
  if (entry.item) return number_of(*entry.item);
  const bool is_known = entry.number && context.flow.is_assigned(variable) && !entry.has_error;
  return is_known ? MaybeNumber(*entry.number) : std::nullopt;
}

MaybeNumber known_length(FunctionContext& context, const SyntaxNode& sequence) {
  const bool is_name = sequence.kind == SyntaxKind::kName;
  if (!is_name && find_binding(context, sequence) == nullptr) return std::nullopt;
  const InferredType type = infer(context, sequence).type;
  if (type.is_tuple() && !type.is_records()) return static_cast<Int128>(type.items.size());
  return type.is_array() && type.size(0) >= 0 ? MaybeNumber(Int128{type.size(0)}) : std::nullopt;
}

// len, int, min and max.
MaybeNumber known_call(FunctionContext& context, const SyntaxNode& node) {
  const Binding* const binding = find_binding(context, *node.child("func"));
  const std::vector<SyntaxNode>& arguments = node.children("args");
  if (!binding || binding->kind != Binding::Kind::kFunction || arguments.empty() ||
      !node.children("keywords").empty()) {
    return std::nullopt;
  }
  if (binding->name == "builtins.len") return known_length(context, arguments.front());
  std::vector<Int128> integers;
  for (const SyntaxNode& argument : arguments) {
    const auto integer = known_integer(context, argument);
    if (!integer) return std::nullopt;
    integers.push_back(*integer);
  }
  if (binding->name == "builtins.int" && integers.size() == 1) return integers.front();
  if (integers.size() < 2) return std::nullopt;
  const auto [least, most] = std::minmax_element(integers.begin(), integers.end());
  if (binding->name == "builtins.min") return *least;
  return binding->name == "builtins.max" ? MaybeNumber(*most) : std::nullopt;
}

MaybeNumber known_number(FunctionContext& context, const SyntaxNode& node) {
  switch (node.kind) {
    case SyntaxKind::kConstant: {
      const auto* number = std::get_if<Number>(&node.constant);
      return number ? plain_number(*number) : std::nullopt;
    }
    case SyntaxKind::kBinOp: {
      const auto left = known_number(context, *node.child("left"));
      const auto right = left ? known_number(context, *node.child("right")) : std::nullopt;
      return right ? fold(node.op, *left, *right) : std::nullopt;
    }
    case SyntaxKind::kUnaryOp: {
      const auto operand = known_number(context, *node.child("operand"));
      return operand ? fold(node.op, *operand) : std::nullopt;
    }
    case SyntaxKind::kCall:
      return known_call(context, node);
    default:
      break;
  }
  const int variable = context.scope.find(node);
  if (variable >= 0) return known_local(context, variable);
  const Binding* const binding = find_binding(context, node);
  return binding && binding->kind == Binding::Kind::kNumber ? plain_number(binding->number)
                                                            : std::nullopt;
}

// The tuple that is written, here or where its name gets its only value.
const SyntaxNode& written_tuple(const FunctionContext& context, const SyntaxNode& node) {
  const int variable = context.scope.find(node);
  if (variable < 0 || !context.flow.is_assigned(variable)) return node;
  const Variable& entry = context.scope.variable(variable);
  const bool is_once = entry.is_assigned_once() && entry.assignments.size() == 1;
  const SyntaxNode* const value = is_once ? entry.assignments.front().value : nullptr;
  return value != nullptr && value->kind == SyntaxKind::kTuple ? *value : node;
}

}  // namespace

std::optional<Int128> known_integer(FunctionContext& context, const SyntaxNode& node) {
  const auto number = known_number(context, node);
  const auto* integer = number ? std::get_if<Int128>(&*number) : nullptr;
  return integer ? std::optional(*integer) : std::nullopt;
}

Value infer_shape(FunctionContext& context, const SyntaxNode& node) {
  const SyntaxNode& shape = written_tuple(context, node);
  if (shape.kind != SyntaxKind::kTuple) {
    const auto size = known_integer(context, shape);
    return size ? constant(context, *size, node) : infer(context, node);
  }
  std::vector<Value> sizes;
  for (const SyntaxNode& item : shape.children("elts")) {
    const auto size = known_integer(context, item);
    if (!size) return infer(context, node);
    sizes.push_back(constant(context, *size, item));
  }
  return tuple_of(context, sizes, node);
}

}  // namespace numpy_plugin::declare
