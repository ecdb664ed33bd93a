#include "numpy_plugin/infer/statements/infer_array_stores.hpp"

#include <algorithm>

#include "numpy_plugin/infer/calls/infer_result_casts.hpp"
#include "numpy_plugin/infer/core/infer_report.hpp"
#include "numpy_plugin/infer/expressions/infer_arrays.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_effects.hpp"
#include "numpy_plugin/infer/expressions/infer_element_hints.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"
#include "numpy_plugin/infer/expressions/infer_views.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

void note_stored(FunctionContext& context, int array, const InferredType& type) {
  const auto [stored, is_first] = context.arrays.stored.try_emplace(array, type);
  if (!is_first) stored->second = promote(stored->second, type);
}

// Whether a local is its array's only name: an operand, or an array created here.
bool is_only_array(const FunctionContext& context, int local) {
  if (local < 0) return false;
  if (static_cast<std::size_t>(local) < context.task.arguments.size()) {
    return context.task.signature != nullptr;
  }
  return context.scope.storage_of(local).kind != ArrayStorage::Kind::kView;
}

// Whether a variable holds arrays created here only, and the other local is an argument.
bool is_apart(const FunctionContext& context, int variable, int other) {
  const auto is_argument = [&context](int local) {
    return static_cast<std::size_t>(local) < context.task.arguments.size();
  };
  if (variable < 0 || other < 0 || !is_argument(other) || is_argument(variable)) return false;
  const auto& variables = context.scope.variables;
  return static_cast<std::size_t>(variable) < variables.size() &&
         !variables[static_cast<std::size_t>(variable)].may_be_argument;
}

// False where imaginary parts would be lost.
bool check_stored_kind(FunctionContext& context, const Value& part, const Value& value) {
  const DType from = value.type.dtype;
  const DType to = part.type.dtype;
  const std::string message = kind_change_text(from, to, "stored");
  const std::string hint =
      "store one element at a time, with a cast: " +
      element_text(text(context, *part.node->child("value")), part.type.n_dimensions) + " = ...";
  if (drops_imaginary_part(to, from)) {
    error(context, *value.node, message, hint);
    return false;
  }
  if (changes_kind(to, from)) warn(context, *value.node, message, hint);
  return true;
}

bool check_stored_array(FunctionContext& context, const Value& part, const Value& value) {
  const SourceSpan where = place(context, *value.node);
  const std::string shown = text(context, *value.node);
  if (!value.type.is_array()) {
    error(context, where,
          text(context, *part.node) + " takes a number or an array, found " + describe(value.type));
    return false;
  }
  const int n_missing = part.type.n_dimensions - value.type.n_dimensions;
  if (n_missing < 0) {
    error(context, where,
          shown + " is " + with_article(value.type) + ", " + text(context, *part.node) + " is " +
              with_article(part.type));
    return false;
  }
  for (int axis = n_missing; axis < part.type.n_dimensions; ++axis) {
    const std::int64_t size = part.type.size(axis);
    const std::int64_t found = value.type.size(axis - n_missing);
    if (size < 0 || found < 0 || found == size || found == 1) continue;
    error(context, where,
          shown + " has size " + std::to_string(found) + " where " + text(context, *part.node) +
              " has size " + std::to_string(size));
    return false;
  }
  return context.task.seeks_outputs || check_stored_kind(context, part, value);
}

void store_elements(FunctionContext& context, const Value& array, const SyntaxNode& target,
                    const Value& value) {
  Value part = array_part(context, array, target);
  if (!part.type.is_known() || !value.type.is_known()) return;
  part.node = &target;
  const int root = root_array(part.expression);
  Expression result{ExpressionKind::kFillElements, {}, place(context, target), {part.expression}};
  if (value.type.is_scalar()) {
    result.operands.push_back(stored_number(context, value, root, array.type.dtype));
  } else {
    if (!check_stored_array(context, part, value)) return;
    note_stored(context, root, InferredType::scalar(value.type.dtype));
    const bool shares = may_share_elements(context, part, value);
    result.kind = shares ? ExpressionKind::kMoveElements : ExpressionKind::kCopyElements;
    result.operands.push_back(value.expression);
  }
  evaluate(context, std::move(result));
}

}  // namespace

Expression stored_number(FunctionContext& context, const Value& value, int array, DType dtype) {
  note_stored(context, array, value.type);
  return context.task.seeks_outputs ? cast(value.expression, dtype)
                                    : result_cast(context, value, dtype, "stored");
}

bool may_share_elements(const FunctionContext& context, const Value& target, const Value& source) {
  if (source.type.is_read_only || source.type.dtype != target.type.dtype) return false;
  const int from = root_array(source.expression);
  const int to = root_array(target.expression);
  if (is_apart(context, from, to) || is_apart(context, to, from)) return false;
  return from == to || !is_only_array(context, from) || !is_only_array(context, to);
}

void store(FunctionContext& context, const SyntaxNode& target, Value value) {
  const SyntaxNode& owner = *target.child("value");
  const Value array = infer(context, owner);
  if (!array.type.is_known()) return;
  if (!array.type.is_array()) {
    error(context, target,
          text(context, owner) + " is " + with_article(array.type) +
              ", whose items cannot be assigned",
          array.type.is_scalar() ? array_hint(context, array.type) : "");
    return;
  }
  mark_written(context, array.expression);
  if (!is_own_array(context, array.expression)) context.has_effects = true;
  if (array.type.is_read_only) return report_read_only(context, array, target);
  if (is_part(context, array, target)) return store_elements(context, array, target, value);
  auto positions = indices(context, array, target);
  if (!positions || !value.type.is_known()) return;
  if (!value.type.is_scalar()) {
    if (report_part(context, value)) return;
    error(context, *value.node,
          "an element of '" + text(context, owner) + "' is a " +
              std::string(base::name(array.type.dtype)) + ", found " + describe(value.type));
    return;
  }
  const int variable = element_owner(context, array, *positions);
  Statement statement{StatementKind::kStore, place(context, target), variable, {}, {}, {}, {}, {}};
  statement.indices = std::move(*positions);
  statement.value = stored_number(context, value, variable, array.type.dtype);
  add_statement(context, std::move(statement));
}

}  // namespace numpy_plugin::declare
