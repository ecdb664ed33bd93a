// np.dot of two 1-dimensional arrays.
#include <algorithm>
#include <utility>

#include "numpy_plugin/infer/arrays/accumulators.hpp"
#include "numpy_plugin/infer/arrays/element_loop.hpp"
#include "numpy_plugin/infer/arrays/reductions.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

bool is_broadcast(const ElementLoop& loop) {
  return std::any_of(loop.sources.begin(), loop.sources.end(), [](const ElementSource& source) {
    return source.is_broadcast.front() || source.array.type.size(0) == 1;
  });
}

bool have_same_size(const ElementLoop& left, const ElementLoop& right) {
  return !is_broadcast(left) && !is_broadcast(right) &&
         has_same_size(left.sources.front(), 0, right.sources.front(), 0);
}

// Raises NumPy's exception where the sizes of both loops differ.
void check_sizes(FunctionContext& context, const ElementLoop& left, const ElementLoop& right,
                 const SyntaxNode& node) {
  if (have_same_size(left, right)) return;
  const Expression& first = left.axes.front().size;
  const Expression& second = right.axes.front().size;
  Expression differs =
      call(Operation::kNotEqual, DType::kBool, {first, second}, place(context, node));
  raise_where(context, std::move(differs),
              "shapes ({},) and ({},) not aligned: {} (dim 0) != {} (dim 0)",
              {first, second, first, second}, node);
}

std::optional<ElementLoop> line_loop(FunctionContext& context, const SyntaxNode& array,
                                     const SyntaxNode& node) {
  ElementLoop loop;
  const bool is_right = check_line(context, array, node, "one row at a time: a[i].dot(b)") &&
                        add_expression(context, loop, array) &&
                        broadcast(context, loop, /*is_store=*/false, array);
  return is_right ? std::optional(std::move(loop)) : std::nullopt;
}

}  // namespace

Value dot(FunctionContext& context, const SyntaxNode& left, const SyntaxNode& right,
          const SyntaxNode& node) {
  const auto first = line_loop(context, left, node);
  auto second = first ? line_loop(context, right, node) : std::nullopt;
  if (!second) return {};
  check_sizes(context, *first, *second, node);
  second->axes.front().counter = first->axes.front().counter;
  std::vector<Statement> body;
  const Value a = infer_element(context, *first, left, body);
  const Value b = infer_element(context, *second, right, body);
  if (!a.type.is_known() || !b.type.is_known()) return {};
  const SourceSpan where = place(context, node);
  const DType dtype = promote(a.type, b.type).dtype;
  const DType sums = sum_dtype(dtype);
  const bool is_bool = dtype == DType::kBool;
  Expression product = call(is_bool ? Operation::kBitwiseAnd : Operation::kMultiply, sums,
                            {cast(a.expression, sums), cast(b.expression, sums)}, where);
  Expression total = sum(context, *first, std::move(body), std::move(product), node);
  return result_value(cast(std::move(total), dtype), a, node);
}

}  // namespace numpy_plugin::declare
