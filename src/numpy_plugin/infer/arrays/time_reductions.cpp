// Reductions of dates and durations: NaT is their result wherever it is among the elements.
#include "numpy_plugin/base/time_type.hpp"
#include "numpy_plugin/infer/arrays/accumulators.hpp"
#include "numpy_plugin/infer/arrays/reductions.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

Value reduced(FunctionContext& context, ElementValues& values, Expression start,
              Operation operation, const SyntaxNode& node) {
  Expression result = accumulator(context, std::move(start));
  accumulate(values.body, result, operation, values.element.expression);
  add_loop(context, values.loop, std::move(values.body), node, Fold::kNone);
  return result_value(std::move(result), values.element, node);
}

}  // namespace

Value reduce_times(FunctionContext& context, Reduction reduction, ElementValues& values,
                   const SyntaxNode& node) {
  const SourceSpan where = place(context, node);
  const DType dtype = values.element.type.dtype;
  const bool is_min = reduction == Reduction::kMin;
  if (is_min || reduction == Reduction::kMax) {
    return reduced(context, values, is_min ? highest(dtype, where) : lowest(dtype, where),
                   is_min ? Operation::kTimeMinimum : Operation::kTimeMaximum, node);
  }
  const bool is_mean = reduction == Reduction::kMean;
  if (base::is_duration(dtype) && (is_mean || reduction == Reduction::kSum)) {
    const ElementLoop loop = values.loop;
    Value total = reduced(context, values, number_of(dtype, 0, where), Operation::kTimeAdd, node);
    if (!is_mean) return total;
    total.expression = call(Operation::kTimeDivideInt, dtype,
                            {std::move(total.expression), n_elements(context, loop, node)}, where);
    return total;
  }
  return error(context, node,
               format("{} have no such reduction", base::is_date(dtype) ? "dates" : "durations"),
               base::is_date(dtype) ? "durations have a sum and a mean: a - a[0]" : "");
}

}  // namespace numpy_plugin::declare
