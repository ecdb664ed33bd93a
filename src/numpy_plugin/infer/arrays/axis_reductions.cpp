// Reductions along some axes: a loop over the others around the reduction to a number, which is
// stored in a new array.
#include <algorithm>
#include <utility>

#include "numpy_plugin/infer/arrays/new_arrays.hpp"
#include "numpy_plugin/infer/arrays/reductions.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

bool is_reduced(const ReductionOptions& options, std::size_t axis) {
  if (!options.axes) return true;
  return std::find(options.axes->begin(), options.axes->end(), static_cast<int>(axis)) !=
         options.axes->end();
}

// The new array, and the index of the element that a trip of the outer loops stores.
struct Target {
  std::vector<NewDimension> dimensions;
  std::vector<Expression> indices;
};

Target target_of(const ElementLoop& loop, const ReductionOptions& options,
                 const SourceSpan& where) {
  Target target;
  for (std::size_t axis = 0; axis < loop.axes.size(); ++axis) {
    if (!is_reduced(options, axis)) {
      target.dimensions.push_back(dimension_of(loop, axis));
      target.indices.push_back({ExpressionKind::kLocal,
                                ValueType::scalar(DType::kInt64),
                                where,
                                {},
                                LocalReference{loop.axes[axis].counter}});
    } else if (options.keeps_dimensions) {
      target.dimensions.push_back({number_of(DType::kInt64, 1, where), 1});
      target.indices.push_back(number_of(DType::kInt64, 0, where));
    }
  }
  return target;
}

// Whether a loop's body for each element that is left folds one column after the other, to the end.
bool folds_columns(const LoopAxis& axis, const std::vector<Statement>& body, DType dtype) {
  if (is_short(axis, dtype) || body.size() != 3) return false;
  const Statement& loop = body[1];
  const bool is_whole = loop.fold != Fold::kTruth && loop.fold != Fold::kPosition;
  return loop.kind == StatementKind::kForRange && is_whole &&
         std::ranges::all_of(
             loop.body, [](const Statement& each) { return each.kind == StatementKind::kAssign; });
}

}  // namespace

Value reduce_along_axes(FunctionContext& context, Reduction reduction, ElementValues values,
                        const ReductionOptions& options, const SyntaxNode& node) {
  const SourceSpan where = place(context, node);
  Target target = target_of(values.loop, options, where);
  ElementLoop kept;
  std::vector<LoopAxis> reduced;
  for (std::size_t axis = 0; axis < values.loop.axes.size(); ++axis) {
    (is_reduced(options, axis) ? reduced : kept.axes).push_back(values.loop.axes[axis]);
  }
  const bool is_last_kept = !is_reduced(options, values.loop.axes.size() - 1);
  values.loop.axes = std::move(reduced);
  check_not_empty(context, reduction, values.loop, node);
  std::vector<Statement> body;
  std::vector<Statement>* const outer = std::exchange(context.block, &body);
  const Value number = reduce_loop(context, reduction, values, options, node);
  context.block = outer;
  const DType dtype = number.type.dtype;
  Value array = new_array(context, dtype, std::move(target.dimensions), node);
  if (!array.type.is_known()) return {};
  Statement store{StatementKind::kStore, where, *read_local(array.expression), {}, {}, {}, {}, {}};
  store.indices = std::move(target.indices);
  store.value = convert(context, number, InferredType::scalar(dtype));
  body.push_back(std::move(store));
  const bool has_columns = is_last_kept && folds_columns(kept.axes.back(), body, dtype);
  add_loop(context, kept, std::move(body), node, has_columns ? Fold::kColumns : Fold::kNone);
  return array;
}

}  // namespace numpy_plugin::declare
