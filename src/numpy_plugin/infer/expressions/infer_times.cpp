#include "numpy_plugin/infer/expressions/infer_times.hpp"

#include <algorithm>
#include <utility>

#include "numpy_plugin/base/time_type.hpp"
#include "numpy_plugin/base/time_units.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;
using base::TimeType;

// Kinds of operands and results.
enum class TimeKind { kDate, kDuration, kInteger, kFloat, kOther };

// The forms of NumPy's loops for operands of two kinds. Where both are times, they are in their
// common unit, as is the result.
struct TimeForm {
  Operation operation;
  TimeKind left;
  TimeKind right;
  Operation time_operation;
  TimeKind result;  // kInteger: int64, kFloat: float64, kOther: bool
  bool is_swapped = false;
};

constexpr auto kDate = TimeKind::kDate;
constexpr auto kDuration = TimeKind::kDuration;
constexpr auto kInteger = TimeKind::kInteger;
constexpr auto kFloat = TimeKind::kFloat;
constexpr auto kBool = TimeKind::kOther;

constexpr TimeForm kForms[] = {
    {Operation::kAdd, kDate, kDuration, Operation::kTimeAdd, kDate},
    {Operation::kAdd, kDuration, kDate, Operation::kTimeAdd, kDate},
    {Operation::kAdd, kDuration, kDuration, Operation::kTimeAdd, kDuration},
    {Operation::kAdd, kDate, kInteger, Operation::kTimeAdd, kDate},
    {Operation::kAdd, kInteger, kDate, Operation::kTimeAdd, kDate},
    {Operation::kAdd, kDuration, kInteger, Operation::kTimeAdd, kDuration},
    {Operation::kAdd, kInteger, kDuration, Operation::kTimeAdd, kDuration},
    {Operation::kSubtract, kDate, kDate, Operation::kTimeSubtract, kDuration},
    {Operation::kSubtract, kDate, kDuration, Operation::kTimeSubtract, kDate},
    {Operation::kSubtract, kDuration, kDuration, Operation::kTimeSubtract, kDuration},
    {Operation::kSubtract, kDate, kInteger, Operation::kTimeSubtract, kDate},
    {Operation::kSubtract, kDuration, kInteger, Operation::kTimeSubtract, kDuration},
    {Operation::kSubtract, kInteger, kDuration, Operation::kTimeSubtract, kDuration},
    {Operation::kMultiply, kDuration, kInteger, Operation::kTimeMultiply, kDuration},
    {Operation::kMultiply, kInteger, kDuration, Operation::kTimeMultiply, kDuration, true},
    {Operation::kMultiply, kDuration, kFloat, Operation::kTimeScale, kDuration},
    {Operation::kMultiply, kFloat, kDuration, Operation::kTimeScale, kDuration, true},
    {Operation::kTrueDivide, kDuration, kInteger, Operation::kTimeDivideInt, kDuration},
    {Operation::kTrueDivide, kDuration, kFloat, Operation::kTimeDivideFloat, kDuration},
    {Operation::kTrueDivide, kDuration, kDuration, Operation::kTimeRatio, kFloat},
    {Operation::kFloorDivide, kDuration, kInteger, Operation::kTimeDivideInt, kDuration},
    {Operation::kFloorDivide, kDuration, kFloat, Operation::kTimeDivideFloat, kDuration},
    {Operation::kFloorDivide, kDuration, kDuration, Operation::kTimeFloorDivide, kInteger},
    {Operation::kRemainder, kDuration, kDuration, Operation::kTimeRemainder, kDuration},
};

// Operations of two times of one kind.
struct TimePair {
  Operation operation;
  Operation time_operation;
  bool is_test;  // its result is a bool
  bool is_swapped = false;
};

constexpr TimePair kPairs[] = {
    {Operation::kLess, Operation::kTimeLess, true},
    {Operation::kLessEqual, Operation::kTimeLessEqual, true},
    {Operation::kGreater, Operation::kTimeLess, true, true},
    {Operation::kGreaterEqual, Operation::kTimeLessEqual, true, true},
    {Operation::kEqual, Operation::kTimeEqual, true},
    {Operation::kNotEqual, Operation::kTimeNotEqual, true},
    {Operation::kMaximum, Operation::kTimeMaximum, false},
    {Operation::kMinimum, Operation::kTimeMinimum, false},
    {Operation::kFmax, Operation::kTimeFmax, false},
    {Operation::kFmin, Operation::kTimeFmin, false},
};

TimeKind kind_of(DType dtype) {
  if (base::is_time(dtype)) return base::is_duration(dtype) ? kDuration : kDate;
  if (is_integer_or_bool(dtype)) return kInteger;
  return base::is_floating(dtype) ? kFloat : TimeKind::kOther;
}

std::optional<TimeForm> find_form(Operation operation, TimeKind left, TimeKind right) {
  for (const TimeForm& form : kForms) {
    if (form.operation == operation && form.left == left && form.right == right) return form;
  }
  const auto* const pair = std::ranges::find(kPairs, operation, &TimePair::operation);
  const auto is_duration = [](TimeKind kind) { return kind == kDuration || kind == kInteger; };
  const bool are_alike = left == right || (is_duration(left) && is_duration(right));
  if (pair == std::end(kPairs) || !are_alike) return std::nullopt;
  const TimeKind result = pair->is_test ? kBool : left == kDate ? kDate : kDuration;
  return TimeForm{operation, left, right, pair->time_operation, result, pair->is_swapped};
}

DType with_duration(const TimeType& type, bool is_duration) {
  return base::time_dtype({is_duration, type.unit, type.count});
}

// The unit in which an operation computes; nullopt, with an error, where two have no common one.
std::optional<TimeType> shared_unit(FunctionContext& context, const Value& left, const Value& right,
                                    const SyntaxNode& node) {
  if (!is_time(left)) return base::time_type(right.type.dtype);
  if (!is_time(right)) return base::time_type(left.type.dtype);
  const TimeType& first = base::time_type(left.type.dtype);
  const TimeType& second = base::time_type(right.type.dtype);
  const auto common = base::common_time(first, second);
  if (!common) {
    const bool is_mixed = base::is_calendar_unit(first.unit) != base::is_calendar_unit(second.unit);
    error(context, node,
          format("{} and {} have no common unit", describe(left.type), describe(right.type)),
          is_mixed ? "years and months vary in length; add durations of them to dates in [M]"
                   : "a tick of one is too many of the other for 64 bits; use closer units");
  }
  return common;
}

// An operand as its operation takes it: times in the unit as int64, numbers as int64 or float64.
std::optional<Expression> operand(FunctionContext& context, const Value& value,
                                  const TimeType& unit) {
  const TimeKind kind = kind_of(value.type.dtype);
  if (kind == kFloat) return convert(context, value, InferredType::scalar(DType::kFloat64));
  if (kind == kInteger) return convert(context, value, InferredType::scalar(DType::kInt64));
  return in_unit(value.expression, with_duration(unit, kind == kDuration));
}

DType result_dtype(TimeKind kind, const TimeType& unit) {
  if (kind == kBool) return DType::kBool;
  if (kind == kInteger) return DType::kInt64;
  return kind == kFloat ? DType::kFloat64 : with_duration(unit, kind == kDuration);
}

std::string shown(const FunctionContext& context, const Value& value) {
  return inner_text(context, *value.node);
}

// Of types without a unit, whose unit calls decide, an example.
std::string_view shown_unit(const TimeType& type) {
  return base::info(type.is_generic() ? base::TimeUnit::kSecond : type.unit).name;
}

// "np.timedelta64(1, 's')"
std::string one_tick(DType dtype) {
  const TimeType& type = base::time_type(dtype);
  return format("np.timedelta64({}, '{}')", type.count, shown_unit(type));
}

// The number that a time stands for.
std::string number_hint(const FunctionContext& context, const Value& time) {
  const std::string tick = one_tick(time.type.dtype);
  if (base::is_duration(time.type.dtype))
    return format("{} / {} is a number", shown(context, time), tick);
  return format("({} - np.datetime64(0, '{}')) / {} is a number", shown(context, time),
                shown_unit(base::time_type(time.type.dtype)), tick);
}

// What to write instead of an operation that dates do not have.
std::string form_hint(const FunctionContext& context, const Value& left, const Value& right) {
  const TimeKind kinds[] = {kind_of(left.type.dtype), kind_of(right.type.dtype)};
  const Value& time = is_time(left) ? left : right;
  const Value& other = is_time(left) ? right : left;
  if (kinds[0] == kDate && kinds[1] == kDate) {
    return format("the difference {} - {} is a duration", shown(context, left),
                  shown(context, right));
  }
  return kind_of(other.type.dtype) == kFloat ? number_hint(context, time) : "";
}

Expression compute(FunctionContext& context, Operation operation, DType result,
                   std::vector<Expression> operands, const SyntaxNode& node) {
  return call(operation, result, std::move(operands), place(context, node));
}

}  // namespace

std::optional<Expression> in_unit(const Expression& time, DType dtype) {
  const TimeType& from = base::time_type(time.type.dtype);
  const TimeType& to = base::time_type(dtype);
  if (from == to) return time;
  if (from.is_duration != to.is_duration) return std::nullopt;
  const auto number = [&time](std::int64_t value) { return int64_constant(value, time.place); };
  const bool from_calendar = base::is_calendar_unit(from.unit);
  const bool is_mixed =
      !from.is_generic() && !to.is_generic() && from_calendar != base::is_calendar_unit(to.unit);
  if (is_mixed) {
    if (from.is_duration) return std::nullopt;
    // By way of whole months and days, which the calendar relates.
    const DType months = base::time_dtype({false, base::TimeUnit::kMonth});
    const DType days = base::time_dtype({false, base::TimeUnit::kDay});
    auto between = in_unit(time, from_calendar ? months : days);
    if (!between) return std::nullopt;
    const Operation operation = from_calendar ? Operation::kMonthsToDays : Operation::kDaysToMonths;
    return in_unit(
        call(operation, from_calendar ? days : months, {std::move(*between)}, time.place), dtype);
  }
  const auto ratio = base::tick_ratio(from, to);
  if (!ratio) return std::nullopt;
  if (ratio->numerator == 1 && ratio->denominator == 1) return cast(time, dtype);
  if (ratio->denominator == 1) {
    return call(Operation::kTimeMultiply, dtype, {time, number(ratio->numerator)}, time.place);
  }
  if (ratio->numerator == 1) {
    return call(Operation::kTimeFloorTicks, dtype, {time, number(ratio->denominator)}, time.place);
  }
  return call(Operation::kTimeConvert, dtype,
              {time, number(ratio->numerator), number(ratio->denominator)}, time.place);
}

Value time_binary(FunctionContext& context, const OperatorInfo& info, const Value& left,
                  const Value& right, const SyntaxNode& node) {
  const auto form = find_form(info.operation, kind_of(left.type.dtype), kind_of(right.type.dtype));
  if (!form) {
    return error(
        context, node,
        format("'{}' takes no {} and {}", info.symbol, describe(left.type), describe(right.type)),
        form_hint(context, left, right));
  }
  const auto unit = shared_unit(context, left, right, node);
  if (!unit) return {};
  auto first = operand(context, left, *unit);
  auto second = operand(context, right, *unit);
  if (!first || !second) {
    return error(context, node,
                 format("{} and {} have no common unit within 64 bits", describe(left.type),
                        describe(right.type)));
  }
  if (form->is_swapped) std::swap(first, second);
  const DType dtype = result_dtype(form->result, *unit);
  Value value;
  value.type = InferredType::scalar(dtype);
  value.expression =
      compute(context, form->time_operation, dtype, {std::move(*first), std::move(*second)}, node);
  return value;
}

Value time_unary(FunctionContext& context, Operation operation, const Value& operand,
                 const SyntaxNode& node) {
  const DType dtype = operand.type.dtype;
  const bool has_sign = base::is_duration(dtype);
  Value value = operand;
  value.constant.reset();
  value.node = &node;
  const auto result = [&](Operation made, DType type) {
    value.type = InferredType::scalar(type);
    value.expression = compute(context, made, type, {operand.expression}, node);
    return value;
  };
  switch (operation) {
    case Operation::kNegative:
      if (has_sign) return result(Operation::kTimeNegative, dtype);
      break;
    case Operation::kAbsolute:
      if (has_sign) return result(Operation::kTimeAbsolute, dtype);
      break;
    case Operation::kSign:
      if (has_sign) return result(Operation::kTimeSign, dtype);
      break;
    case Operation::kPositive:
      if (has_sign) return value;
      break;
    case Operation::kIsNat:
    case Operation::kIsNan:
      return result(Operation::kIsNat, DType::kBool);
    case Operation::kIsInf:
      return boolean(context, false, node);
    case Operation::kIsFinite: {
      Value is_nat = result(Operation::kIsNat, DType::kBool);
      is_nat.expression = compute(context, Operation::kLogicalNot, DType::kBool,
                                  {std::move(is_nat.expression)}, node);
      return is_nat;
    }
    default:
      break;
  }
  return error(context, node,
               format("'{}' takes no {}", info(operation).name, describe(operand.type)));
}

Value time_function(FunctionContext& context, const FunctionInfo& row,
                    const std::vector<Value>& arguments, const SyntaxNode& node) {
  if (arguments.size() == 1) return time_unary(context, row.operation, arguments.front(), node);
  const OperatorInfo named{SyntaxKind::kCall, row.name, row.operation, OperatorKind::kArithmetic};
  return time_binary(context, named, arguments[0], arguments[1], node);
}

Value time_cast(FunctionContext& context, const Value& value, DType dtype, const SyntaxNode& node) {
  Value result;
  const DType from = value.type.dtype;
  const bool keeps_unit = base::is_time(dtype) && base::time_type(dtype).is_generic() &&
                          kind_of(from) == kind_of(dtype);
  if (keeps_unit) dtype = from;
  result.type = InferredType::scalar(dtype);
  if (base::is_time(from) && base::is_time(dtype)) {
    auto converted = in_unit(value.expression, dtype);
    if (converted) {
      result.expression = std::move(*converted);
      return result;
    }
  } else if (base::is_time(dtype) && is_integer_or_bool(from)) {
    result.expression = cast(convert(context, value, InferredType::scalar(DType::kInt64)), dtype);
    return result;
  } else if (base::is_time(from) && base::is_integer(dtype)) {
    result.expression = cast(cast(value.expression, DType::kInt64), dtype);
    return result;
  }
  std::string hint;
  if (!base::is_time(from)) hint = format("{} * {}", shown(context, value), one_tick(dtype));
  if (!base::is_time(dtype)) hint = number_hint(context, value);
  return error(context, node,
               format("{} does not convert to {}", describe(value.type), base::name(dtype)), hint);
}

Expression implied_time(FunctionContext& context, const Value& value, DType dtype,
                        const std::string& verb) {
  const DType from = value.type.dtype;
  if (base::is_time(from) && base::is_time(dtype)) {
    if (auto converted = in_unit(value.expression, dtype)) return *converted;
  } else if (base::is_duration(dtype) && is_integer_or_bool(from)) {
    return cast(convert(context, value, InferredType::scalar(DType::kInt64)), dtype);
  }
  const std::string found = describe(value.type);
  error(context, *value.node,
        verb.empty() ? format("{} where {} is needed", found, base::name(dtype))
                     : format("{} {}, {} declared", found, verb, base::name(dtype)),
        base::is_time(from) && !base::is_time(dtype) ? number_hint(context, value) : "");
  return cast(value.expression, dtype);
}

}  // namespace numpy_plugin::declare
