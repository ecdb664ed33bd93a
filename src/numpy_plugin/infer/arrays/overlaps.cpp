#include "numpy_plugin/infer/arrays/element_loop.hpp"

#include <algorithm>

#include "numpy_plugin/infer/expressions/infer_conversions.hpp"

namespace numpy_plugin::declare {
namespace {

// Whether an expression has the same value wherever it stands in a statement.
bool is_same(const Expression& left, const Expression& right) {
  if (left.kind != right.kind || left.type != right.type) return false;
  if (left.kind == ExpressionKind::kConstant) {
    return detail<ConstantValue>(left) == detail<ConstantValue>(right);
  }
  if (left.kind == ExpressionKind::kLocal) return read_local(left) == read_local(right);
  if (left.kind == ExpressionKind::kArraySize) {
    return named_local(left) == named_local(right) &&
           detail<ArraySize>(left).axis == detail<ArraySize>(right).axis;
  }
  const bool is_operation = left.kind == ExpressionKind::kCall;
  if (is_operation && detail<Operation>(left) != detail<Operation>(right)) return false;
  return (is_operation || left.kind == ExpressionKind::kCast ||
          left.kind == ExpressionKind::kSlice) &&
         std::equal(left.operands.begin(), left.operands.end(), right.operands.begin(),
                    right.operands.end(), is_same);
}

// The constant at which a slice with step 1 starts; nullopt for others.
std::optional<std::int64_t> constant_start(const Expression& slice) {
  if (slice.operands.empty()) return 0;
  const auto number = [&slice](std::size_t operand) -> std::optional<std::int64_t> {
    const Expression& bound = slice.operands[operand];
    if (bound.kind != ExpressionKind::kConstant) return std::nullopt;
    return std::get<std::int64_t>(detail<ConstantValue>(bound));
  };
  return number(2) == 1 ? number(0) : std::nullopt;
}

// How far what is read is behind what is stored, in the same direction for every size.
std::optional<std::int64_t> shift(const Expression& stored, const Expression& read) {
  if (is_same(stored, read)) return 0;
  const auto to = constant_start(stored);
  const auto from = constant_start(read);
  if (!to || !from || (*to < 0) != (*from < 0)) return std::nullopt;
  return *to - *from;
}

std::int64_t base_size(const ElementSource& source, std::size_t item) {
  return source.base_sizes.empty() ? -1 : source.base_sizes[item];
}

}  // namespace

bool has_same_size(const ElementSource& first, std::size_t first_axis, const ElementSource& second,
                   std::size_t second_axis) {
  const std::int64_t size = first.array.type.size(static_cast<int>(first_axis));
  if (size != -1 && size == second.array.type.size(static_cast<int>(second_axis))) return true;
  if (first.base < 0 || second.base < 0) return false;
  const std::size_t item = first.kept[first_axis];
  const std::size_t other = second.kept[second_axis];
  const std::int64_t whole = base_size(first, item);
  const bool is_of_same_size = (first.base == second.base && item == other) ||
                               (whole != -1 && whole == base_size(second, other));
  return is_of_same_size && is_same(first.items[item], second.items[other]);
}

bool order_loop(ElementLoop& loop, const ElementSource& read) {
  const ElementSource& stored = loop.sources.front();
  if (stored.base < 0 || stored.base != read.base || stored.kept != read.kept) return false;
  bool is_shifted = false;
  for (std::size_t axis = 0; axis < stored.kept.size(); ++axis) {
    const std::size_t item = stored.kept[axis];
    const auto distance = shift(stored.items[item], read.items[item]);
    if (!distance || !has_same_size(stored, axis, read, axis)) return false;
    if (*distance == 0) continue;
    LoopAxis& order = loop.axes[axis];
    const bool is_reversed = *distance > 0;
    if (is_shifted || (order.is_ordered && order.is_reversed != is_reversed)) return false;
    order.is_ordered = is_shifted = true;
    order.is_reversed = is_reversed;
  }
  return true;
}

}  // namespace numpy_plugin::declare
