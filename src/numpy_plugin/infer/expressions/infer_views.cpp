#include "numpy_plugin/infer/expressions/infer_arrays.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

#include "numpy_plugin/infer/arrays/array_expressions.hpp"
#include "numpy_plugin/infer/arrays/element_loop.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
constexpr const char* kZeroStep = "slice step cannot be zero";

bool has_no_bounds(const SyntaxNode& slice) {
  return !slice.child("lower") && !slice.child("upper") && !slice.child("step");
}

// The step of a slice, evaluated once; nullopt after an error.
std::optional<Expression> slice_step(FunctionContext& context, const SyntaxNode& node) {
  const std::size_t n_errors = context.findings.errors.size();
  const auto known = constant_index(context, node);
  if (!known && context.findings.errors.size() > n_errors) return std::nullopt;
  const SourceSpan where = place(context, node);
  if (known && *known == 0) {
    error(context, node, kZeroStep);
    return std::nullopt;
  }
  if (known) {
    const auto step = static_cast<std::int64_t>(std::clamp<Int128>(*known, -kLast, kLast));
    return int64_constant(step, where);
  }
  auto step = integer_index(context, node);
  if (!step) return std::nullopt;
  const InferredType type = InferredType::scalar(DType::kInt64);
  step->expression = convert(context, *step, type);
  step->type = type;
  Expression number = in_local(context, std::move(*step), /*even_plain_reads=*/true).expression;
  raise_where(context,
              call(Operation::kEqual, DType::kBool, {number, int64_constant(0, where)}, where),
              kZeroStep, {}, node);
  return number;
}

// A bound that is omitted, at either end, as the sign of the step has it.
Expression omitted_bound(const Expression& step, std::int64_t forward, std::int64_t backward,
                         const SourceSpan& where) {
  const auto number = [&where](std::int64_t value) { return int64_constant(value, where); };
  if (step.kind == ExpressionKind::kConstant) {
    const bool is_forward = std::get<std::int64_t>(detail<ConstantValue>(step)) > 0;
    return number(is_forward ? forward : backward);
  }
  Expression is_forward = call(Operation::kGreater, DType::kBool, {step, number(0)}, where);
  return {ExpressionKind::kSelect,
          ValueType::scalar(DType::kInt64),
          where,
          {std::move(is_forward), number(forward), number(backward)}};
}

// Bounds as numbers: omitted ones are beyond the end, like Python's.
std::optional<Expression> slice(FunctionContext& context, const SyntaxNode& node) {
  const SourceSpan where = place(context, node);
  std::optional<Expression> step = int64_constant(1, where);
  if (const SyntaxNode* step_node = node.child("step")) step = slice_step(context, *step_node);
  if (!step) return std::nullopt;
  const auto bound = [&](const char* field, std::int64_t forward,
                         std::int64_t backward) -> std::optional<Expression> {
    const SyntaxNode* given = node.child(field);
    if (!given) return omitted_bound(*step, forward, backward, where);
    const auto value = integer_index(context, *given);
    if (!value) return std::nullopt;
    return convert(context, *value, InferredType::scalar(DType::kInt64));
  };
  auto start = bound("lower", 0, kLast);
  auto stop = bound("upper", kLast, kFirst);
  if (!start || !stop) return std::nullopt;
  return Expression{
      ExpressionKind::kSlice, {}, where, {std::move(*start), std::move(*stop), std::move(*step)}};
}

// The index that a slice's bound is clipped to.
std::int64_t clipped(std::int64_t bound, std::int64_t size) {
  return bound < 0 ? std::max<std::int64_t>(bound, -size) + size : std::min(bound, size);
}

// The size of a slice with constant bounds and step 1; -1 for others.
std::int64_t slice_size(std::int64_t size, const Expression& slice) {
  std::vector<std::int64_t> bounds;
  for (const Expression& bound : slice.operands) {
    if (bound.kind != ExpressionKind::kConstant) return -1;
    bounds.push_back(std::get<std::int64_t>(detail<ConstantValue>(bound)));
  }
  const auto [start, stop, step] = std::tuple(bounds[0], bounds[1], bounds[2]);
  if (step != 1) return -1;
  if (size >= 0) {
    return std::max<std::int64_t>(clipped(stop, size) - clipped(start, size), 0);
  }
  const bool is_clipped =
      start >= 0 && start < kLast && (stop == kLast || (stop < 0 && stop > kFirst));
  if (!is_clipped) return -1;
  const std::int64_t rest = size_without(size, start);
  return stop == kLast ? rest : size_without(rest, -stop);
}

// Hint that replaces a slice where a number is required.
std::string slice_hint(const FunctionContext& context, const SyntaxNode& node) {
  const bool is_line = index_nodes(context, *node.child("slice"), 1).size() == 1;
  return format("one element at a time: {}{}, or pass the slice to a device function",
                text(context, *node.child("value")), is_line ? "[i]" : "[i, j]");
}

}  // namespace

bool is_part(const FunctionContext& context, const Value& array, const SyntaxNode& node) {
  const std::vector<const SyntaxNode*> nodes =
      index_nodes(context, *node.child("slice"), array.type.n_dimensions);
  return nodes.size() < static_cast<std::size_t>(array.type.n_dimensions) ||
         std::any_of(nodes.begin(), nodes.end(),
                     [](const SyntaxNode* index) { return is_slice(*index); });
}

Value array_part(FunctionContext& context, const Value& array, const SyntaxNode& node) {
  return array_part(context, array,
                    index_nodes(context, *node.child("slice"), array.type.n_dimensions), node);
}

Value array_part(FunctionContext& context, const Value& array,
                 const std::vector<const SyntaxNode*>& nodes, const SyntaxNode& node) {
  const auto n_dimensions = static_cast<std::size_t>(array.type.n_dimensions);
  if (!check_index_count(context, array, nodes.size(), node)) return {};
  Value value;
  value.type = InferredType::array(array.type.dtype, 0, array.type.is_read_only);
  value.expression =
      Expression{ExpressionKind::kView, {}, place(context, node), {array.expression}};
  for (std::size_t axis = 0; axis < n_dimensions; ++axis) {
    const SyntaxNode* const given = axis < nodes.size() ? nodes[axis] : nullptr;
    const bool is_kept = given == nullptr || is_slice(*given);
    const bool is_all = given == nullptr || (is_kept && has_no_bounds(*given));
    const int number = static_cast<int>(axis);
    auto item = is_all    ? Expression{ExpressionKind::kSlice, {}, place(context, node), {}}
                : is_kept ? slice(context, *given)
                          : index(context, array, number, *given);
    if (!item) return {};
    value.expression.operands.push_back(std::move(*item));
    if (!is_kept) continue;
    const std::int64_t size = array.type.size(number);
    value.type.sizes.push_back(is_all ? size : slice_size(size, value.expression.operands.back()));
  }
  value.type.n_dimensions = static_cast<int>(value.type.sizes.size());
  value.expression.type = storage(value.type);
  return value;
}

Value transposed(FunctionContext& context, const Value& array, const SyntaxNode& node) {
  Value value = array;
  value.node = &node;
  std::reverse(value.type.sizes.begin(), value.type.sizes.end());
  value.expression = Expression{
      ExpressionKind::kTranspose, storage(value.type), place(context, node), {array.expression}};
  return value;
}

Value part_of_numbers(FunctionContext& context, Operation part, const Value& array,
                      const SyntaxNode& node) {
  Value value = array;
  value.node = &node;
  if (!base::is_complex(array.type.dtype)) return value;
  value.type.dtype = real_dtype(array.type.dtype);
  value.expression = Expression{
      ExpressionKind::kCast, storage(value.type), place(context, node), {array.expression}, part};
  return value;
}

Value array_in_local(FunctionContext& context, Value array) {
  return in_local(context, std::move(array));
}

int local_array(FunctionContext& context, Value array) {
  return detail<LocalReference>(array_in_local(context, std::move(array)).expression).local;
}

int element_owner(FunctionContext& context, const Value& array,
                  std::vector<Expression>& positions) {
  const Expression& view = array.expression;
  const auto is_kept = [](const Expression& item) {
    return item.kind == ExpressionKind::kSlice && item.operands.empty();
  };
  const auto kept =
      view.operands.end() - (view.kind == ExpressionKind::kView ? array.type.n_dimensions : 0);
  const bool is_row =
      view.kind == ExpressionKind::kView && view.operands.front().kind == ExpressionKind::kLocal &&
      std::all_of(kept, view.operands.end(), is_kept) &&
      std::none_of(view.operands.begin(), kept,
                   [](const Expression& item) { return item.kind == ExpressionKind::kSlice; });
  if (!is_row) return local_array(context, array);
  positions.insert(positions.begin(), view.operands.begin() + 1, kept);
  return detail<LocalReference>(view.operands.front()).local;
}

void mark_written(FunctionContext& context, const Expression& array) {
  if (array.kind == ExpressionKind::kTuple) {
    for (const Expression& item : array.operands) mark_written(context, item);
  }
  if (array.type.kind != ValueType::Kind::kArray) return;
  if (array.kind == ExpressionKind::kLocal) {
    context.arrays.written.insert(detail<LocalReference>(array).local);
  }
  for (const Expression& operand : array.operands) mark_written(context, operand);
}

bool report_part(FunctionContext& context, const Value& value) {
  if (!value.type.is_array() || value.node->kind != SyntaxKind::kSubscript) return false;
  const SyntaxNode& node = *value.node;
  if (!index_arrays(context, node).empty()) return false;
  const std::vector<const SyntaxNode*> nodes =
      index_nodes(context, *node.child("slice"), value.type.n_dimensions);
  const auto is_kept = [](const SyntaxNode* index) { return is_slice(*index); };
  if (nodes.empty() || std::any_of(nodes.begin(), nodes.end(), is_kept)) {
    error(context, node, "a slice is not a number", slice_hint(context, node));
    return true;
  }
  report_row(context, node, nodes.size() + static_cast<std::size_t>(value.type.n_dimensions));
  return true;
}

Expression as_view(Expression array) {
  Expression view{ExpressionKind::kCast, array.type, array.place, {}};
  view.operands.push_back(std::move(array));
  return view;
}

namespace {

// Adds the inputs that a local may be, or be a view of: those that its values name.
void add_viewed_inputs(const FunctionContext& context, int local, std::set<int>& seen,
                       std::set<int>& inputs) {
  const auto index = static_cast<std::size_t>(local);
  if (index >= context.scope.variables.size() || !seen.insert(local).second) return;
  const Variable& variable = context.scope.variable(local);
  if (variable.is_parameter) {
    const bool is_input = index < context.task.n_inputs && context.task.arguments[index].is_array();
    if (is_input) inputs.insert(local);
    return;
  }
  const auto visit = [&](const auto& self, const SyntaxNode& node) -> void {
    const int named = context.scope.find(node);
    if (named >= 0) add_viewed_inputs(context, named, seen, inputs);
    for (const auto& [field, children] : node.fields) {
      for (const SyntaxNode& child : children) self(self, child);
    }
  };
  for (const Assignment& assignment : variable.assignments) {
    if (assignment.value != nullptr && assignment.type.is_array()) visit(visit, *assignment.value);
  }
}

}  // namespace

bool copies_inputs(FunctionContext& context, const Value& array, const SourceSpan& where) {
  if (!context.task.is_generalized()) return false;
  std::set<int> seen;
  std::set<int> inputs;
  const int root = root_array(array.expression);
  if (root >= 0) add_viewed_inputs(context, root, seen, inputs);
  for (const int input : inputs) context.scope.changed_inputs.try_emplace(input, where);
  return !inputs.empty();
}

void report_read_only(FunctionContext& context, const Value& array, const SyntaxNode& target) {
  if (copies_inputs(context, array, place(context, target))) return;
  const std::string quoted = format("'{}'", text(context, *array.node));
  const bool is_local = array.expression.kind == ExpressionKind::kLocal;
  const int local = is_local ? detail<LocalReference>(array.expression).local : -1;
  const auto is_this = [&](const auto& entry) { return is_local && entry.second == local; };
  if (std::any_of(context.arrays.constants.begin(), context.arrays.constants.end(), is_this)) {
    error(context, target, quoted + " is built into the kernel and cannot be written",
          "copy it into a local array");
    return;
  }
  error(context, target, quoted + " is an input and cannot be written");
}

}  // namespace numpy_plugin::declare
