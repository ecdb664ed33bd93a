// Functions over the items of a tuple: sum, any, all, math.prod and math.dist. The first three also
// take a 1-dimensional array.
#include "numpy_plugin/infer/arrays/array_expressions.hpp"
#include "numpy_plugin/infer/arrays/reductions.hpp"
#include "numpy_plugin/infer/calls/call_arguments.hpp"
#include "numpy_plugin/infer/calls/infer_calls.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_arrays.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"
#include "numpy_plugin/infer/expressions/infer_operators.hpp"
#include "numpy_plugin/syntax/functions.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

// The items of a tuple of numbers; nullopt after an error.
std::optional<std::vector<Value>> tuple_numbers(FunctionContext& context, const std::string& shown,
                                                const SyntaxNode& node) {
  const Value tuple = infer(context, node);
  if (!tuple.type.is_known()) return std::nullopt;
  if (!tuple.type.is_tuple()) {
    error(context, node,
          format("{} needs a tuple, {} is {}", shown, text(context, node), describe(tuple.type)),
          tuple.type.is_array()     ? "add in a 'for' loop"
          : shown.ends_with("dist") ? ""
                                    : shown + "((x, y))");
    return std::nullopt;
  }
  const Value source = reusable(context, tuple);
  const std::vector<SyntaxNode>& nodes = node.children("elts");
  std::vector<Value> items;
  for (std::size_t i = 0; i < source.type.items.size(); ++i) {
    items.push_back(item(context, source, i, nodes.empty() ? node : nodes[i]));
    if (!items.back().type.is_scalar()) {
      error(context, *items.back().node,
            format("{} needs numbers, found {}", shown, describe(items.back().type)));
      return std::nullopt;
    }
  }
  return items;
}

}  // namespace

// sum(t), sum(t, start) and math.prod(t): from the left, typed like the operators.
Value builtin_reduce(FunctionContext& context, const std::string& name, const SyntaxNode& node) {
  const bool is_sum = name == "builtins.sum";
  const std::vector<SyntaxNode>& arguments = node.children("args");
  const std::string shown = text(context, *node.child("func"));
  if (!check_plain_arguments(context, name, node)) return {};
  if (!check_argument_count(context, 1, is_sum ? 2 : 1, node, "((x, y))")) return {};
  const bool is_array = is_sum && n_dimensions(context, arguments.front()) > 0;
  const auto items =
      is_array ? std::vector<Value>() : tuple_numbers(context, shown, arguments.front());
  if (!items) return {};
  Value result = constant(context, Int128{is_sum ? 0 : 1}, node);
  if (arguments.size() == 2) {
    result = infer(context, arguments.back());
    if (!result.type.is_known() || !check_number(context, result, shown)) return {};
  }
  if (is_array) return sum_of_items(context, arguments.front(), result, node);
  const OperatorInfo& operation = *find_operator(is_sum ? SyntaxKind::kAdd : SyntaxKind::kMult);
  for (const Value& item : *items) {
    result = binary(context, operation, result, item, node);
    if (!result.type.is_known()) return {};
    result.node = &node;
  }
  return result;
}

Value builtin_any_all(FunctionContext& context, const std::string& name, const SyntaxNode& node) {
  const bool is_any = name == "builtins.any";
  const std::vector<SyntaxNode>& arguments = node.children("args");
  const std::string shown = text(context, *node.child("func"));
  if (!check_plain_arguments(context, name, node)) return {};
  if (!check_argument_count(context, 1, 1, node, "((x, y))")) return {};
  if (n_dimensions(context, arguments.front()) > 0) {
    return test_of_items(context, is_any, arguments.front(), node);
  }
  const auto items = tuple_numbers(context, shown, arguments.front());
  if (!items) return {};
  Value result = boolean(context, !is_any, node);
  for (const Value& item : *items) {
    const Operation operation = is_any ? Operation::kBitwiseOr : Operation::kBitwiseAnd;
    result.expression = call(operation, DType::kBool,
                             {std::move(result.expression), truth(context, item, *item.node)},
                             place(context, node));
  }
  return result;
}

// math.dist(p, q): the hypotenuse of the differences, which are floating-point as in all of math.
Value builtin_distance(FunctionContext& context, const std::string& name, const SyntaxNode& node) {
  const std::vector<SyntaxNode>& arguments = node.children("args");
  const std::string shown = text(context, *node.child("func"));
  if (!check_plain_arguments(context, name, node)) return {};
  if (!check_argument_count(context, 2, 2, node, "(p, q)")) return {};
  const auto from = tuple_numbers(context, shown, arguments.front());
  const auto to = from ? tuple_numbers(context, shown, arguments.back()) : std::nullopt;
  if (!to) return {};
  if (from->size() != to->size() || from->empty()) {
    return error(context, node,
                 format("{} needs two points of the same dimensions, found {} and {} coordinates",
                        shown, from->size(), to->size()));
  }
  const FunctionInfo floating{"math", "fabs", Operation::kAbsolute, TypingRule::kMath};
  const FunctionInfo& hypot = *find_function("math.hypot");
  std::vector<Value> differences;
  for (std::size_t i = 0; i < from->size(); ++i) {
    std::vector<Value> ends = {(*from)[i], (*to)[i]};
    if (!check_argument_kinds(context, hypot, ends, node)) return {};
    for (Value& end : ends) {
      if (is_integer_or_bool(end.type.dtype) && !end.type.is_weak) {
        end = explicit_cast(context, end, DType::kFloat64, node);
      }
      end.node = &node;
    }
    differences.push_back(
        binary(context, *find_operator(SyntaxKind::kSub), ends[0], ends[1], node));
    if (!differences.back().type.is_known()) return {};
    differences.back().node = &node;
  }
  return math_function(context, differences.size() == 1 ? floating : hypot, differences, node);
}

}  // namespace numpy_plugin::declare
