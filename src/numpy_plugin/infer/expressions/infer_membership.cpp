// `x in (1, 2)` and `x not in limits`: comparisons with the items of a tuple.
#include <optional>

#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_arrays.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"
#include "numpy_plugin/infer/expressions/infer_operators.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

Value report_no_tuple(FunctionContext& context, const Value& value, const SyntaxNode& node) {
  return error(context, *value.node,
               format("{} needs a tuple, {} is {}",
                      node.child("ops")->kind == SyntaxKind::kIn ? "'in'" : "'not in'",
                      text(context, *value.node), describe(value.type)),
               value.type.is_array() ? "compare in a 'for' loop" : "");
}

// The items of what is written out, or of a tuple by name; nullopt after an error.
std::optional<std::vector<Value>> items_of(FunctionContext& context, const SyntaxNode& node) {
  const SyntaxNode& right = *node.child("comparators");
  std::vector<Value> items;
  const bool is_written_out = right.kind == SyntaxKind::kTuple || right.kind == SyntaxKind::kList ||
                              right.kind == SyntaxKind::kSet;
  if (is_written_out) {
    for (const SyntaxNode& element : right.children("elts"))
      items.push_back(infer(context, element));
    return items;
  }
  const Value tuple = infer(context, right);
  if (!tuple.type.is_known()) return std::nullopt;
  if (!tuple.type.is_tuple()) {
    report_no_tuple(context, tuple, node);
    return std::nullopt;
  }
  const Value source = reusable(context, tuple);
  for (std::size_t i = 0; i < source.type.items.size(); ++i)
    items.push_back(item(context, source, i, right));
  return items;
}

}  // namespace

Value infer_membership(FunctionContext& context, const SyntaxNode& node) {
  const bool is_in = node.child("ops")->kind == SyntaxKind::kIn;
  const Value searched = reusable(context, infer(context, *node.child("left")));
  const auto items = items_of(context, node);
  if (!searched.type.is_known() || !items) return {};
  Value result = boolean(context, false, node);
  for (const Value& each : *items) {
    if (!each.type.is_known()) return {};
    Value equal = binary(context, *find_operator(SyntaxKind::kEq), searched, each, node);
    if (!equal.type.is_known()) return {};
    if (&each != &items->front()) {
      equal.expression = {ExpressionKind::kOr,
                          ValueType::scalar(DType::kBool),
                          place(context, node),
                          {std::move(result.expression), std::move(equal.expression)}};
    }
    result = std::move(equal);
  }
  if (items->empty()) return boolean(context, !is_in, node);
  if (!is_in) {
    result.expression = call(Operation::kLogicalNot, DType::kBool, {std::move(result.expression)},
                             place(context, node));
  }
  return result;
}

}  // namespace numpy_plugin::declare
