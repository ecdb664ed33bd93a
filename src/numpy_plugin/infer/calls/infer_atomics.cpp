#include "numpy_plugin/infer/calls/infer_calls.hpp"

#include <algorithm>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/infer/calls/call_arguments.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_arrays.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"

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

bool check_atomic_dtype(FunctionContext& context, const AtomicInfo& info, const Value& array,
                        const SyntaxNode& node) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < n_dtypes(info.dtypes); ++i) {
    if (kDTypes[i] == array.type.dtype) return true;
    names.emplace_back(base::name(kDTypes[i]));
  }
  error(context, *array.node,
        format("{} takes arrays of {}; '{}' has {}", text(context, *node.child("func")),
               base::join(names, ", "), text(context, *array.node), base::name(array.type.dtype)));
  return false;
}

using Operands = std::optional<std::vector<Expression>>;

// Accepts `a, i, value` or `a, (i, j), value`.
Operands given_index(FunctionContext& context, const Value& array, const SyntaxNode& index) {
  const std::vector<const SyntaxNode*> nodes = index_nodes(context, index, 0);
  if (nodes.size() == static_cast<std::size_t>(array.type.n_dimensions)) {
    return indices(context, array, nodes);
  }
  report_index_count(context, array, nodes.size(), index);
  return std::nullopt;
}

Operands first_element(FunctionContext& context, const Value& array, const SyntaxNode& node) {
  if (array.type.n_dimensions == 1) {
    return std::vector{int64_constant(0, place(context, *array.node))};
  }
  error(context, *array.node,
        format("{} takes a 1-dimensional array, '{}' is {}", text(context, *node.child("func")),
               text(context, *array.node), with_article(array.type)),
        "cuda.atomic.cas takes an index");
  return std::nullopt;
}

std::size_t n_before_values(const AtomicInfo& row) { return row.takes_index ? 2 : 1; }

// The arguments as in messages.
std::string usual_arguments(const AtomicInfo& row) {
  return std::string(row.takes_index ? "(a, i, " : "(a, ") +
         (row.n_values == 1 ? "value)" : "old, value)");
}

Value atomic_value(FunctionContext& context, Atomic function, const Value& array,
                   const SyntaxNode& node) {
  const std::vector<SyntaxNode>& arguments = node.children("args");
  if (array.type.is_read_only) {
    report_read_only(context, array, arguments[0]);
    return {};
  }
  if (!check_atomic_dtype(context, info(function), array, node)) return {};
  auto operands = info(function).takes_index ? given_index(context, array, arguments[1])
                                             : first_element(context, array, node);
  bool has_error = !operands;
  for (std::size_t i = n_before_values(info(function)); i < arguments.size(); ++i) {
    const Value value = infer(context, arguments[i]);
    has_error |= !value.type.is_known();
    if (has_error) continue;
    operands->push_back(result_cast(context, value, array.type.dtype, "given"));
  }
  if (has_error) return {};
  mark_written(context, array.expression);
  const int owner = element_owner(context, array, *operands);
  Value value;
  value.node = &node;
  value.type = InferredType::scalar(array.type.dtype);
  value.expression =
      Expression{ExpressionKind::kAtomic, ValueType::scalar(array.type.dtype), place(context, node),
                 std::move(*operands), AtomicUpdate{function, owner}};
  return once(context, std::move(value));
}

}  // namespace

Value call_atomic(FunctionContext& context, const std::string& name, const SyntaxNode& node) {
  const auto function = find_atomic(std::string_view(name).substr(kAtomicPrefix.size()));
  NPP_ASSERT(function, name);
  const AtomicInfo& row = info(*function);
  const std::string shown = text(context, *node.child("func"));
  if (!check_plain_arguments(context, name, node)) return {};
  const std::vector<SyntaxNode>& arguments = node.children("args");
  const std::size_t n_before = n_before_values(row);
  const int n_expected = row.n_values + static_cast<int>(n_before);
  if (!check_argument_count(context, n_expected, n_expected, node, usual_arguments(row))) return {};
  const Value array = infer(context, arguments[0]);
  if (!array.type.is_known()) return {};
  if (!array.type.is_array()) {
    const std::string kind = array.type.is_scalar() ? "a number" : with_article(array.type);
    std::string call_text = shown + (row.takes_index ? "(a, i" : "(a");
    for (std::size_t i = n_before; i < arguments.size(); ++i) {
      call_text += ", " + text(context, arguments[i]);
    }
    return error(context, arguments[0],
                 format("{} needs an array, {} is {}", shown, text(context, arguments[0]), kind),
                 call_text + ")");
  }
  return atomic_value(context, *function, array, node);
}

}  // namespace numpy_plugin::declare
