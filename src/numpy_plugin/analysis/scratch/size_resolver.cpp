#include "numpy_plugin/analysis/scratch/scratch_sizes.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "numpy_plugin/analysis/tree.hpp"

namespace numpy_plugin::analysis {

using declare::ArraySize;
using declare::Expression;
using declare::ExpressionKind;
using declare::Operation;
using declare::Statement;
using declare::StatementKind;

namespace {

bool is_known_operation(Operation operation) {
  switch (operation) {
    case Operation::kAdd:
    case Operation::kSubtract:
    case Operation::kMultiply:
    case Operation::kFloorDivide:
    case Operation::kRemainder:
    case Operation::kMinimum:
    case Operation::kMaximum:
    case Operation::kPythonMin:
    case Operation::kPythonMax:
      return true;
    default:
      return false;
  }
}

bool is_comparison_of_sizes(const Expression& call) {
  switch (detail<Operation>(call)) {
    case Operation::kEqual:
    case Operation::kNotEqual:
    case Operation::kLess:
    case Operation::kLessEqual:
    case Operation::kGreater:
    case Operation::kGreaterEqual:
      return std::ranges::all_of(call.operands, [](const Expression& operand) {
        return operand.type.dtype == base::DType::kInt64;
      });
    default:
      return false;
  }
}

bool is_same_size(const Expression& first, const Expression& second) {
  if (first.kind != second.kind || first.operands.size() != second.operands.size()) return false;
  const auto* const size = std::get_if<ArraySize>(&first.detail);
  const auto* const number = std::get_if<declare::ConstantValue>(&first.detail);
  const auto* const operation = std::get_if<Operation>(&first.detail);
  if (size != nullptr) {
    const auto& other = detail<ArraySize>(second);
    return size->array == other.array && size->axis == other.axis;
  }
  if (number != nullptr) return *number == detail<declare::ConstantValue>(second);
  if (operation != nullptr && *operation != detail<Operation>(second)) return false;
  return std::equal(first.operands.begin(), first.operands.end(), second.operands.begin(),
                    is_same_size);
}

// The size of an array that depends on that array's own size only: whatever its others are.
Expression any_size() { return {ExpressionKind::kTuple, {}, {}, {}}; }
bool is_any(const Expression& size) { return size.kind == ExpressionKind::kTuple; }

Expression greater_size(Expression first, Expression second) {
  const declare::ValueType type = declare::ValueType::scalar(base::DType::kInt64);
  std::vector<Expression> operands = {std::move(first), std::move(second)};
  return {ExpressionKind::kCall, type, {}, std::move(operands), Operation::kMaximum};
}

// Of two arrays that a name may hold.
std::optional<Expression> common_size(std::optional<Expression> first,
                                      std::optional<Expression> second, bool takes_bound) {
  if (!first || !second) return std::nullopt;
  if (is_any(*first)) return second;
  if (is_any(*second) || is_same_size(*first, *second)) return first;
  return takes_bound ? std::optional(greater_size(std::move(*first), std::move(*second)))
                     : std::nullopt;
}

// a[:], a[::-1]
bool is_whole_slice(const Expression& slice) {
  const auto start = as_int64(slice.operands[0]);
  const auto stop = as_int64(slice.operands[1]);
  const auto step = as_int64(slice.operands[2]);
  constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();
  return (step == 1 && start == 0 && stop == kLast) ||
         (step == -1 && start == kLast && stop == kFirst);
}

Expression size_constant(std::int64_t value) {
  return {ExpressionKind::kConstant,
          declare::ValueType::scalar(base::DType::kInt64),
          {},
          {},
          declare::ConstantValue(value)};
}

// A size, or a constant that may be one.
bool is_not_negative(const Expression& size) {
  if (size.kind == ExpressionKind::kCast) return is_not_negative(size.operands.front());
  return size.kind == ExpressionKind::kArraySize || as_int64(size).value_or(-1) >= 0;
}

}  // namespace

std::optional<Expression> SizeResolver::bound(const Expression& size) {
  if (auto exact = resolve(size)) return exact;
  takes_bounds_ = true;
  auto found = resolve(size);
  takes_bounds_ = false;
  return found;
}

std::optional<Expression> SizeResolver::resolve_exactly(const Expression& size) {
  const bool took_bounds = std::exchange(takes_bounds_, false);
  auto found = resolve(size);
  takes_bounds_ = took_bounds;
  return found;
}

std::optional<Expression> SizeResolver::resolve(const Expression& size) {
  switch (size.kind) {
    case ExpressionKind::kConstant:
      return size;
    case ExpressionKind::kLocal:
      return resolve_value(*declare::read_local(size));
    case ExpressionKind::kArraySize: {
      const auto& [array, axis] = detail<ArraySize>(size);
      auto found = size_of(array, axis);
      return found && is_any(*found) ? std::nullopt : found;
    }
    case ExpressionKind::kCast: {
      const bool is_wide = base::is_integer(size.operands.front().type.dtype) &&
                           size.type.dtype == base::DType::kInt64;
      return is_wide ? resolve_operands(size) : std::nullopt;
    }
    case ExpressionKind::kSelect:  // also the size of two arrays, one of which may be of size 1
      return takes_bounds_ ? bound_of_either(size.operands[1], size.operands[2])
                           : resolve_operands(size);
    case ExpressionKind::kCall: {
      const bool is_size =
          is_known_operation(detail<Operation>(size)) && size.type.dtype == base::DType::kInt64;
      if (is_size && takes_bounds_) return bound_of_call(size);
      return is_size || is_comparison_of_sizes(size) ? resolve_operands(size) : std::nullopt;
    }
    case ExpressionKind::kCallFunction:
      return resolve_result(size);
    default:
      return std::nullopt;
  }
}

std::optional<Expression> SizeResolver::resolve_operands(Expression expression) {
  for (Expression& operand : expression.operands) {
    auto resolved = resolve(operand);
    if (!resolved) return std::nullopt;
    operand = std::move(*resolved);
  }
  return expression;
}

std::optional<Expression> SizeResolver::bound_of_either(const Expression& first,
                                                        const Expression& second) {
  return common_size(resolve(first), resolve(second), /*takes_bound=*/true);
}

std::optional<Expression> SizeResolver::bound_of_call(const Expression& call) {
  const Expression& left = call.operands[0];
  const Expression& right = call.operands[1];
  switch (detail<Operation>(call)) {
    case Operation::kAdd:
      return resolve_operands(call);
    case Operation::kMultiply:
      return is_not_negative(left) && is_not_negative(right) ? resolve_operands(call)
                                                             : resolve_exactly(call);
    case Operation::kMaximum:
    case Operation::kPythonMax:
      return bound_of_either(left, right);
    case Operation::kMinimum:
    case Operation::kPythonMin: {
      auto first = resolve(left);
      return first ? first : resolve(right);
    }
    case Operation::kSubtract: {
      Expression difference = call;
      auto first = resolve(left);
      auto second = resolve_exactly(right);
      if (!second && is_not_negative(right)) return first;
      if (!first || !second) return std::nullopt;
      difference.operands = {std::move(*first), std::move(*second)};
      return difference;
    }
    case Operation::kFloorDivide:
      return as_int64(right).value_or(0) > 0 ? resolve_operands(call) : resolve_exactly(call);
    default:
      return resolve_exactly(call);
  }
}

std::vector<const Expression*> SizeResolver::values_of(int local) const {
  std::vector<const Expression*> values;
  visit_statements(function_.body, [&](const Statement& each) {
    if (each.kind == StatementKind::kAssign && each.local == local) {
      values.push_back(&*each.value);
    }
  });
  return values;
}

// With bounds where this function takes them.
template <class Find>
std::optional<Expression> SizeResolver::in_caller(Find find) {
  const bool took_bounds = std::exchange(caller_->takes_bounds_, takes_bounds_);
  auto found = find();
  caller_->takes_bounds_ = took_bounds;
  return found;
}

// Of a parameter that keeps the value of its argument.
std::optional<Expression> SizeResolver::resolve_argument(int parameter) {
  if (caller_ == nullptr || count_assignments(function_.body, parameter) > 0) return std::nullopt;
  const Expression& argument = call_->operands[static_cast<std::size_t>(parameter)];
  return in_caller([&] { return caller_->resolve(argument); });
}

// Of a function with one result.
std::optional<Expression> SizeResolver::resolve_result(const Expression& call) {
  const auto index = detail<declare::DeviceFunctionCall>(call).function;
  const declare::Function& called = kernel_.device_functions[static_cast<std::size_t>(index)];
  std::vector<const Expression*> results;
  visit_statements(called.body, [&](const Statement& each) {
    if (each.kind == StatementKind::kReturn && each.value) results.push_back(&*each.value);
  });
  if (results.size() != 1 || called.is_recursive) return std::nullopt;
  SizeResolver inner(called, call, *this);
  inner.takes_bounds_ = takes_bounds_;
  return inner.resolve(*results.front());
}

// Of an array that is passed: the kernel's, or what the caller knows of its argument.
std::optional<Expression> SizeResolver::size_of_parameter(int array, int axis) {
  if (caller_ == nullptr) {
    return Expression{ExpressionKind::kArraySize,
                      declare::ValueType::scalar(base::DType::kInt64),
                      {},
                      {},
                      ArraySize{array, axis}};
  }
  const Expression& argument = call_->operands[static_cast<std::size_t>(array)];
  return in_caller([&] { return caller_->size_of(argument, axis); });
}

// Of a number with a single value.
std::optional<Expression> SizeResolver::resolve_value(int local) {
  const bool is_parameter = static_cast<std::size_t>(local) < function_.n_parameters;
  if (is_parameter) return resolve_argument(local);
  const bool is_single = count_assignments(function_.body, local) == 1;
  const std::vector<const Expression*> values = values_of(local);
  if (!is_single || values.size() != 1) return std::nullopt;
  return resolve(*values.front());
}

// Of a local array, all of whose values have the same size.
std::optional<Expression> SizeResolver::size_of(int array, int axis) {
  const auto index = static_cast<std::size_t>(array);
  if (index < function_.n_parameters) return size_of_parameter(array, axis);
  const declare::ArrayStorage& storage = function_.locals[index].storage;
  if (!storage.sizes.empty()) return size_constant(storage.sizes[static_cast<std::size_t>(axis)]);
  if (!open_.insert({array, axis}).second) return any_size();
  std::optional<Expression> found = any_size();
  for (const Expression* value : values_of(array)) {
    found = common_size(std::move(found), size_of(*value, axis), takes_bounds_);
  }
  open_.erase({array, axis});
  return found;
}

// Of an array's value.
std::optional<Expression> SizeResolver::size_of(const Expression& array, int axis) {
  if (const auto local = declare::read_local(array)) return size_of(*local, axis);
  if (array.kind == ExpressionKind::kCast) return size_of(array.operands.front(), axis);
  if (array.kind == ExpressionKind::kScratchArray) {
    const Expression& size = array.operands[static_cast<std::size_t>(axis)];
    const auto* const like = std::get_if<ArraySize>(&size.detail);
    return like != nullptr ? size_of(like->array, like->axis) : resolve(size);
  }
  if (array.kind == ExpressionKind::kReshape) {
    return resolve(array.operands[1 + static_cast<std::size_t>(axis)]);
  }
  if (array.kind == ExpressionKind::kTranspose) {
    return size_of(array.operands.front(), array.type.n_dimensions - 1 - axis);
  }
  return array.kind == ExpressionKind::kView ? size_of_view(array, axis) : std::nullopt;
}

std::optional<Expression> SizeResolver::size_of_view(const Expression& view, int axis) {
  int n_kept = 0;
  for (std::size_t item = 1; item < view.operands.size(); ++item) {
    const Expression& slice = view.operands[item];
    if (slice.kind != ExpressionKind::kSlice || n_kept++ != axis) continue;
    auto whole = size_of(view.operands.front(), static_cast<int>(item) - 1);
    if (!whole || slice.operands.empty() || is_whole_slice(slice)) return whole;
    if (takes_bounds_) return whole;
    auto bounds = is_any(*whole) ? std::nullopt : resolve_operands(slice);
    if (bounds) bounds->operands.insert(bounds->operands.begin(), std::move(*whole));
    return bounds;
  }
  return std::nullopt;
}

}  // namespace numpy_plugin::analysis
