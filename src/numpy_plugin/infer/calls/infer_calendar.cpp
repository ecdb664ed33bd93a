// Parts of dates, and dates of parts: the functions of numpy_plugin.time.
#include <algorithm>
#include <iterator>
#include <string_view>

#include "numpy_plugin/base/time_units.hpp"
#include "numpy_plugin/infer/calls/call_arguments.hpp"
#include "numpy_plugin/infer/calls/infer_calls.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"
#include "numpy_plugin/infer/expressions/infer_times.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;
using base::TimeUnit;

constexpr std::string_view kModule = "numpy_plugin.time.";

// Prefixes of names: Gregorian, and cftime's other calendars.
constexpr std::string_view kCalendars[] = {"", "noleap.", "days360.", "julian."};

// Functions of the days of a date.
struct CalendarFunction {
  std::string_view name;
  Operation operations[std::size(kCalendars)];  // by calendar; the last ones may be missing
  bool takes_year_and_month = false;            // of the date, in place of its days
};

#define NPP_IN_CALENDARS(function)                                      \
  {                                                                     \
    Operation::k##function##Gregorian, Operation::k##function##NoLeap,  \
        Operation::k##function##Days360, Operation::k##function##Julian \
  }
constexpr CalendarFunction kFunctions[] = {
    {"year", NPP_IN_CALENDARS(Year)},
    {"month", NPP_IN_CALENDARS(Month)},
    {"day", NPP_IN_CALENDARS(Day)},
    {"dayofyear", NPP_IN_CALENDARS(DayOfYear)},
    {"weekday", NPP_IN_CALENDARS(Weekday)},
    {"is_leap_year", NPP_IN_CALENDARS(IsLeapYear), true},
    {"days_in_month", NPP_IN_CALENDARS(DaysInMonth), true},
    {"isoyear", {Operation::kIsoYear}},
    {"isoweek", {Operation::kIsoWeek}},
};
constexpr CalendarFunction kDate{"date", NPP_IN_CALENDARS(DaysFromCivil)};
#undef NPP_IN_CALENDARS

// Parts of a day: ticks in a unit, of which the next larger part has so many.
struct DayPart {
  std::string_view name;
  TimeUnit unit;
  std::int64_t n_in_next;
};
constexpr DayPart kDayParts[] = {
    {"hour", TimeUnit::kHour, 24},
    {"minute", TimeUnit::kMinute, 60},
    {"second", TimeUnit::kSecond, 60},
    {"microsecond", TimeUnit::kMicrosecond, 1'000'000},
    {"nanosecond", TimeUnit::kNanosecond, 1000},
};

Value value_of_type(Expression expression, DType dtype) {
  Value value;
  value.type = InferredType::scalar(dtype);
  value.expression = std::move(expression);
  return value;
}

bool check_date(FunctionContext& context, const Value& value, const SyntaxNode& node) {
  if (base::is_date(value.type.dtype)) return true;
  error(context, *value.node,
        format("{} needs a date, {} is {}", text(context, *node.child("func")),
               text(context, *value.node), describe(value.type)),
        is_integer_or_bool(value.type.dtype)
            ? format("np.datetime64({}, 's')", text(context, *value.node))
            : "");
  return false;
}

// Ticks in a unit, as int64; those of a date without a unit are taken as they are.
std::optional<Expression> ticks_in(const Value& date, TimeUnit unit) {
  auto converted = in_unit(date.expression, base::time_dtype({false, unit}));
  if (!converted) return std::nullopt;
  return cast(std::move(*converted), DType::kInt64);
}

// The rest that larger parts leave. Ticks that hold whole larger parts leave none, and need not fit
// the unit.
Value day_part(FunctionContext& context, const DayPart& part, const Value& date,
               const SyntaxNode& node) {
  const base::TimeType& type = base::time_type(date.type.dtype);
  const SourceSpan where = place(context, node);
  const auto ratio = base::tick_ratio(type, {false, part.unit});
  const bool is_whole =
      base::is_calendar_unit(type.unit) ||
      (ratio && ratio->denominator == 1 && ratio->numerator % part.n_in_next == 0);
  if (is_whole) {
    Expression ticks = cast(date.expression, DType::kInt64);
    return value_of_type(call(Operation::kTimeMultiply, DType::kInt64,
                              {std::move(ticks), int64_constant(0, where)}, where),
                         DType::kInt64);
  }
  // Larger multiples are converted first, to ticks of which the part's unit has a whole number.
  const bool is_direct = ratio && ratio->numerator == 1;
  const std::optional<Expression> own = cast(date.expression, DType::kInt64);
  auto ticks = is_direct ? own : ticks_in(date, part.unit);
  if (!ticks) return error(context, node, format("{} has no {}s", describe(date.type), part.name));
  return value_of_type(
      call(Operation::kTimePart, DType::kInt64,
           {std::move(*ticks), int64_constant(is_direct ? ratio->denominator : 1, where),
            int64_constant(part.n_in_next, where)},
           where),
      DType::kInt64);
}

// Two parts of a Julian date, of which the first is whole or half days.
Value julian_date(FunctionContext& context, const Value& date, const SyntaxNode& node) {
  const base::TimeType& type = base::time_type(date.type.dtype);
  const bool is_coarse = type.is_generic() || type.unit < TimeUnit::kHour;
  const TimeUnit unit = is_coarse ? TimeUnit::kHour : type.unit;
  const Value counted = reusable(
      context, value_of_type(ticks_in(date, unit).value_or(date.expression), DType::kInt64));
  const auto per_day = base::tick_ratio({false, TimeUnit::kDay}, {false, unit});
  if (!per_day) return error(context, node, format("{} has no days", describe(date.type)));
  std::vector<Value> parts;
  const SourceSpan where = place(context, node);
  for (const Operation operation : {Operation::kJulianDayWhole, Operation::kJulianDayFraction}) {
    parts.push_back(
        value_of_type(call(operation, DType::kFloat64,
                           {counted.expression, int64_constant(per_day->numerator, where)}, where),
                      DType::kFloat64));
    parts.back().node = &node;
  }
  return tuple_of(context, parts, node);
}

Value of_days(FunctionContext& context, const CalendarFunction& function, std::size_t calendar,
              const Value& date, const SyntaxNode& node) {
  auto days = ticks_in(date, TimeUnit::kDay);
  if (!days) return error(context, node, format("{} has no days", describe(date.type)));
  const Operation operation = function.operations[calendar];
  const SourceSpan where = place(context, node);
  std::vector<Expression> operands = {*days};
  if (function.takes_year_and_month) {
    const Value counted = reusable(context, value_of_type(std::move(*days), DType::kInt64));
    operands.clear();
    for (const CalendarFunction& part : {kFunctions[0], kFunctions[1]}) {
      operands.push_back(
          call(part.operations[calendar], DType::kInt64, {counted.expression}, where));
    }
    operands.resize(static_cast<std::size_t>(info(operation).n_arguments), operands.front());
  }
  const bool is_test = info(operation).result == OperationResult::kBool;
  const DType dtype = is_test ? DType::kBool : DType::kInt64;
  return value_of_type(call(operation, dtype, std::move(operands), where), dtype);
}

// A date of year, month and day, in a unit as fine as the last argument: hour, minute or second.
Value date_of_parts(FunctionContext& context, std::size_t calendar,
                    const std::vector<Value>& arguments, const SyntaxNode& node) {
  if (!check_whole_arguments(context, arguments, node)) return {};
  const SourceSpan where = place(context, node);
  std::vector<Expression> parts;
  for (const Value& argument : arguments) {
    parts.push_back(convert(context, argument, InferredType::scalar(DType::kInt64)));
  }
  DType dtype = base::time_dtype({false, TimeUnit::kDay});
  Expression date = call(kDate.operations[calendar], dtype, {parts[0], parts[1], parts[2]}, where);
  for (std::size_t i = 3; i < parts.size(); ++i) {
    dtype = base::time_dtype({false, kDayParts[i - 3].unit});
    date = call(Operation::kTimeAdd, dtype, {*in_unit(date, dtype), std::move(parts[i])}, where);
  }
  return value_of_type(std::move(date), dtype);
}

}  // namespace

Value call_calendar(FunctionContext& context, const std::string& qualified_name,
                    const SyntaxNode& node) {
  std::string_view name = std::string_view(qualified_name).substr(kModule.size());
  std::size_t calendar = 0;
  for (std::size_t i = 1; i < std::size(kCalendars); ++i) {
    if (name.starts_with(kCalendars[i])) calendar = i;
  }
  name.remove_prefix(kCalendars[calendar].size());
  const bool is_maker = name == kDate.name || name == "datetime";
  const int n_least = is_maker ? 3 : 1;
  const int n_most = name == "datetime" ? 6 : n_least;
  const auto arguments = scalar_arguments(context, qualified_name, n_least, n_most, node);
  if (!arguments) return {};
  if (is_maker) return date_of_parts(context, calendar, *arguments, node);
  const Value& date = arguments->front();
  if (!check_date(context, date, node)) return {};
  const auto* const function = std::ranges::find(kFunctions, name, &CalendarFunction::name);
  if (function != std::end(kFunctions)) return of_days(context, *function, calendar, date, node);
  if (name == "julian_date") return julian_date(context, date, node);
  const auto* const part = std::ranges::find(kDayParts, name, &DayPart::name);
  if (part == std::end(kDayParts)) return report_uncallable(context, qualified_name, node);
  return day_part(context, *part, date, node);
}

}  // namespace numpy_plugin::declare
