// cuda.atomic: operations on an element that no other thread comes between. Each is evaluated once
// and in its place: its value goes into a local of its own before the rest of its expression.
#include <algorithm>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/infer/calls/infer_calls.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

constexpr std::string_view kAtomicPrefix = "cuda.atomic.";

constexpr DType kDTypes[] = {DType::kUInt32, DType::kUInt64,  DType::kInt32,
                             DType::kInt64,  DType::kFloat32, DType::kFloat64};

std::size_t n_dtypes(AtomicDTypes dtypes) {
  switch (dtypes) {
    case AtomicDTypes::kUnsigned:
      return 2;
    case AtomicDTypes::kIntegers:
      return 4;
    case AtomicDTypes::kNumbers:
      break;
  }
  return std::size(kDTypes);
}

}  // namespace

bool CallInference::check_atomic_dtype(const AtomicInfo& info, const Value& array,
                                       const SyntaxNode& node) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < n_dtypes(info.dtypes); ++i) {
    if (kDTypes[i] == array.type.dtype) return true;
    names.emplace_back(base::name(kDTypes[i]));
  }
  error(place(*array.node), text(*node.child("func")) + " takes arrays of " +
                                base::join(names, ", ") + "; '" + text(*array.node) + "' has " +
                                std::string(base::name(array.type.dtype)));
  return false;
}

Value CallInference::call_atomic(const std::string& name, const SyntaxNode& node) {
  const auto function = find_atomic(std::string_view(name).substr(kAtomicPrefix.size()));
  NPP_ASSERT(function, name);
  const AtomicInfo& row = info(*function);
  const std::string shown = text(*node.child("func"));
  if (!check_plain_arguments(name, node)) return {};
  const std::vector<SyntaxNode>& arguments = node.children("args");
  const int n_expected = row.n_values + 2;
  const char* usual = row.n_values == 1 ? "(a, i, value)" : "(a, i, old, value)";
  if (!check_argument_count(n_expected, n_expected, node, usual)) return {};
  const Value array = infer(arguments[0]);
  if (!array.type.is_known()) return {};
  if (!array.type.is_array()) {
    const std::string kind = array.type.is_scalar() ? "a number" : with_article(array.type);
    std::string call_text = shown + "(a, i";
    for (std::size_t i = 2; i < arguments.size(); ++i) call_text += ", " + text(arguments[i]);
    return error(place(arguments[0]),
                 shown + " needs an array, " + text(arguments[0]) + " is " + kind, call_text + ")");
  }
  return atomic_value(*function, array, node);
}

Value CallInference::atomic_value(Atomic function, const Value& array, const SyntaxNode& node) {
  const std::vector<SyntaxNode>& arguments = node.children("args");
  if (array.type.is_read_only) {
    report_read_only(array, arguments[0]);
    return {};
  }
  if (!check_atomic_dtype(info(function), array, node)) return {};
  // `a, i, value` or `a, (i, j), value`.
  const std::vector<const SyntaxNode*> nodes = index_nodes(arguments[1]);
  std::optional<std::vector<Expression>> operands;
  if (nodes.size() == static_cast<std::size_t>(array.type.n_dimensions)) {
    operands = indices(array, nodes);
  } else {
    report_index_count(array, nodes.size(), arguments[1]);
  }
  bool has_error = !operands;
  for (std::size_t i = 2; i < arguments.size(); ++i) {
    const Value value = infer(arguments[i]);
    has_error |= !value.type.is_known();
    if (has_error) continue;
    operands->push_back(result_cast(value, array.type.dtype, "given"));
  }
  if (has_error) return {};
  mark_written(array.expression);
  const int owner = element_owner(array, *operands);
  Value value;
  value.node = &node;
  value.type = InferredType::scalar(array.type.dtype);
  value.expression = Expression{ExpressionKind::kAtomic, ValueType::scalar(array.type.dtype),
                                place(node), std::move(*operands)};
  value.expression.index = owner;
  value.expression.atomic = function;
  return once(std::move(value), node);
}

}  // namespace numpy_plugin::declare
