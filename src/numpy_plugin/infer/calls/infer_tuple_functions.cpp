// Functions over the items of a tuple: sum, any, all, math.prod and math.dist.
#include "numpy_plugin/infer/calls/infer_calls.hpp"

namespace numpy_plugin::declare {

using base::DType;

// The items of a tuple of numbers; absent after an error.
std::optional<std::vector<Value>> CallInference::tuple_numbers(const std::string& shown,
                                                               const SyntaxNode& node) {
  const Value tuple = infer(node);
  if (!tuple.type.is_known()) return std::nullopt;
  if (!tuple.type.is_tuple()) {
    error(place(node), shown + " needs a tuple, " + text(node) + " is " + describe(tuple.type),
          tuple.type.is_array()     ? "add in a 'for' loop"
          : shown.ends_with("dist") ? ""
                                    : shown + "((x, y))");
    return std::nullopt;
  }
  const Value source = reusable(tuple);
  const std::vector<SyntaxNode>& nodes = node.children("elts");
  std::vector<Value> items;
  for (std::size_t i = 0; i < source.type.items.size(); ++i) {
    items.push_back(item(source, i, nodes.empty() ? node : nodes[i]));
    if (!items.back().type.is_scalar()) {
      error(place(*items.back().node),
            shown + " needs numbers, found " + describe(items.back().type));
      return std::nullopt;
    }
  }
  return items;
}

// sum(t), sum(t, start) and math.prod(t): from the left, in the types that the operators give.
Value CallInference::builtin_reduce(const std::string& name, const SyntaxNode& node) {
  const bool is_sum = name == "builtins.sum";
  const std::vector<SyntaxNode>& arguments = node.children("args");
  const std::string shown = text(*node.child("func"));
  if (!check_plain_arguments(name, node)) return {};
  if (!check_argument_count(1, is_sum ? 2 : 1, node, "((x, y))")) return {};
  const auto items = tuple_numbers(shown, arguments.front());
  if (!items) return {};
  Value result = constant(Int128{is_sum ? 0 : 1}, node);
  if (arguments.size() == 2) {
    result = infer(arguments.back());
    if (!result.type.is_known() || !check_number(result, shown)) return {};
  }
  const OperatorInfo& operation = *find_operator(is_sum ? SyntaxKind::kAdd : SyntaxKind::kMult);
  for (const Value& item : *items) {
    result = binary(operation, result, item, node);
    if (!result.type.is_known()) return {};
    result.node = &node;
  }
  return result;
}

Value CallInference::builtin_any_all(const std::string& name, const SyntaxNode& node) {
  const bool is_any = name == "builtins.any";
  const std::vector<SyntaxNode>& arguments = node.children("args");
  const std::string shown = text(*node.child("func"));
  if (!check_plain_arguments(name, node)) return {};
  if (!check_argument_count(1, 1, node, "((x, y))")) return {};
  const auto items = tuple_numbers(shown, arguments.front());
  if (!items) return {};
  Value result = boolean(!is_any, node);
  for (const Value& item : *items) {
    const Operation operation = is_any ? Operation::kBitwiseOr : Operation::kBitwiseAnd;
    result.expression = call(operation, DType::kBool,
                             {std::move(result.expression), truth(item, *item.node)}, place(node));
  }
  return result;
}

// math.dist(p, q): the hypotenuse of the differences, which are floating as all of math is.
Value CallInference::builtin_distance(const std::string& name, const SyntaxNode& node) {
  const std::vector<SyntaxNode>& arguments = node.children("args");
  const std::string shown = text(*node.child("func"));
  if (!check_plain_arguments(name, node)) return {};
  if (!check_argument_count(2, 2, node, "(p, q)")) return {};
  const auto from = tuple_numbers(shown, arguments.front());
  const auto to = from ? tuple_numbers(shown, arguments.back()) : std::nullopt;
  if (!to) return {};
  if (from->size() != to->size() || from->empty()) {
    return error(place(node), shown + " needs two points of the same dimensions, found " +
                                  std::to_string(from->size()) + " and " +
                                  std::to_string(to->size()) + " coordinates");
  }
  const FunctionInfo floating{"math", "fabs", Operation::kAbsolute, TypingRule::kMath};
  const FunctionInfo& hypot = *find_function("math.hypot");
  std::vector<Value> differences;
  for (std::size_t i = 0; i < from->size(); ++i) {
    std::vector<Value> ends = {(*from)[i], (*to)[i]};
    if (!check_argument_kinds(hypot, ends, node)) return {};
    for (Value& end : ends) {
      if (is_whole(end.type.dtype) && !end.type.is_weak)
        end = explicit_cast(end, DType::kFloat64, node);
      end.node = &node;
    }
    differences.push_back(binary(*find_operator(SyntaxKind::kSub), ends[0], ends[1], node));
    if (!differences.back().type.is_known()) return {};
    differences.back().node = &node;
  }
  return math_function(differences.size() == 1 ? floating : hypot, differences, node);
}

}  // namespace numpy_plugin::declare
