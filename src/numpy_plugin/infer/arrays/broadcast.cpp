// Sizes of a loop over several arrays: equal where types prove it, else compared at run time.
#include <algorithm>
#include <utility>

#include "numpy_plugin/infer/arrays/element_loop.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

// A dimension of a source.
struct Dimension {
  ElementSource* source;
  std::size_t axis;

  std::int64_t size() const { return source->array.type.size(static_cast<int>(axis)); }
  Expression expression() const {
    return {ExpressionKind::kArraySize,
            ValueType::scalar(DType::kInt64),
            source->array.expression.place,
            {},
            ArraySize{source->local, source->axes[axis]}};
  }
};

Expression number(std::int64_t value, const SourceSpan& where) {
  return constant_expression(DType::kInt64, value, where);
}

Expression test(Operation operation, Expression left, Expression right) {
  const SourceSpan where = left.place;
  return call(operation, DType::kBool, {std::move(left), std::move(right)}, where);
}

Expression both(Expression first, Expression second) {
  const SourceSpan where = first.place;
  return {ExpressionKind::kAnd,
          ValueType::scalar(DType::kBool),
          where,
          {std::move(first), std::move(second)}};
}

Expression local_number(FunctionContext& context, Expression value) {
  const SourceSpan where = value.place;
  const int local = context.scope.add_temporary(InferredType::scalar(DType::kInt64));
  Statement statement{StatementKind::kAssign, where, local, std::move(value), {}, {}, {}, {}};
  add_statement(context, std::move(statement));
  return {
      ExpressionKind::kLocal, ValueType::scalar(DType::kInt64), where, {}, LocalReference{local}};
}

// "(3,) (4,)": the shapes of both where a message has room for their sizes, else the two sizes.
void raise_mismatch(FunctionContext& context, const Dimension& first, const Dimension& second,
                    Expression differs, bool is_store, const SyntaxNode& node) {
  const bool has_room = first.source->axes.size() + second.source->axes.size() <= kMaxMessageValues;
  std::vector<Expression> values;
  const auto shape = [&](const Dimension& dimension) {
    if (!has_room) {
      values.push_back(dimension.expression());
      return std::string("(..., {}, ...)");
    }
    std::string sizes;
    for (std::size_t axis = 0; axis < dimension.source->axes.size(); ++axis) {
      values.push_back(Dimension{dimension.source, axis}.expression());
      sizes += axis == 0 ? "{}" : ",{}";
    }
    return format("({}{})", sizes, dimension.source->axes.size() == 1 ? "," : "");
  };
  std::string message;
  if (is_store) {
    message = "could not broadcast input array from shape " + shape(second);
    message += " into shape " + shape(first);
  } else {
    message = "operands could not be broadcast together with shapes " + shape(first);
    message += format(" {} ", shape(second));
  }
  raise_where(context, std::move(differs), message, std::move(values), node);
}

bool report_sizes(FunctionContext& context, const Dimension& first, const Dimension& second) {
  const Value& wrong = second.source->array;
  const Value& other = first.source->array;
  error(context, *wrong.node,
        format("{} has size {} where {} has size {}", text(context, *wrong.node), second.size(),
               text(context, *other.node), first.size()));
  return false;
}

// The size of one axis of the loop.
bool broadcast_axis(FunctionContext& context, LoopAxis& axis, std::vector<Dimension> dimensions,
                    bool is_store, const SyntaxNode& node) {
  const SourceSpan where = place(context, node);
  if (!is_store) {
    std::erase_if(dimensions, [](const Dimension& each) { return each.size() == 1; });
  }
  if (dimensions.empty()) {
    axis.size = number(1, where);
    return true;
  }
  const Dimension first = dimensions.front();
  axis.size = first.size() >= 0 ? number(first.size(), where) : first.expression();
  std::vector<Dimension> unproven;
  for (const Dimension& other : dimensions) {
    if (other.source == first.source || other.size() == 1) continue;
    if (has_same_size(*first.source, first.axis, *other.source, other.axis)) continue;
    if (first.size() >= 0 && other.size() >= 0) return report_sizes(context, first, other);
    unproven.push_back(other);
  }
  if (unproven.empty()) return true;
  for (const Dimension& each : is_store ? unproven : dimensions) {
    each.source->is_broadcast[each.axis] = true;
  }
  for (const Dimension& other : unproven) {
    Expression differs = both(test(Operation::kNotEqual, other.expression(), axis.size),
                              test(Operation::kNotEqual, other.expression(), number(1, where)));
    if (!is_store) {
      differs = both(std::move(differs), test(Operation::kNotEqual, axis.size, number(1, where)));
    }
    raise_mismatch(context, first, other, std::move(differs), is_store, node);
    if (is_store) continue;
    Expression is_one = test(Operation::kEqual, axis.size, number(1, where));
    axis.size = local_number(context, {ExpressionKind::kSelect,
                                       ValueType::scalar(DType::kInt64),
                                       where,
                                       {std::move(is_one), other.expression(), axis.size}});
  }
  return true;
}

}  // namespace

bool broadcast(FunctionContext& context, ElementLoop& loop, bool is_store, const SyntaxNode& node) {
  std::size_t n_dimensions = 0;
  for (const ElementSource& source : loop.sources) {
    n_dimensions = std::max(n_dimensions, source.axes.size());
  }
  for (std::size_t k = 0; k < n_dimensions; ++k) {
    LoopAxis axis{number(0, place(context, node))};
    std::vector<Dimension> dimensions;
    for (ElementSource& source : loop.sources) {
      const std::size_t n_missing = n_dimensions - source.axes.size();
      if (k >= n_missing) dimensions.push_back({&source, k - n_missing});
    }
    if (!broadcast_axis(context, axis, std::move(dimensions), is_store, node)) return false;
    axis.counter = context.scope.add_temporary(InferredType::scalar(DType::kInt64));
    loop.axes.push_back(std::move(axis));
  }
  return true;
}

}  // namespace numpy_plugin::declare
