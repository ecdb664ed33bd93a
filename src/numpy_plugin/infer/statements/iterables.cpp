#include "numpy_plugin/infer/statements/infer_loops.hpp"

#include <algorithm>
#include <limits>

#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_arrays.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"
#include "numpy_plugin/infer/expressions/infer_operators.hpp"
#include "numpy_plugin/infer/expressions/records.hpp"
#include "numpy_plugin/syntax/functions.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

constexpr Int128 kMostTrips = std::numeric_limits<std::int64_t>::max();

bool contains(const std::vector<int>& locals, std::optional<int> local) {
  return local && std::find(locals.begin(), locals.end(), *local) != locals.end();
}

bool is_integer(const Value& value, Int128 number) {
  const auto* constant = constant_integer(value);
  return constant && *constant == number;
}

Expression count(FunctionContext& context, const Value& value) {
  return convert(context, value, InferredType::scalar(DType::kInt64));
}

Value computed(FunctionContext& context, SyntaxKind op, const Value& left, const Value& right,
               const SyntaxNode& node) {
  Value value = binary(context, *find_operator(op), left, right, node);
  value.node = &node;
  return value;
}

Value times(FunctionContext& context, const Value& left, const Value& right,
            const SyntaxNode& node) {
  if (is_integer(right, 1)) return left;
  return computed(context, SyntaxKind::kMult, left, right, node);
}

Int128 trips(Int128 start, Int128 stop, Int128 step) {
  const Int128 distance = step > 0 ? stop - start : start - stop;
  const Int128 stride = step > 0 ? step : -step;
  return distance <= 0 ? 0 : std::min(kMostTrips, (distance - 1) / stride + 1);
}

Value range_length(FunctionContext& context, const Iterable& range) {
  const Value &start = range.numbers[0], &stop = range.numbers[1], &step = range.numbers[2];
  const auto *first = constant_integer(start), *last = constant_integer(stop),
             *stride = constant_integer(step);
  if (first && last && stride) {
    return constant(context, trips(*first, *last, *stride), *range.node);
  }
  if (is_integer(start, 0) && is_integer(step, 1)) {
    return plain_integer(count(context, stop), *range.node);
  }
  return plain_integer(call(Operation::kRangeLength, DType::kInt64,
                            {count(context, start), count(context, stop), count(context, step)},
                            place(context, *range.node)),
                       *range.node);
}

// Whether two lengths are the same core dimension.
bool is_same_size(const FunctionContext& context, const Expression& left, const Expression& right) {
  const auto* first = std::get_if<ArraySize>(&left.detail);
  const auto* second = std::get_if<ArraySize>(&right.detail);
  if (first == nullptr || second == nullptr) return false;
  if (first->array == second->array && first->axis == second->axis) return true;
  const auto name_of = [&](const ArraySize& size) {
    const CoreSignature* const layout = context.task.layout;
    const auto operand = static_cast<std::size_t>(size.array);
    const auto axis = static_cast<std::size_t>(size.axis);
    const bool is_named = layout != nullptr && operand < layout->operands.size() &&
                          axis < layout->operands[operand].size();
    return is_named ? layout->operands[operand][axis].name_index : -1;
  };
  return name_of(*first) >= 0 && name_of(*first) == name_of(*second);
}

Value shorter(FunctionContext& context, const Value& left, const Value& right,
              const SyntaxNode& node) {
  const auto *first = constant_integer(left), *second = constant_integer(right);
  if (first && second) return constant(context, std::min(*first, *second), node);
  if (is_same_size(context, left.expression, right.expression)) return left;
  return plain_integer(call(Operation::kPythonMin, DType::kInt64,
                            {count(context, left), count(context, right)}, place(context, node)),
                       node);
}

Value array_length(FunctionContext& context, const Iterable& iterable) {
  if (iterable.value.type.is_records()) {
    return record_count(context, iterable.value, *iterable.node);
  }
  const std::int64_t size = iterable.value.type.size(0);
  if (size >= 0) return constant(context, Int128{size}, *iterable.node);
  return array_size(context, detail<LocalReference>(iterable.value.expression).local, 0,
                    *iterable.node);
}

// An element, or a view of the part at a position of the first dimension.
Value array_item(FunctionContext& context, const Iterable& iterable, const Value& position) {
  const Value& array = iterable.value;
  if (array.type.is_records()) {
    return record_at(context, array, count(context, position), *iterable.node);
  }
  if (array.type.n_dimensions == 1) {
    const int local = detail<LocalReference>(array.expression).local;
    return array_load(context, array.type.dtype, local, {count(context, position)}, *iterable.node);
  }
  Value part;
  part.node = iterable.node;
  part.type = array.type;
  --part.type.n_dimensions;
  if (!part.type.sizes.empty()) part.type.sizes.erase(part.type.sizes.begin());
  part.expression = Expression{ExpressionKind::kView,
                               storage(part.type),
                               place(context, *iterable.node),
                               {array.expression, count(context, position)}};
  for (int axis = 1; axis < array.type.n_dimensions; ++axis) {
    part.expression.operands.push_back(
        Expression{ExpressionKind::kSlice, {}, place(context, *iterable.node), {}});
  }
  return part;
}

// The index in each dimension at a position in C order.
std::vector<Value> indices_at(FunctionContext& context, const Iterable& iterable,
                              const Value& position) {
  const SyntaxNode& node = *iterable.node;
  std::vector<Value> indices(iterable.numbers.size());
  Value rest = position;
  for (std::size_t axis = indices.size(); axis-- > 0;) {
    const Value& size = iterable.numbers[axis];
    const bool is_first = axis == 0;
    indices[axis] =
        reusable(context, is_first ? rest : computed(context, SyntaxKind::kMod, rest, size, node));
    if (!is_first) rest = computed(context, SyntaxKind::kFloorDiv, rest, size, node);
  }
  return indices;
}

// The element at these indices.
Value element_at(FunctionContext& context, const Iterable& iterable,
                 const std::vector<Value>& indices) {
  std::vector<Expression> positions;
  for (const Value& index : indices) positions.push_back(count(context, index));
  const int local = detail<LocalReference>(iterable.value.expression).local;
  return array_load(context, iterable.value.type.dtype, local, std::move(positions),
                    *iterable.node);
}

Value item_of_indices(FunctionContext& context, const Iterable& iterable, const Value& position) {
  const SyntaxNode& node = *iterable.node;
  const std::vector<Value> indices = indices_at(context, iterable, position);
  if (iterable.kind == Iterable::Kind::kElements) return element_at(context, iterable, indices);
  const Value index = tuple_of(context, indices, node);
  if (iterable.kind == Iterable::Kind::kIndices) return index;
  return tuple_of(context, {index, element_at(context, iterable, indices)}, node);
}

Value tuple_item(const FunctionContext& context, const Iterable& iterable, const Value& position) {
  const auto index = static_cast<std::size_t>(*constant_integer(position));
  const std::vector<SyntaxNode>& nodes = iterable.node->children("elts");
  const bool has_nodes = nodes.size() == iterable.value.type.items.size();
  return tuple_part(context, iterable.value, index, has_nodes ? nodes[index] : *iterable.node);
}

// Numbers of a range that stay the same; converted to int64 once.
void settle_numbers(FunctionContext& context, Iterable& iterable, const std::vector<int>& changed) {
  for (Value& number : iterable.numbers) {
    if (number.constant) continue;
    number = settled(context, plain_integer(count(context, number), *number.node), changed);
  }
}

void settle(FunctionContext& context, Iterable& iterable, const std::vector<int>& changed) {
  settle_numbers(context, iterable, changed);
  for (Iterable& part : iterable.parts) settle(context, part, changed);
}

}  // namespace

std::optional<Iterable> infer_iterable(FunctionContext& context, const SyntaxNode& node,
                                       const std::vector<int>& changed) {
  auto result = called_iterable(context, node, changed);
  // The bounds of a range alone are evaluated once by the loop itself.
  if (result && result->kind != Iterable::Kind::kRange) settle(context, *result, changed);
  return result;
}

bool has_tuple(const Iterable& iterable) {
  return iterable.kind == Iterable::Kind::kTuple ||
         std::any_of(iterable.parts.begin(), iterable.parts.end(), has_tuple);
}

Value length(FunctionContext& context, const Iterable& iterable) {
  switch (iterable.kind) {
    case Iterable::Kind::kRange:
      return range_length(context, iterable);
    case Iterable::Kind::kArray:
      return array_length(context, iterable);
    case Iterable::Kind::kTuple:
      return constant(context, static_cast<Int128>(iterable.value.type.items.size()),
                      *iterable.node);
    case Iterable::Kind::kIndices:
    case Iterable::Kind::kElements:
    case Iterable::Kind::kIndexedElements: {
      Value n = constant(context, Int128{1}, *iterable.node);
      for (const Value& size : iterable.numbers) n = times(context, size, n, *iterable.node);
      return n;
    }
    case Iterable::Kind::kEnumerate:
    case Iterable::Kind::kReversed:
    case Iterable::Kind::kZip:
      break;
  }
  Value result = length(context, iterable.parts.front());
  for (std::size_t i = 1; i < iterable.parts.size(); ++i) {
    result = shorter(context, result, length(context, iterable.parts[i]), *iterable.node);
  }
  return result;
}

Value item_at(FunctionContext& context, const Iterable& iterable, const Value& position) {
  const SyntaxNode& node = *iterable.node;
  switch (iterable.kind) {
    case Iterable::Kind::kRange:
      return plus(context, iterable.numbers[0], times(context, position, iterable.numbers[2], node),
                  node);
    case Iterable::Kind::kArray:
      return array_item(context, iterable, position);
    case Iterable::Kind::kTuple:
      return tuple_item(context, iterable, position);
    case Iterable::Kind::kIndices:
    case Iterable::Kind::kElements:
    case Iterable::Kind::kIndexedElements:
      return item_of_indices(context, iterable, position);
    case Iterable::Kind::kReversed: {
      const Iterable& part = iterable.parts.front();
      const Value last =
          minus(context, length(context, part), constant(context, Int128{1}, node), node);
      return item_at(context, part, minus(context, last, position, node));
    }
    case Iterable::Kind::kEnumerate:
      return tuple_of(context,
                      {plus(context, iterable.numbers[0], position, node),
                       item_at(context, iterable.parts.front(), position)},
                      node);
    case Iterable::Kind::kZip:
      break;
  }
  std::vector<Value> items;
  for (const Iterable& part : iterable.parts) items.push_back(item_at(context, part, position));
  return tuple_of(context, items, node);
}

Value plus(FunctionContext& context, const Value& left, const Value& right,
           const SyntaxNode& node) {
  if (is_integer(left, 0)) return right;
  if (is_integer(right, 0)) return left;
  return computed(context, SyntaxKind::kAdd, left, right, node);
}

Value minus(FunctionContext& context, const Value& left, const Value& right,
            const SyntaxNode& node) {
  if (is_integer(right, 0)) return left;
  return computed(context, SyntaxKind::kSub, left, right, node);
}

Value tuple_part(const FunctionContext& context, const Value& tuple, std::size_t index,
                 const SyntaxNode& node) {
  Value result = item(context, tuple, index, node);
  if (!result.type.is_weak || result.expression.kind != ExpressionKind::kConstant) return result;
  const auto& number = detail<ConstantValue>(result.expression);
  if (const auto* integer = std::get_if<std::int64_t>(&number)) result.constant = Int128{*integer};
  if (const auto* real = std::get_if<double>(&number)) result.constant = *real;
  if (const auto* complex = std::get_if<std::complex<double>>(&number)) result.constant = *complex;
  return result;
}

Value settled(FunctionContext& context, Value value, const std::vector<int>& changed) {
  if (value.constant || !value.type.is_known()) return value;
  Expression& expression = value.expression;
  if (value.type.is_tuple() && expression.kind == ExpressionKind::kTuple) {
    for (std::size_t i = 0; i < expression.operands.size(); ++i) {
      expression.operands[i] =
          settled(context, item(context, value, i, *value.node), changed).expression;
    }
    return value;
  }
  const bool is_read = expression.kind == ExpressionKind::kLocal ||
                       expression.kind == ExpressionKind::kArraySize ||
                       expression.kind == ExpressionKind::kConstant;
  if (is_read && !contains(changed, named_local(expression))) return value;
  return reusable(context, std::move(value), /*even_plain_reads=*/true);
}

}  // namespace numpy_plugin::declare
