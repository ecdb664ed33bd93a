#include "numpy_plugin/infer/arrays/reductions.hpp"

#include <unordered_map>
#include <utility>

#include "numpy_plugin/infer/arrays/accumulators.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_operators.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

// NumPy adds and multiplies small integers in 64 bits.
DType wide_dtype(DType dtype) {
  if (!is_integer_or_bool(dtype)) return dtype;
  const bool is_unsigned = dtype != DType::kBool && range_of(dtype).low == 0;
  return is_unsigned ? DType::kUInt64 : DType::kInt64;
}

DType mean_dtype(DType dtype) { return is_integer_or_bool(dtype) ? DType::kFloat64 : dtype; }

// Sums of integers, as of np.mean(a, dtype=np.int16), are divided in float64.
Expression divided(Expression sum, Expression count) {
  const DType own = sum.type.dtype;
  const DType dtype = is_integer_or_bool(own) ? DType::kFloat64 : own;
  const SourceSpan where = sum.place;
  return call(Operation::kTrueDivide, dtype,
              {cast(std::move(sum), dtype), cast(std::move(count), dtype)}, where);
}

Expression sum_or_product(FunctionContext& context, ElementValues& values, DType dtype, bool is_sum,
                          const SyntaxNode& node) {
  const DType wide = sum_dtype(dtype);
  if (is_sum) {
    return sum(context, values.loop, std::move(values.body), cast(values.element.expression, wide),
               node);
  }
  Expression total = accumulator(context, number_of(wide, 1, place(context, node)));
  accumulate(values.body, total, Operation::kMultiply, values.element.expression);
  add_loop(context, values.loop, std::move(values.body), node);
  return total;
}

Value mean(FunctionContext& context, ElementValues& values, DType dtype, const SyntaxNode& node) {
  const Expression total = sum_or_product(context, values, dtype, /*is_sum=*/true, node);
  Expression result = divided(total, n_elements(context, values.loop, node));
  return result_value(cast(std::move(result), dtype), values.element, node);
}

// The square of a number, of a complex one its absolute square.
Expression square(const Expression& number) {
  const SourceSpan& where = number.place;
  const DType dtype = number.type.dtype;
  if (!base::is_complex(dtype)) return call(Operation::kMultiply, dtype, {number, number}, where);
  const DType real = real_dtype(dtype);
  std::vector<Expression> squares;
  for (const Operation part : {Operation::kReal, Operation::kImag}) {
    const Expression value = call(part, real, {number}, where);
    squares.push_back(call(Operation::kMultiply, real, {value, value}, where));
  }
  return call(Operation::kAdd, real, std::move(squares), where);
}

// The mean of the squared differences from the mean: the elements are computed twice.
Value variance(FunctionContext& context, ElementValues& values, const ReductionOptions& options,
               bool is_root, const SyntaxNode& node) {
  const SourceSpan where = place(context, node);
  const DType dtype = mean_dtype(values.element.type.dtype);
  std::vector<Statement> second_body = values.body;
  const Value center = mean(context, values, sum_dtype(dtype), node);
  const Expression middle = accumulator(context, center.expression);
  const DType sums = middle.type.dtype;
  const int local = context.scope.add_temporary(InferredType::scalar(sums));
  const Expression difference{
      ExpressionKind::kLocal, ValueType::scalar(sums), where, {}, LocalReference{local}};
  second_body.push_back(assignment(
      difference,
      call(Operation::kSubtract, sums, {cast(values.element.expression, sums), middle}, where)));
  Expression total = sum(context, values.loop, std::move(second_body), square(difference), node);
  Expression count = cast(n_elements(context, values.loop, node), real_dtype(sums));
  if (options.lost_degrees) {
    Expression lost = cast(options.lost_degrees->expression, real_dtype(sums));
    count =
        call(Operation::kSubtract, real_dtype(sums), {std::move(count), std::move(lost)}, where);
    count = call(Operation::kMaximum, real_dtype(sums),
                 {std::move(count), number_of(real_dtype(sums), 0, where)}, where);
  }
  Expression result = divided(std::move(total), std::move(count));
  if (is_root) result = call(Operation::kSqrt, real_dtype(sums), {std::move(result)}, where);
  return result_value(cast(std::move(result), real_dtype(dtype)), values.element, node);
}

void add_fold(FunctionContext& context, Fold fold, ElementValues& values, const SyntaxNode& node) {
  if (is_short(values.loop.axes.back(), values.element.type.dtype)) fold = Fold::kNone;
  add_loop(context, values.loop, std::move(values.body), node, fold);
}

// Of dates and durations it is that of the ticks, also NaT's, as in NumPy.
Expression element_truth(FunctionContext& context, const ElementValues& values,
                         const SyntaxNode& node) {
  const Expression& element = values.element.expression;
  if (!base::is_time(values.element.type.dtype)) return truth(context, values.element, node);
  return call(Operation::kTruth, DType::kBool, {cast(element, DType::kInt64)}, element.place);
}

Value any_or_all(FunctionContext& context, ElementValues& values, bool is_any,
                 const SyntaxNode& node) {
  Expression result =
      accumulator(context, number_of(DType::kBool, is_any ? 0 : 1, place(context, node)));
  accumulate(values.body, result, is_any ? Operation::kBitwiseOr : Operation::kBitwiseAnd,
             element_truth(context, values, node));
  add_fold(context, Fold::kTruth, values, node);
  return result_value(std::move(result), values.element, node);
}

Value count_nonzero(FunctionContext& context, ElementValues& values, const SyntaxNode& node) {
  Expression count = accumulator(context, number_of(DType::kInt64, 0, place(context, node)));
  accumulate(values.body, count, Operation::kAdd, element_truth(context, values, node));
  add_fold(context, Fold::kTruth, values, node);
  return result_value(std::move(count), values.element, node);
}

Value extremum(FunctionContext& context, ElementValues& values, bool is_min,
               const SyntaxNode& node) {
  const SourceSpan where = place(context, node);
  const DType dtype = values.element.type.dtype;
  Expression best = accumulator(context, is_min ? highest(dtype, where) : lowest(dtype, where));
  accumulate(values.body, best, is_min ? Operation::kMinimum : Operation::kMaximum,
             values.element.expression);
  add_fold(context, Fold::kExtremum, values, node);
  return result_value(std::move(best), values.element, node);
}

// Whether an element comes before the best one so far: the first NaN or NaT comes before
// everything.
Expression is_better(const Expression& element, const Expression& best, bool is_min) {
  const SourceSpan& where = element.place;
  const bool is_time = base::is_time(element.type.dtype);
  const auto is_nan = [&where, is_time](const Expression& number) {
    return call(is_time ? Operation::kIsNat : Operation::kIsNan, DType::kBool, {number}, where);
  };
  Expression better =
      call(is_min ? Operation::kLess : Operation::kGreater, DType::kBool, {element, best}, where);
  if (is_time) {
    better = call(Operation::kTimeLess, DType::kBool,
                  is_min ? std::vector{element, best} : std::vector{best, element}, where);
  }
  if (!is_time && !base::is_floating(element.type.dtype)) return better;
  Expression is_first_nan{
      ExpressionKind::kAnd,
      ValueType::scalar(DType::kBool),
      where,
      {is_nan(element), call(Operation::kLogicalNot, DType::kBool, {is_nan(best)}, where)}};
  return {ExpressionKind::kOr,
          ValueType::scalar(DType::kBool),
          where,
          {std::move(better), std::move(is_first_nan)}};
}

// The index in C order of the first extreme element.
Value position_of_extremum(FunctionContext& context, ElementValues& values, bool is_min,
                           const SyntaxNode& node) {
  const SourceSpan where = place(context, node);
  const DType dtype = values.element.type.dtype;
  const Expression best =
      accumulator(context, is_min ? highest(dtype, where) : lowest(dtype, where));
  const Expression result = accumulator(context, number_of(DType::kInt64, 0, where));
  const Expression position = accumulator(context, number_of(DType::kInt64, 0, where));
  const int local = context.scope.add_temporary(InferredType::scalar(dtype));
  const Expression element{
      ExpressionKind::kLocal, ValueType::scalar(dtype), where, {}, LocalReference{local}};
  values.body.push_back(assignment(element, values.element.expression));
  Statement test{StatementKind::kIf, where, 0, is_better(element, best, is_min), {}, {}, {}, {}};
  test.body = {assignment(best, element), assignment(result, position)};
  values.body.push_back(std::move(test));
  accumulate(values.body, position, Operation::kAdd, number_of(DType::kInt64, 1, where));
  add_fold(context, base::is_time(dtype) ? Fold::kNone : Fold::kPosition, values, node);
  return result_value(result, values.element, node);
}

// NumPy's message for reductions that need an element; empty for others.
std::string message_for_empty(Reduction reduction) {
  constexpr const char* kArray = "zero-size array to reduction operation ";
  constexpr const char* kIdentity = " which has no identity";
  switch (reduction) {
    case Reduction::kMin:
      return format("{}minimum{}", kArray, kIdentity);
    case Reduction::kMax:
      return format("{}maximum{}", kArray, kIdentity);
    case Reduction::kArgmin:
      return "attempt to get argmin of an empty sequence";
    case Reduction::kArgmax:
      return "attempt to get argmax of an empty sequence";
    default:
      return "";
  }
}

bool is_ordering(Reduction reduction) {
  return reduction == Reduction::kMin || reduction == Reduction::kMax ||
         reduction == Reduction::kArgmin || reduction == Reduction::kArgmax;
}

// Whether the result has the kind of the elements, not of a position, a count or a test.
bool gives_time(Reduction reduction) {
  return reduction != Reduction::kArgmin && reduction != Reduction::kArgmax &&
         reduction != Reduction::kAny && reduction != Reduction::kAll &&
         reduction != Reduction::kCountNonzero;
}

}  // namespace

std::optional<Reduction> find_reduction(std::string_view name) {
  static constexpr std::pair<std::string_view, Reduction> kReductions[] = {
      {"sum", Reduction::kSum},       {"prod", Reduction::kProd},
      {"min", Reduction::kMin},       {"amin", Reduction::kMin},
      {"max", Reduction::kMax},       {"amax", Reduction::kMax},
      {"mean", Reduction::kMean},     {"var", Reduction::kVar},
      {"std", Reduction::kStd},       {"any", Reduction::kAny},
      {"all", Reduction::kAll},       {"argmin", Reduction::kArgmin},
      {"argmax", Reduction::kArgmax}, {"count_nonzero", Reduction::kCountNonzero},
  };
  const auto* const found =
      std::ranges::find(kReductions, name, &std::pair<std::string_view, Reduction>::first);
  return found == std::end(kReductions) ? std::nullopt : std::optional(found->second);
}

Value reduce(FunctionContext& context, Reduction reduction, const SyntaxNode& array,
             const ReductionOptions& options, const SyntaxNode& node) {
  auto values = element_values(context, array);
  if (!values) return {};
  const DType dtype = values->element.type.dtype;
  if (is_ordering(reduction) && base::is_complex(dtype)) {
    return report_complex(context, array, values->element, node);
  }
  if (options.axes || options.keeps_dimensions) {
    return reduce_along_axes(context, reduction, std::move(*values), options, node);
  }
  check_not_empty(context, reduction, values->loop, node);
  return reduce_loop(context, reduction, *values, options, node);
}

void check_not_empty(FunctionContext& context, Reduction reduction, const ElementLoop& loop,
                     const SyntaxNode& node) {
  const std::string message = message_for_empty(reduction);
  if (!message.empty()) raise_where_empty(context, loop, message, node);
}

Value reduce_loop(FunctionContext& context, Reduction reduction, ElementValues& values,
                  const ReductionOptions& options, const SyntaxNode& node) {
  const DType dtype = values.element.type.dtype;
  if (base::is_time(dtype) && gives_time(reduction)) {
    return reduce_times(context, reduction, values, node);
  }
  switch (reduction) {
    case Reduction::kSum:
    case Reduction::kProd: {
      const DType wide = options.dtype.value_or(wide_dtype(dtype));
      const bool is_sum = reduction == Reduction::kSum;
      Expression total = sum_or_product(context, values, wide, is_sum, node);
      return result_value(cast(std::move(total), wide), values.element, node);
    }
    case Reduction::kMean:
      return mean(context, values, options.dtype.value_or(mean_dtype(dtype)), node);
    case Reduction::kVar:
    case Reduction::kStd:
      return variance(context, values, options, reduction == Reduction::kStd, node);
    case Reduction::kMin:
    case Reduction::kMax:
      return extremum(context, values, reduction == Reduction::kMin, node);
    case Reduction::kAny:
    case Reduction::kAll:
      return any_or_all(context, values, reduction == Reduction::kAny, node);
    case Reduction::kArgmin:
    case Reduction::kArgmax:
      return position_of_extremum(context, values, reduction == Reduction::kArgmin, node);
    case Reduction::kCountNonzero:
      break;
  }
  return count_nonzero(context, values, node);
}

}  // namespace numpy_plugin::declare
