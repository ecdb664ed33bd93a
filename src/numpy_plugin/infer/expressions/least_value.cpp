#include "numpy_plugin/infer/expressions/infer_conversions.hpp"

#include <algorithm>
#include <string_view>

namespace numpy_plugin::declare {
namespace {

using base::DType;
using Least = std::optional<int>;

// Sizes of blocks and grids are positive, indices in them are not negative.
Least least_of_thread(ThreadFunction function) {
  const std::string_view name = info(function).python_name;
  for (const std::string_view size : {"blockDim", "gridDim", "gridsize", "warpsize"}) {
    if (name.starts_with(size)) return 1;
  }
  for (const std::string_view index : {"threadIdx", "blockIdx", "grid.", "laneid"}) {
    if (name.starts_with(index)) return 0;
  }
  return std::nullopt;
}

Least least_of_constant(const ConstantValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    return *number < 0 ? Least() : Least(*number > 0 ? 1 : 0);
  }
  const auto* number = std::get_if<std::uint64_t>(&value);
  return number == nullptr ? Least() : Least(*number > 0 ? 1 : 0);
}

// Indices of threads fit 32 bits, as CUDA's do.
bool keeps_value(const Expression& operand, DType dtype) {
  if (operand.type.dtype == DType::kBool) return true;
  if (!base::is_integer(operand.type.dtype)) return false;
  const IntegerRange from = range_of(operand.type.dtype), to = range_of(dtype);
  const bool is_index = operand.kind == ExpressionKind::kThread && n_bits(dtype) >= 32;
  return is_index || from.high <= to.high;
}

Least least_of_call(Operation operation, const Least& left, const Least& right) {
  const bool are_known = left && right;
  switch (operation) {
    case Operation::kAdd:
      return are_known ? Least(std::max(*left, *right)) : Least();
    case Operation::kMultiply:
    case Operation::kPythonMin:
      return are_known ? Least(std::min(*left, *right)) : Least();
    case Operation::kFloorDivide:
      return are_known ? Least(0) : Least();
    case Operation::kPythonMax:
      return std::max(left, right);
    case Operation::kRemainder:
      return right == 1 ? Least(0) : Least();
    case Operation::kShiftRight:
      return left ? Least(0) : Least();
    case Operation::kBitwiseAnd:
      return left || right ? Least(0) : Least();
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<int> least_value(const FunctionContext& context, const Expression& expression) {
  if (expression.type.kind != ValueType::Kind::kScalar) return std::nullopt;
  const DType dtype = expression.type.dtype;
  if (dtype == DType::kBool) return 0;
  if (!base::is_integer(dtype)) return std::nullopt;
  const bool is_unsigned = range_of(dtype).low == 0;
  const auto least = [&]() -> Least {
    switch (expression.kind) {
      case ExpressionKind::kThread:
        return least_of_thread(detail<ThreadFunction>(expression));
      case ExpressionKind::kConstant:
        return least_of_constant(detail<ConstantValue>(expression));
      case ExpressionKind::kArraySize:
        return 0;
      case ExpressionKind::kCast: {
        const Expression& operand = expression.operands.front();
        return keeps_value(operand, dtype) ? least_value(context, operand) : std::nullopt;
      }
      case ExpressionKind::kCall:
        if (expression.operands.size() != 2 || n_bits(dtype) < 32) return std::nullopt;
        return least_of_call(detail<Operation>(expression),
                             least_value(context, expression.operands[0]),
                             least_value(context, expression.operands[1]));
      case ExpressionKind::kLocal: {
        const auto local = static_cast<std::size_t>(*named_local(expression));
        const auto& variables = context.scope.variables;
        return local < variables.size() ? variables[local].least : std::nullopt;
      }
      default:
        return std::nullopt;
    }
  }();
  return least || !is_unsigned ? least : Least(0);
}

}  // namespace numpy_plugin::declare
