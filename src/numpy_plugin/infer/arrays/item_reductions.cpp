// Python's functions of the items of a 1-dimensional array.
#include <utility>

#include "numpy_plugin/base/time_type.hpp"
#include "numpy_plugin/infer/arrays/accumulators.hpp"
#include "numpy_plugin/infer/arrays/reductions.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_times.hpp"

namespace numpy_plugin::declare {

using base::DType;

Value sum_of_items(FunctionContext& context, const SyntaxNode& array, const Value& start,
                   const SyntaxNode& node) {
  if (!check_line(context, array, node, format("np.sum({})", text(context, array)))) return {};
  auto values = element_values(context, array);
  if (!values) return {};
  const InferredType element = values->element.type;
  InferredType type = promote(start.type, element);
  if (type.dtype == DType::kBool || (start.type.is_weak && element.dtype == DType::kBool)) {
    type = promote(type, InferredType::scalar(DType::kInt64));
  }
  type.is_weak = false;
  if (base::is_date(element.dtype)) {
    const std::string shown = inner_text(context, array);
    return error(context, node, "dates have no sum",
                 format("durations have one, as of {} - {}[0]", shown, shown));
  }
  const bool is_time = base::is_time(type.dtype);
  Expression total = accumulator(context, convert(context, start, type));
  accumulate(
      values->body, total, is_time ? Operation::kTimeAdd : Operation::kAdd,
      is_time ? implied_time(context, values->element, type.dtype) : values->element.expression);
  add_loop(context, values->loop, std::move(values->body), node);
  return result_value(std::move(total), values->element, node);
}

namespace {

// The better of the best item so far and the next one, as Python's comparison finds it.
Expression extreme_item(Operation operation, const Expression& best, const Expression& item) {
  const SourceSpan& where = best.place;
  const DType dtype = best.type.dtype;
  if (!base::is_time(dtype)) return call(operation, dtype, {best, item}, where);
  const bool is_min = operation == Operation::kPythonMin;
  Expression is_better =
      call(Operation::kTimeLess, DType::kBool, {is_min ? item : best, is_min ? best : item}, where);
  return {
      ExpressionKind::kSelect, ValueType::scalar(dtype), where, {std::move(is_better), item, best}};
}

}  // namespace

Value extremum_of_items(FunctionContext& context, Operation operation, const SyntaxNode& array,
                        const SyntaxNode& node) {
  const bool is_min = operation == Operation::kPythonMin;
  const std::string shown = is_min ? "min" : "max";
  if (!check_line(context, array, node, format("np.{}({})", shown, text(context, array)))) {
    return {};
  }
  auto values = element_values(context, array);
  if (!values) return {};
  if (base::is_complex(values->element.type.dtype)) {
    return report_complex(context, array, values->element, node);
  }
  const SourceSpan where = place(context, node);
  const DType dtype = values->element.type.dtype;
  raise_where_empty(context, values->loop, shown + "() iterable argument is empty", node);
  // The first element is the one that all others are compared with, even where it is NaN.
  const Expression best = accumulator(context, number_of(dtype, 0, where));
  Expression counter{ExpressionKind::kLocal,
                     ValueType::scalar(DType::kInt64),
                     where,
                     {},
                     LocalReference{values->loop.axes.front().counter}};
  Expression next = extreme_item(operation, best, values->element.expression);
  Expression is_first = call(Operation::kEqual, DType::kBool,
                             {std::move(counter), number_of(DType::kInt64, 0, where)}, where);
  values->body.push_back(
      assignment(best, {ExpressionKind::kSelect,
                        ValueType::scalar(dtype),
                        where,
                        {std::move(is_first), values->element.expression, std::move(next)}}));
  add_loop(context, values->loop, std::move(values->body), node);
  return result_value(best, values->element, node);
}

Value test_of_items(FunctionContext& context, bool is_any, const SyntaxNode& array,
                    const SyntaxNode& node) {
  const std::string function = is_any ? "np.any(" : "np.all(";
  if (!check_line(context, array, node, function + text(context, array) + ")")) return {};
  return reduce(context, is_any ? Reduction::kAny : Reduction::kAll, array, {}, node);
}

}  // namespace numpy_plugin::declare
