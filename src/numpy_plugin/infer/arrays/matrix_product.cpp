#include "numpy_plugin/infer/arrays/reductions.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "numpy_plugin/infer/arrays/accumulators.hpp"
#include "numpy_plugin/infer/arrays/array_expressions.hpp"
#include "numpy_plugin/infer/arrays/element_loop.hpp"
#include "numpy_plugin/infer/arrays/new_arrays.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_arrays.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

// An operand: its summed axis, and the other one where it is a matrix.
struct Factor {
  Value array;
  int local;
  int summed;
  std::optional<int> kept;
};

std::optional<Factor> factor(FunctionContext& context, const SyntaxNode& node, bool is_left,
                             const SyntaxNode& product) {
  const Value array = infer(context, node);
  if (!array.type.is_known()) return std::nullopt;
  const int n = array.type.is_array() ? array.type.n_dimensions : 0;
  if (n != 1 && n != 2) {
    error(context, node,
          format("{} needs arrays with 1 or 2 dimensions, {} is {}", text(context, product),
                 text(context, node), describe(array.type)));
    return std::nullopt;
  }
  Factor result{array_in_local(context, array), 0, is_left ? n - 1 : 0, {}};
  result.local = *read_local(result.array.expression);
  if (n == 2) result.kept = is_left ? 0 : 1;
  return result;
}

NewDimension dimension(const FunctionContext& context, const Factor& factor, int axis,
                       const SyntaxNode& node) {
  const std::int64_t known = factor.array.type.size(axis);
  if (known < 0) return {array_size(context, factor.local, axis, node).expression, known};
  return {int64_constant(known, place(context, node)), known};
}

// Raises NumPy's exception where the sizes of the summed axes differ.
void check_summed(FunctionContext& context, const Factor& left, const Factor& right,
                  const SyntaxNode& node) {
  const NewDimension first = dimension(context, left, left.summed, node);
  const NewDimension second = dimension(context, right, right.summed, node);
  if (first.known == second.known && first.known != -1) return;
  Expression differs =
      call(Operation::kNotEqual, DType::kBool, {first.size, second.size}, place(context, node));
  raise_where(context, std::move(differs),
              "shapes not aligned: {} (dim " + std::to_string(left.summed) + ") != {} (dim 0)",
              {first.size, second.size}, node);
}

LoopAxis axis_of(FunctionContext& context, Expression size) {
  const int counter = context.scope.add_temporary(InferredType::weak(DType::kInt64));
  return {std::move(size), counter};
}

Expression counter_of(const LoopAxis& axis, const SourceSpan& where) {
  return {ExpressionKind::kLocal,
          ValueType::scalar(DType::kInt64),
          where,
          {},
          LocalReference{axis.counter}};
}

// The element of a factor at the counters of its axes.
Expression element(FunctionContext& context, const Factor& factor, const Expression& summed,
                   const Expression* kept, const SyntaxNode& node) {
  std::vector<Expression> indices = {summed};
  if (kept != nullptr) indices.insert(indices.begin() + *factor.kept, *kept);
  return array_load(context, factor.array.type.dtype, factor.local, std::move(indices), node)
      .expression;
}

Value product(FunctionContext& context, const Factor& left, const Factor& right,
              const SyntaxNode& node) {
  const SourceSpan where = place(context, node);
  const DType dtype = promote(left.array.type.dtype, right.array.type.dtype);
  const DType sums = sum_dtype(dtype);
  const bool is_bool = dtype == DType::kBool;
  std::vector<NewDimension> dimensions;
  ElementLoop results, terms;
  std::vector<Expression> indices;
  for (const Factor* side : {&left, &right}) {
    if (!side->kept) continue;
    dimensions.push_back(dimension(context, *side, *side->kept, node));
    results.axes.push_back(axis_of(context, dimensions.back().size));
    indices.push_back(counter_of(results.axes.back(), where));
  }
  const Value made = new_array(context, dtype, std::move(dimensions), node);
  if (!made.type.is_known()) return {};
  terms.axes = {axis_of(context, dimension(context, left, left.summed, node).size)};
  const Expression term = counter_of(terms.axes.front(), where);
  Expression first = element(context, left, term, left.kept ? &indices.front() : nullptr, node);
  Expression second = element(context, right, term, right.kept ? &indices.back() : nullptr, node);
  std::vector<Statement> body;
  std::vector<Statement>* const outer = std::exchange(context.block, &body);
  Expression total = sum(context, terms, {},
                         call(is_bool ? Operation::kBitwiseAnd : Operation::kMultiply, sums,
                              {cast(std::move(first), sums), cast(std::move(second), sums)}, where),
                         node);
  context.block = outer;
  Statement store{StatementKind::kStore, where, *read_local(made.expression), {}, {}, {}, {}, {}};
  store.indices = std::move(indices);
  store.value = cast(std::move(total), dtype);
  body.push_back(std::move(store));
  add_loop(context, results, std::move(body), node);
  return made;
}

}  // namespace

Value product_of_arrays(FunctionContext& context, const SyntaxNode& left, const SyntaxNode& right,
                        const SyntaxNode& node) {
  if (n_dimensions(context, left) == 1 && n_dimensions(context, right) == 1) {
    return dot(context, left, right, node);
  }
  const auto first = factor(context, left, /*is_left=*/true, node);
  const auto second = first ? factor(context, right, /*is_left=*/false, node) : std::nullopt;
  if (!second) return {};
  check_summed(context, *first, *second, node);
  return product(context, *first, *second, node);
}

Value infer_matrix_product(FunctionContext& context, const SyntaxNode& node) {
  const SyntaxNode& left = *node.child("left");
  const SyntaxNode& right = *node.child("right");
  if (n_dimensions(context, left) == 0 && n_dimensions(context, right) == 0) {
    return error(context, node, "'@' cannot be used in a kernel",
                 "multiply in a loop, or call np.matmul outside");
  }
  return product_of_arrays(context, left, right, node);
}

}  // namespace numpy_plugin::declare
