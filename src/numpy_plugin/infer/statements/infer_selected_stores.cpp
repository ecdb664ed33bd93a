// Stores to what masks and arrays of indices select: out[a > 1] = 0, m[order, 0] += x.
#include <utility>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/infer/arrays/array_expressions.hpp"
#include "numpy_plugin/infer/arrays/selections.hpp"
#include "numpy_plugin/infer/calls/infer_calls.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_arrays.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"
#include "numpy_plugin/infer/expressions/infer_operators.hpp"
#include "numpy_plugin/infer/statements/array_stores.hpp"
#include "numpy_plugin/infer/statements/infer_loops.hpp"
#include "numpy_plugin/syntax/functions.hpp"

namespace numpy_plugin::declare {
namespace {

// The mask of out[mask] where it has the array's dimensions; null otherwise.
const SyntaxNode* mask_of(const FunctionContext& context, const SyntaxNode& target) {
  if (target.kind != SyntaxKind::kSubscript) return nullptr;
  const SyntaxNode& index = *target.child("slice");
  const int n_masked = n_dimensions(context, index);
  const bool is_of_all = n_masked > 0 && is_mask(context, index) &&
                         n_masked == n_dimensions(context, *target.child("value"));
  return is_of_all ? &index : nullptr;
}

// The number or the array that is stored, in a local; unknown after an error.
Value stored_value(FunctionContext& context, const SyntaxNode& node) {
  Value value = is_sequence(node) ? listed_tuple(context, node) : infer(context, node);
  if (value.type.is_tuple() && !value.type.is_record) value = array_of_items(context, value);
  if (!value.type.is_known()) return {};
  if (value.type.is_scalar() || value.type.is_array()) return in_local(context, std::move(value));
  return error(
      context, node,
      "a store to selected elements takes a number or an array, found " + describe(value.type));
}

// Evaluates the index's arrays, once for all uses; false after an error. As NumPy does, copies what
// the store overwrites.
bool hold_index(FunctionContext& context, const Value& array, const SyntaxNode& statement) {
  for (const SyntaxNode* index : index_arrays(context, *only_target(statement))) {
    if (is_mask(context, *index) && !is_augmented(statement)) continue;
    Value held = in_local(context, infer(context, *index));
    if (!held.type.is_known()) return false;
    held.node = index;
    held = read_before(context, array, held);
    if (!held.type.is_known()) return false;
    context.held[index] = std::move(held);
  }
  return true;
}

void forget_index(FunctionContext& context, const SyntaxNode& target) {
  for (const SyntaxNode* index : index_arrays(context, target)) context.held.erase(index);
}

// The new values of an augmented store: those of a copy of what is selected, so that an index that
// occurs twice counts once.
Value updated_value(FunctionContext& context, const SyntaxNode& statement) {
  Value selected = in_local(context, infer(context, *only_target(statement)));
  ElementLoop loop;
  if (!selected.type.is_known() || !add_expression(context, loop, *statement.child("value"))) {
    return {};
  }
  store_values(context, statement, selected, std::move(loop));
  selected.node = statement.child("value");
  return selected;
}

// The element of a stored array in the loop over what is selected; unknown after an error.
Value selected_value(FunctionContext& context, const SelectedElements& selected,
                     const Value& target, Value value) {
  const SyntaxNode& node = *value.node;
  value = read_before(context, target, value);
  if (!value.type.is_known()) return {};
  ElementSource source = element_source(context, std::move(value), node);
  if (!broadcast_to(context, selected.loop, source, selected.is_masked, node)) return {};
  return load_element(context, selected.loop, source, node);
}

void store_at_index(FunctionContext& context, const SyntaxNode& statement, const Value& array,
                    Value value) {
  const SyntaxNode& target = *only_target(statement);
  const auto selected = selected_elements(context, array, target);
  if (!selected) return;
  if (value.type.is_array()) {
    value = selected_value(context, *selected, array, std::move(value));
    if (!value.type.is_known()) return;
  }
  value.node = statement.child("value");
  Statement store{StatementKind::kStore,
                  place(context, statement),
                  *read_local(selected->array.expression),
                  {},
                  {},
                  {},
                  {},
                  {}};
  store.indices = selected->indices;
  store.value = stored_number(context, value, root_array(array.expression), array.type.dtype);
  add_loop(context, selected->loop, {std::move(store)}, statement);
}

}  // namespace

bool is_masked_store(const FunctionContext& context, const SyntaxNode& statement) {
  const SyntaxNode* const target = only_target(statement);
  const SyntaxNode& value = *statement.child("value");
  const bool is_number = n_dimensions(context, value) == 0 && !is_sequence(value);
  return target != nullptr && is_number && mask_of(context, *target) != nullptr;
}

void store_masked(FunctionContext& context, const SyntaxNode& statement) {
  const SyntaxNode& target = *only_target(statement);
  const SyntaxNode& mask = *mask_of(context, target);
  const SyntaxNode& owner = *target.child("value");
  const SyntaxNode& node = *statement.child("value");
  ElementLoop loop;
  Value array;
  bool is_right = true;
  const auto infer_target = [&] {
    array = stored_array(context, owner);
    is_right = add_expression(context, loop, mask);
  };
  if (is_augmented(statement)) infer_target();
  Value number = stored_value(context, node);
  if (!is_augmented(statement)) infer_target();
  if (!is_right || !array.type.is_known() || !number.type.is_known()) return;
  const int root = root_array(array.expression);
  loop.sources.insert(loop.sources.begin(), element_source(context, std::move(array), owner));
  if (!check_dimensions(context, loop, mask) ||
      !broadcast(context, loop, /*is_store=*/true, statement) || !copy_overlaps(context, loop)) {
    return;
  }
  std::vector<Statement> body;
  const Value selects = infer_element(context, loop, mask, body);
  if (!check_index_array(context, selects, mask)) return;
  const ElementSource& stored = loop.sources.front();
  if (is_augmented(statement)) {
    const Value left = load_element(context, loop, stored, target);
    number = binary(context, *find_operator(statement.op), left, number, statement);
    if (!number.type.is_known()) return;
  }
  number.node = &node;
  const SourceSpan where = place(context, statement);
  Statement test{StatementKind::kIf, where, 0, selects.expression, {}, {}, {}, {}};
  Statement store{StatementKind::kStore, where, stored.local, {}, {}, {}, {}, {}};
  store.indices = element_indices(loop, stored);
  store.value = stored_number(context, number, root, stored.array.type.dtype);
  test.body.push_back(std::move(store));
  body.push_back(std::move(test));
  add_loop(context, loop, std::move(body), statement);
}

bool is_selected_store(const FunctionContext& context, const SyntaxNode& statement) {
  const SyntaxNode* const target = only_target(statement);
  return target != nullptr && target->kind == SyntaxKind::kSubscript &&
         n_dimensions(context, *target->child("value")) > 0 &&
         !index_arrays(context, *target).empty();
}

void store_selected(FunctionContext& context, const SyntaxNode& statement) {
  const SyntaxNode& target = *only_target(statement);
  Value value;
  if (!is_augmented(statement)) {
    value = stored_value(context, *statement.child("value"));
    if (!value.type.is_known()) return;
  }
  Value array = stored_array(context, *target.child("value"));
  if (!array.type.is_known()) return;
  array = array_in_local(context, std::move(array));
  if (hold_index(context, array, statement)) {
    if (is_augmented(statement)) value = updated_value(context, statement);
    if (value.type.is_known()) store_at_index(context, statement, array, std::move(value));
  }
  forget_index(context, target);
}

}  // namespace numpy_plugin::declare
