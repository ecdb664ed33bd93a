#include "numpy_plugin/infer/arrays/element_loop.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "numpy_plugin/infer/arrays/array_expressions.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_arrays.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

// Whether an expression may read memory or have an effect: NumPy evaluates it once.
bool has_load(const SyntaxNode& node) {
  if (node.kind == SyntaxKind::kSubscript || node.kind == SyntaxKind::kCall) return true;
  if (node.op == SyntaxKind::kMatMult) return true;
  return std::any_of(node.fields.begin(), node.fields.end(), [](const auto& field) {
    return std::any_of(field.second.begin(), field.second.end(), has_load);
  });
}

bool add_number(FunctionContext& context, ElementLoop& loop, const SyntaxNode& node) {
  if (!has_load(node)) return true;
  Value value = infer(context, node);
  if (!value.type.is_known()) return false;
  loop.elements[&node] = in_local(context, std::move(value));
  return true;
}

bool is_whole(const Expression& item) {
  return item.kind == ExpressionKind::kSlice && item.operands.empty();
}

// Records which part of which array a source is.
void find_base(const FunctionContext& context, ElementSource& source) {
  const Expression& view = source.array.expression;
  if (view.kind == ExpressionKind::kLocal) {
    source.base = *read_local(view);
    source.items.resize(static_cast<std::size_t>(source.array.type.n_dimensions),
                        Expression{ExpressionKind::kSlice, {}, view.place, {}});
  } else if (view.kind == ExpressionKind::kView && read_local(view.operands.front())) {
    source.base = *read_local(view.operands.front());
    source.items.assign(view.operands.begin() + 1, view.operands.end());
  }
  for (std::size_t item = 0; item < source.items.size(); ++item) {
    if (source.items[item].kind == ExpressionKind::kSlice) source.kept.push_back(item);
  }
  const bool is_parameter =
      source.base >= 0 && static_cast<std::size_t>(source.base) < context.task.arguments.size();
  if (is_parameter) {
    source.base_sizes = context.task.arguments[static_cast<std::size_t>(source.base)].sizes;
  }
}

// Whether a source consists of single indices and whole dimensions of one array.
bool is_plain_part(const ElementSource& source) {
  return source.base >= 0 &&
         std::all_of(source.items.begin(), source.items.end(), [](const Expression& item) {
           return item.kind != ExpressionKind::kSlice || is_whole(item);
         });
}

Expression index_in_local(FunctionContext& context, const Expression& index,
                          const SyntaxNode& node) {
  Value value;
  value.node = &node;
  value.type = InferredType::scalar(DType::kInt64);
  value.expression = index;
  return in_local(context, std::move(value)).expression;
}

bool add_whole(FunctionContext& context, ElementLoop& loop, const SyntaxNode& node) {
  Value array = infer(context, node);
  if (!array.type.is_known()) return false;
  array = array_in_local(context, std::move(array));
  array.node = &node;
  loop.elements[&node] = array;
  loop.whole.push_back(std::move(array));
  return true;
}

// Evaluates what is read as a whole: by a function of single elements, or by an index.
bool add_whole_arrays(FunctionContext& context, ElementLoop& loop, const SyntaxNode& node) {
  if (node.kind == SyntaxKind::kSubscript) {
    return indexed_operands(context, node).empty() ||
           add_whole(context, loop, *node.child("value"));
  }
  const SyntaxNode* const element = element_argument(context, node);
  if (element == nullptr) return true;
  for (const SyntaxNode& argument : node.children("args")) {
    if (&argument == element) continue;
    const bool is_array = n_dimensions(context, argument) > 0;
    if (!(is_array ? add_whole(context, loop, argument) : add_number(context, loop, argument))) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool add_expression(FunctionContext& context, ElementLoop& loop, const SyntaxNode& node) {
  if (n_dimensions(context, node) == 0) return add_number(context, loop, node);
  const bool is_held = context.held.contains(&node);
  const auto operands =
      is_held ? std::vector<const SyntaxNode*>() : elementwise_operands(context, node);
  bool is_right = is_held || add_whole_arrays(context, loop, node);
  for (const SyntaxNode* operand : operands) {
    is_right = add_expression(context, loop, *operand) && is_right;
  }
  if (!operands.empty()) return is_right;
  Value array = infer(context, node);
  if (!array.type.is_known()) return false;
  NPP_ASSERT(array.type.is_array(), text(context, node));
  loop.sources.push_back(element_source(context, std::move(array), node));
  return true;
}

ElementSource element_source(FunctionContext& context, Value array, const SyntaxNode& node) {
  ElementSource source;
  const auto n_kept = static_cast<std::size_t>(array.type.n_dimensions);
  array.node = &node;
  source.array = std::move(array);
  source.is_broadcast.resize(n_kept, false);
  find_base(context, source);
  if (!is_plain_part(source)) {
    source.local = *read_local(array_in_local(context, source.array).expression);
    source.indices.resize(n_kept);
    for (std::size_t axis = 0; axis < n_kept; ++axis) {
      source.axes.push_back(static_cast<int>(axis));
    }
    return source;
  }
  source.local = source.base;
  for (const Expression& item : source.items) {
    source.indices.push_back(is_whole(item) ? std::nullopt
                                            : std::optional(index_in_local(context, item, node)));
  }
  for (const std::size_t item : source.kept) source.axes.push_back(static_cast<int>(item));
  return source;
}

std::vector<Expression> element_indices(const ElementLoop& loop, const ElementSource& source) {
  const SourceSpan& where = source.array.expression.place;
  const std::size_t n_missing = loop.axes.size() - source.axes.size();
  std::vector<Expression> indices;
  std::size_t axis = 0;
  for (const std::optional<Expression>& index : source.indices) {
    if (index) {
      indices.push_back(*index);
      continue;
    }
    const Expression zero = int64_constant(0, where);
    Expression counter{ExpressionKind::kLocal,
                       ValueType::scalar(DType::kInt64),
                       where,
                       {},
                       LocalReference{loop.axes[n_missing + axis].counter}};
    if (source.array.type.size(static_cast<int>(axis)) == 1) {
      indices.push_back(zero);
    } else if (source.is_broadcast[axis]) {
      Expression size{ExpressionKind::kArraySize,
                      ValueType::scalar(DType::kInt64),
                      where,
                      {},
                      ArraySize{source.local, source.axes[axis]}};
      Expression one = int64_constant(1, where);
      Expression is_one =
          call(Operation::kEqual, DType::kBool, {std::move(size), std::move(one)}, where);
      indices.push_back({ExpressionKind::kSelect,
                         ValueType::scalar(DType::kInt64),
                         where,
                         {std::move(is_one), zero, std::move(counter)}});
    } else {
      indices.push_back(std::move(counter));
    }
    ++axis;
  }
  return indices;
}

Value load_element(FunctionContext& context, const ElementLoop& loop, const ElementSource& source,
                   const SyntaxNode& node) {
  const DType dtype = source.array.type.dtype;
  Value value;
  value.node = &node;
  value.type = InferredType::scalar(dtype);
  value.expression =
      Expression{ExpressionKind::kLoad, ValueType::scalar(dtype), place(context, node),
                 element_indices(loop, source), ElementLoad{source.local}};
  Origin origin;
  origin.is_declared = true;
  value.origin = std::make_shared<const Origin>(std::move(origin));
  return value;
}

Value infer_element(FunctionContext& context, const ElementLoop& loop, const SyntaxNode& node,
                    std::vector<Statement>& body) {
  std::map<const SyntaxNode*, Value> elements = loop.elements;
  for (const ElementSource& source : loop.sources) {
    elements[source.array.node] = load_element(context, loop, source, *source.array.node);
  }
  const bool used_locals = std::exchange(context.uses_locals, true);
  std::vector<Statement>* const outer = std::exchange(context.block, &body);
  const auto* const outer_elements = std::exchange(context.elements, &elements);
  Value value = infer(context, node);
  context.elements = outer_elements;
  context.block = outer;
  context.uses_locals = used_locals;
  return value;
}

Statement counting(const LoopAxis& axis, const SourceSpan& where) {
  const auto number = [&where](std::int64_t value) { return int64_constant(value, where); };
  Statement loop{StatementKind::kForRange, where, axis.counter, {}, {}, {}, {}, {}};
  if (axis.is_reversed) {
    Expression last = call(Operation::kSubtract, DType::kInt64, {axis.size, number(1)}, where);
    loop.range = {std::move(last), number(-1), number(-1)};
  } else {
    loop.range = {number(0), axis.size, number(1)};
  }
  return loop;
}

void add_loop(FunctionContext& context, const ElementLoop& loop, std::vector<Statement> body,
              const SyntaxNode& node, Fold fold) {
  const SourceSpan where = place(context, node);
  for (std::size_t axis = loop.axes.size(); axis-- > 0;) {
    Statement statement = counting(loop.axes[axis], where);
    statement.body = std::move(body);
    statement.fold = std::exchange(fold, Fold::kNone);
    body = {std::move(statement)};
  }
  for (Statement& statement : body) add_statement(context, std::move(statement));
}

Expression n_elements(FunctionContext& context, const ElementLoop& loop, const SyntaxNode& node) {
  Expression number = loop.axes.front().size;
  for (std::size_t axis = 1; axis < loop.axes.size(); ++axis) {
    number = call(Operation::kMultiply, DType::kInt64, {std::move(number), loop.axes[axis].size},
                  place(context, node));
  }
  return number;
}

}  // namespace numpy_plugin::declare
