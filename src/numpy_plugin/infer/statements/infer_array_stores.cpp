// What is stored in arrays: one element, or all those of a row, a slice or a whole array.
#include <algorithm>

#include "numpy_plugin/infer/statements/infer.hpp"

namespace numpy_plugin::declare {

void FunctionInference::store(const SyntaxNode& target, Value value) {
  const SyntaxNode& owner = *target.child("value");
  const Value array = infer(owner);
  if (!array.type.is_known()) return;
  if (!array.type.is_array()) {
    error(place(target),
          text(owner) + " is " + with_article(array.type) + ", whose items cannot be assigned",
          array.type.is_scalar() ? array_hint(array.type) : "");
    return;
  }
  mark_written(array.expression);
  if (!is_own_array(array.expression)) has_effects_ = true;
  if (array.type.is_read_only) return report_read_only(array, target);
  if (is_part(array, target)) return store_elements(array, target, value);
  auto positions = indices(array, target);
  if (!positions || !value.type.is_known()) return;
  if (!value.type.is_scalar()) {
    if (report_part(value)) return;
    error(place(*value.node), "an element of '" + text(owner) + "' is a " +
                                  std::string(base::name(array.type.dtype)) + ", found " +
                                  describe(value.type));
    return;
  }
  const int variable = element_owner(array, *positions);
  Statement statement{StatementKind::kStore, place(target), variable, {}, {}, {}, {}, {}};
  statement.indices = std::move(*positions);
  statement.value = stored_number(value, variable, array.type.dtype);
  emit(std::move(statement));
}

// A number as an element of the array; where no signature says what the array's elements are, it
// has a say in that.
Expression FunctionInference::stored_number(const Value& value, int array, base::DType dtype) {
  note_stored(array, value.type);
  return task_.seeks_outputs ? cast(value.expression, dtype) : result_cast(value, dtype, "stored");
}

void FunctionInference::note_stored(int array, const InferredType& type) {
  const auto [stored, is_first] = stored_.try_emplace(array, type);
  if (!is_first) stored->second = promote(stored->second, type);
}

// Whether a local is the only array of its memory: an operand, or made here; not a second name.
bool FunctionInference::is_only_array(int local) const {
  if (local < 0) return false;
  if (static_cast<std::size_t>(local) < task_.arguments.size()) return task_.signature != nullptr;
  return storage_of(local).kind != ArrayStorage::Kind::kView;
}

bool FunctionInference::may_share_elements(const Value& target, const Value& source) const {
  if (source.type.is_read_only || source.type.dtype != target.type.dtype) return false;
  const int from = root_array(source.expression);
  const int to = root_array(target.expression);
  return from == to || !is_only_array(from) || !is_only_array(to);
}

void FunctionInference::store_elements(const Value& array, const SyntaxNode& target,
                                       const Value& value) {
  Value part = array_part(array, target);
  if (!part.type.is_known() || !value.type.is_known()) return;
  part.node = &target;
  const int root = root_array(part.expression);
  Expression result{ExpressionKind::kFillElements, {}, place(target), {part.expression}};
  if (value.type.is_scalar()) {
    result.operands.push_back(stored_number(value, root, array.type.dtype));
  } else {
    if (!check_stored_array(part, value)) return;
    note_stored(root, InferredType::scalar(value.type.dtype));
    const bool shares = may_share_elements(part, value);
    result.kind = shares ? ExpressionKind::kMoveElements : ExpressionKind::kCopyElements;
    result.operands.push_back(value.expression);
  }
  evaluate(std::move(result));
}

bool FunctionInference::check_stored_array(const Value& part, const Value& value) {
  const Place where = place(*value.node);
  const std::string shown = text(*value.node);
  if (!value.type.is_array()) {
    error(where, text(*part.node) + " takes a number or an array, found " + describe(value.type));
    return false;
  }
  const int n_missing = part.type.n_dimensions - value.type.n_dimensions;
  if (n_missing < 0) {
    error(where, shown + " is " + with_article(value.type) + ", " + text(*part.node) + " is " +
                     with_article(part.type));
    return false;
  }
  for (int axis = n_missing; axis < part.type.n_dimensions; ++axis) {
    const std::int64_t size = part.type.size(axis);
    const std::int64_t found = value.type.size(axis - n_missing);
    if (size < 0 || found < 0 || found == size || found == 1) continue;
    error(where, shown + " has size " + std::to_string(found) + " where " + text(*part.node) +
                     " has size " + std::to_string(size));
    return false;
  }
  if (!task_.seeks_outputs && needs_written_cast(part.type.dtype, value.type.dtype)) {
    error(where,
          describe(InferredType::scalar(value.type.dtype)) + " stored, " +
              std::string(base::name(part.type.dtype)) + " declared",
          "store one element at a time, with a cast: " +
              element_text(text(*part.node->child("value")), part.type.n_dimensions) + " = ...");
    return false;
  }
  return true;
}

}  // namespace numpy_plugin::declare
