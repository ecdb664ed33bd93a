#include "numpy_plugin/infer/arrays/accumulators.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "numpy_plugin/infer/arrays/array_expressions.hpp"
#include "numpy_plugin/infer/arrays/element_loop.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

Expression extreme(DType dtype, bool is_lowest, const SourceSpan& where) {
  if (base::is_floating(dtype)) {
    const double infinity = std::numeric_limits<double>::infinity();
    return constant_expression(dtype, is_lowest ? -infinity : infinity, where);
  }
  if (dtype == DType::kBool) return constant_expression(dtype, std::int64_t{!is_lowest}, where);
  const IntegerRange range = range_of(dtype);
  const Int128 least = base::is_time(dtype) ? range.low + 1 : range.low;  // above NaT
  return constant_expression(dtype, convert(is_lowest ? least : range.high, dtype).value, where);
}

bool is_inexact(DType dtype) { return base::is_floating(dtype) || base::is_complex(dtype); }

// The sum of no elements, which keeps the sign of a zero that is added to it; 0 for integers.
Expression negative_zero(DType dtype, const SourceSpan& where) {
  if (base::is_complex(dtype)) return constant_expression(dtype, std::complex(-0.0, -0.0), where);
  if (base::is_floating(dtype)) return constant_expression(dtype, -0.0, where);
  return constant_expression(dtype, convert(Int128{0}, dtype).value, where);
}

Expression new_number(FunctionContext& context, DType dtype, const SourceSpan& where) {
  const int local = context.scope.add_temporary(InferredType::scalar(dtype));
  return {ExpressionKind::kLocal, ValueType::scalar(dtype), where, {}, LocalReference{local}};
}

}  // namespace

bool is_short(const LoopAxis& axis, DType dtype) {
  const std::int64_t n_most = base::is_complex(dtype) ? 3 : 7;
  if (axis.size.kind != ExpressionKind::kConstant) return false;
  return std::get<std::int64_t>(detail<ConstantValue>(axis.size)) <= n_most;
}

std::optional<ElementValues> element_values(FunctionContext& context, const SyntaxNode& array) {
  ElementValues values;
  if (!add_expression(context, values.loop, array)) return std::nullopt;
  if (!broadcast(context, values.loop, /*is_store=*/false, array)) return std::nullopt;
  values.element = infer_element(context, values.loop, array, values.body);
  if (!values.element.type.is_known()) return std::nullopt;
  NPP_ASSERT(values.element.type.is_scalar(), text(context, array));
  values.element.expression = convert(context, values.element, values.element.type);
  return values;
}

Expression accumulator(FunctionContext& context, Expression start) {
  Expression read = new_number(context, start.type.dtype, start.place);
  add_statement(context, assignment(read, std::move(start)));
  return read;
}

Statement assignment(const Expression& local, Expression value) {
  return {
      StatementKind::kAssign, value.place, *read_local(local), std::move(value), {}, {}, {}, {}};
}

void accumulate(std::vector<Statement>& body, const Expression& local, Operation operation,
                Expression value) {
  const SourceSpan where = value.place;
  Expression next =
      call(operation, local.type.dtype, {local, cast(std::move(value), local.type.dtype)}, where);
  body.push_back(assignment(local, std::move(next)));
}

Expression sum(FunctionContext& context, const ElementLoop& loop, std::vector<Statement> body,
               Expression value, const SyntaxNode& node) {
  const DType dtype = value.type.dtype;
  const SourceSpan where = place(context, node);
  const Expression total = accumulator(context, number_of(dtype, 0, where));
  for (std::size_t axis = loop.axes.size(); axis-- > 0;) {
    const Expression partial = axis == 0 ? total : new_number(context, dtype, where);
    accumulate(body, partial, Operation::kAdd, std::move(value));
    Statement statement = counting(loop.axes[axis], where);
    if (is_inexact(dtype) && !is_short(loop.axes[axis], dtype)) statement.fold = Fold::kSum;
    statement.body = std::move(body);
    body = {std::move(statement)};
    if (axis > 0) body.insert(body.begin(), assignment(partial, negative_zero(dtype, where)));
    value = partial;
  }
  for (Statement& statement : body) add_statement(context, std::move(statement));
  return total;
}

Expression number_of(DType dtype, int value, const SourceSpan& where) {
  return constant_expression(dtype, convert(Int128{value}, dtype).value, where);
}

Expression lowest(DType dtype, const SourceSpan& where) { return extreme(dtype, true, where); }

Expression highest(DType dtype, const SourceSpan& where) { return extreme(dtype, false, where); }

DType sum_dtype(DType dtype) {
  const bool is_small = dtype == DType::kFloat16 || dtype == DType::kBFloat16;
  return is_small ? DType::kFloat32 : dtype;
}

Value result_value(Expression expression, const Value& element, const SyntaxNode& node) {
  Value value;
  value.node = &node;
  value.type = InferredType::scalar(expression.type.dtype);
  if (value.type.dtype == element.type.dtype) value.origin = element.origin;
  value.expression = std::move(expression);
  return value;
}

void raise_where_empty(FunctionContext& context, const ElementLoop& loop,
                       const std::string& message, const SyntaxNode& node) {
  const bool has_elements =
      std::all_of(
          loop.axes.begin(), loop.axes.end(),
          [](const LoopAxis& axis) { return axis.size.kind == ExpressionKind::kConstant; }) ||
      std::all_of(loop.sources.begin(), loop.sources.end(), [](const ElementSource& source) {
        const std::vector<std::int64_t>& sizes = source.array.type.sizes;
        return !sizes.empty() &&
               std::all_of(sizes.begin(), sizes.end(), [](std::int64_t size) { return size > 0; });
      });
  if (has_elements) return;
  const SourceSpan where = place(context, node);
  Expression is_empty =
      call(Operation::kEqual, DType::kBool,
           {n_elements(context, loop, node), number_of(DType::kInt64, 0, where)}, where);
  raise_where(context, std::move(is_empty), message, {}, node);
}

Value report_complex(FunctionContext& context, const SyntaxNode& array, const Value& element,
                     const SyntaxNode& node) {
  const std::string shown = text(context, array);
  return error(context, array,
               format("{} needs real numbers, {} is {}", text(context, *node.child("func")), shown,
                      describe(element.type)),
               inner_text(context, array) + ".real");
}

bool check_line(FunctionContext& context, const SyntaxNode& array, const SyntaxNode& node,
                const std::string& hint) {
  const int found = n_dimensions(context, array);
  if (found == 1) return true;
  error(context, array,
        format("{} needs a 1-dimensional array, {} has {} dimensions",
               text(context, *node.child("func")), text(context, array), found),
        hint);
  return false;
}

}  // namespace numpy_plugin::declare
