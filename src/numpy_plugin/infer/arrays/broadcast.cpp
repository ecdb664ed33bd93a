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

std::vector<Expression> sizes_of(ElementSource& source) {
  std::vector<Expression> sizes;
  for (std::size_t axis = 0; axis < source.axes.size(); ++axis) {
    sizes.push_back(Dimension{&source, axis}.expression());
  }
  return sizes;
}

// "(3,)", of sizes that are added to `values`; one size where a message has no room for all.
std::string shape_text(const std::vector<Expression>& sizes, std::size_t axis, bool has_room,
                       std::vector<Expression>& values) {
  if (!has_room) {
    values.push_back(sizes[axis]);
    return "(..., {}, ...)";
  }
  std::string shape;
  for (const Expression& size : sizes) {
    values.push_back(size);
    shape += shape.empty() ? "{}" : ",{}";
  }
  return format("({}{})", shape, sizes.size() == 1 ? "," : "");
}

// NumPy's exception where two sizes differ, with the shapes of both or, where a message has no room
// for those, the two sizes.
void raise_mismatch(FunctionContext& context, const Dimension& first, const Dimension& second,
                    Expression differs, bool is_store, const SyntaxNode& node) {
  const bool has_room = first.source->axes.size() + second.source->axes.size() <= kMaxMessageValues;
  std::vector<Expression> values;
  const auto shape = [&](const Dimension& dimension) {
    return shape_text(sizes_of(*dimension.source), dimension.axis, has_room, values);
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
    axis.size = int64_constant(1, where);
    return true;
  }
  const Dimension first = dimensions.front();
  axis.size = first.size() >= 0 ? int64_constant(first.size(), where) : first.expression();
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
    Expression differs =
        both(test(Operation::kNotEqual, other.expression(), axis.size),
             test(Operation::kNotEqual, other.expression(), int64_constant(1, where)));
    if (!is_store) {
      differs =
          both(std::move(differs), test(Operation::kNotEqual, axis.size, int64_constant(1, where)));
    }
    raise_mismatch(context, first, other, std::move(differs), is_store, node);
    if (is_store) continue;
    Expression is_one = test(Operation::kEqual, axis.size, int64_constant(1, where));
    axis.size = local_number(context, {ExpressionKind::kSelect,
                                       ValueType::scalar(DType::kInt64),
                                       where,
                                       {std::move(is_one), other.expression(), axis.size}});
  }
  return true;
}

// NumPy's exception where a value does not fit what an index selects.
void raise_misfit(FunctionContext& context, const Dimension& given, const ElementLoop& loop,
                  Expression differs, bool is_masked, const SyntaxNode& node) {
  const std::vector<Expression> sizes = sizes_of(*given.source);
  std::vector<Expression> selected;
  for (const LoopAxis& axis : loop.axes) selected.push_back(axis.size);
  if (is_masked) {
    raise_where(context, std::move(differs),
                "NumPy boolean array indexing assignment cannot assign {} input values to the {} "
                "output values where the mask is true",
                {sizes.front(), selected.front()}, node);
    return;
  }
  const bool has_room = sizes.size() + selected.size() <= kMaxMessageValues;
  const std::size_t n_missing = selected.size() - sizes.size();
  std::vector<Expression> values;
  std::string message = "shape mismatch: value array of shape ";
  message += shape_text(sizes, given.axis, has_room, values);
  message += " could not be broadcast to indexing result of shape ";
  message += shape_text(selected, n_missing + given.axis, has_room, values);
  raise_where(context, std::move(differs), message, std::move(values), node);
}

}  // namespace

bool broadcast_to(FunctionContext& context, const ElementLoop& loop, ElementSource& source,
                  bool is_masked, const SyntaxNode& node) {
  if (source.axes.size() > loop.axes.size()) {
    error(context, node,
          format("{} has {} dimensions, the elements that are selected have {}",
                 text(context, node), source.axes.size(), loop.axes.size()));
    return false;
  }
  const std::size_t n_missing = loop.axes.size() - source.axes.size();
  for (std::size_t axis = 0; axis < source.axes.size(); ++axis) {
    const Dimension own{&source, axis};
    const Expression& size = loop.axes[n_missing + axis].size;
    const bool fits = size.kind == ExpressionKind::kConstant &&
                      detail<ConstantValue>(size) == ConstantValue(own.size());
    if (fits || own.size() == 1) continue;
    source.is_broadcast[axis] = true;
    Expression differs =
        both(test(Operation::kNotEqual, own.expression(), size),
             test(Operation::kNotEqual, own.expression(), int64_constant(1, size.place)));
    raise_misfit(context, own, loop, std::move(differs), is_masked, node);
  }
  return true;
}

bool broadcast(FunctionContext& context, ElementLoop& loop, bool is_store, const SyntaxNode& node) {
  std::size_t n_dimensions = 0;
  for (const ElementSource& source : loop.sources) {
    n_dimensions = std::max(n_dimensions, source.axes.size());
  }
  for (std::size_t k = 0; k < n_dimensions; ++k) {
    LoopAxis axis{int64_constant(0, place(context, node))};
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
