// np.arange of integers: the numbers of a range, as an array.
#include <utility>

#include "numpy_plugin/infer/arrays/new_arrays.hpp"
#include "numpy_plugin/infer/calls/call_arguments.hpp"
#include "numpy_plugin/infer/calls/infer_calls.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_operators.hpp"
#include "numpy_plugin/infer/statements/infer_loops.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

// The number of items, which is not negative.
Expression n_items_of(FunctionContext& context, const Iterable& range, const SyntaxNode& node) {
  const SourceSpan where = place(context, node);
  const Value n = length(context, range);
  const auto number = [&](Int128 value) {
    return int64_constant(static_cast<std::int64_t>(value), where);
  };
  if (const auto* known = constant_integer(n)) return number(*known < 0 ? 0 : *known);
  Value size = n;
  size.type = InferredType::scalar(DType::kInt64);
  size.expression = call(Operation::kPythonMax, DType::kInt64, {n.expression, number(0)}, where);
  return in_local(context, std::move(size)).expression;
}

}  // namespace

Value builtin_arange(FunctionContext& context, const std::string& name, const SyntaxNode& node) {
  auto range = counted_range(context, name, node, {"dtype"});
  if (!range) return {};
  DType dtype = DType::kInt64;
  const SyntaxNode* const given = find_keyword(node, "dtype");
  if (given != nullptr && !is_none(*given)) {
    const auto found = dtype_argument(context, *given);
    if (!found) return {};
    dtype = *found;
  }
  for (Value& number : range->numbers) number = settled(context, std::move(number), {});
  NewDimension dimension{n_items_of(context, *range, node), -1};
  if (dimension.size.kind == ExpressionKind::kConstant) {
    dimension.known = std::get<std::int64_t>(detail<ConstantValue>(dimension.size));
  }
  ElementLoop loop;
  const int counter = context.scope.add_temporary(InferredType::weak(DType::kInt64));
  loop.axes.push_back({dimension.size, counter});
  const Value array = new_array(context, dtype, {std::move(dimension)}, node);
  if (!array.type.is_known()) return {};
  const SourceSpan where = place(context, node);
  const Value position = plain_integer({ExpressionKind::kLocal,
                                        ValueType::scalar(DType::kInt64),
                                        where,
                                        {},
                                        LocalReference{counter}},
                                       node);
  Statement store{StatementKind::kStore, where, *read_local(array.expression), {}, {}, {}, {}, {}};
  store.indices = {position.expression};
  const Value item = item_at(context, *range, position);
  store.value = cast(convert(context, item, InferredType::scalar(DType::kInt64)), dtype);
  std::vector<Statement> body;
  body.push_back(std::move(store));
  add_loop(context, loop, std::move(body), node);
  return array;
}

}  // namespace numpy_plugin::declare
