#include "numpy_plugin/infer/statements/array_stores.hpp"

#include <utility>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/infer/arrays/array_expressions.hpp"
#include "numpy_plugin/infer/arrays/element_loop.hpp"
#include "numpy_plugin/infer/calls/infer_calls.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_arrays.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"
#include "numpy_plugin/infer/expressions/infer_operators.hpp"
#include "numpy_plugin/syntax/functions.hpp"

namespace numpy_plugin::declare {
namespace {

// Whether a part is the whole array: out[:], out[...].
bool is_whole(const Value& array, const Expression& part) {
  if (part.operands.size() != static_cast<std::size_t>(array.type.n_dimensions) + 1) return false;
  for (std::size_t item = 1; item < part.operands.size(); ++item) {
    const Expression& slice = part.operands[item];
    if (slice.kind != ExpressionKind::kSlice || !slice.operands.empty()) return false;
  }
  return true;
}

// False with an error where what is read cannot be copied.
bool check_copies(FunctionContext& context, const Value& target, const Value& read) {
  if (!context.kernel.is_device_kernel()) return true;
  const std::string stored = text(context, *target.node);
  const std::string shown = text(context, *read.node);
  error(context, *read.node,
        format("{} may share elements with {}, which is overwritten meanwhile", shown, stored),
        format("write the loop, or copy {} into a local array first", shown));
  return false;
}

// The values that a source has before the loop.
bool copy_source(FunctionContext& context, ElementSource& source) {
  const SyntaxNode& node = *source.array.node;
  Value copy = copied_array(context, source.array, node);
  if (!copy.type.is_known()) return false;
  const std::vector<bool> is_broadcast = source.is_broadcast;
  source = element_source(context, std::move(copy), node);
  source.is_broadcast = is_broadcast;
  return true;
}

Value stored_element(FunctionContext& context, const ElementLoop& loop, const SyntaxNode& statement,
                     std::vector<Statement>& body) {
  const SyntaxNode& node = *statement.child("value");
  Value value = infer_element(context, loop, node, body);
  if (value.type.is_known() && is_augmented(statement)) {
    const ElementSource& target = loop.sources.front();
    const Value left = load_element(context, loop, target, *target.array.node);
    value = binary(context, *find_operator(statement.op), left, value, statement);
  }
  value.node = &node;
  return value;
}

}  // namespace

bool is_augmented(const SyntaxNode& statement) { return statement.kind == SyntaxKind::kAugAssign; }

const SyntaxNode* only_target(const SyntaxNode& statement) {
  if (is_augmented(statement)) return statement.child("target");
  const std::vector<SyntaxNode>& targets = statement.children("targets");
  return targets.size() == 1 ? &targets.front() : nullptr;
}

Value stored_array(FunctionContext& context, const SyntaxNode& target) {
  const bool is_part = target.kind == SyntaxKind::kSubscript;
  const SyntaxNode& owner = is_part ? *target.child("value") : target;
  const Value array = infer(context, owner);
  if (!array.type.is_known()) return {};
  mark_written(context, array.expression);
  if (!is_own_array(context, array.expression)) context.has_effects = true;
  if (array.type.is_read_only) {
    report_read_only(context, array, target);
    return {};
  }
  if (!is_part) return array;
  Value part = array_part(context, array, target);
  if (part.type.is_known() && is_whole(array, part.expression)) {
    part.expression = array.expression;
  }
  part.node = &target;
  return part;
}

Value read_before(FunctionContext& context, const Value& target, const Value& read) {
  if (!may_share_elements(context, target, read)) return read;
  if (!check_copies(context, target, read)) return {};
  Value copy = copied_array(context, read, *read.node);
  return copy.type.is_known() ? array_in_local(context, std::move(copy)) : Value();
}

bool check_dimensions(FunctionContext& context, const ElementLoop& loop, const SyntaxNode& value) {
  const ElementSource& target = loop.sources.front();
  const int found = n_dimensions(context, value);
  if (found <= target.array.type.n_dimensions) return true;
  error(context, value,
        format("{} has {} dimensions, {} has {}", text(context, value), found,
               text(context, *target.array.node), target.array.type.n_dimensions));
  return false;
}

bool copy_overlaps(FunctionContext& context, ElementLoop& loop) {
  const Value target = loop.sources.front().array;
  for (std::size_t i = 1; i < loop.sources.size(); ++i) {
    ElementSource& read = loop.sources[i];
    if (!may_share_elements(context, target, read.array) || order_loop(loop, read)) continue;
    if (!check_copies(context, target, read.array) || !copy_source(context, read)) return false;
  }
  for (const Value& read : loop.whole) {
    Value before = read_before(context, target, read);
    if (!before.type.is_known()) return false;
    loop.elements[read.node] = std::move(before);
  }
  return true;
}

void store_values(FunctionContext& context, const SyntaxNode& statement, Value array,
                  ElementLoop loop) {
  const SyntaxNode& node = *statement.child("value");
  const SyntaxNode& target = *only_target(statement);
  const int root = root_array(array.expression);
  loop.sources.insert(loop.sources.begin(), element_source(context, std::move(array), target));
  if (!check_dimensions(context, loop, node) ||
      !broadcast(context, loop, /*is_store=*/true, statement) || !copy_overlaps(context, loop)) {
    return;
  }
  const ElementSource& stored = loop.sources.front();
  std::vector<Statement> body;
  const Value value = stored_element(context, loop, statement, body);
  if (!value.type.is_known()) return;
  Statement store{
      StatementKind::kStore, place(context, statement), stored.local, {}, {}, {}, {}, {}};
  store.indices = element_indices(loop, stored);
  store.value = stored_number(context, value, root, stored.array.type.dtype);
  body.push_back(std::move(store));
  add_loop(context, loop, std::move(body), statement);
}

bool is_whole_array_store(const FunctionContext& context, const SyntaxNode& statement) {
  const SyntaxNode* const target = only_target(statement);
  if (target == nullptr || n_dimensions(context, *target) == 0) return false;
  if (is_augmented(statement)) return find_operator(statement.op) != nullptr;
  const SyntaxNode& value = *statement.child("value");
  return target->kind == SyntaxKind::kSubscript && n_dimensions(context, value) > 0 &&
         (!elementwise_operands(context, value).empty() || has_counted_size(context, value));
}

void store_whole_array(FunctionContext& context, const SyntaxNode& statement) {
  const SyntaxNode& target = *only_target(statement);
  ElementLoop loop;
  Value array;
  if (is_augmented(statement)) array = stored_array(context, target);
  const bool is_right = add_expression(context, loop, *statement.child("value"));
  if (!is_augmented(statement)) array = stored_array(context, target);
  if (!is_right || !array.type.is_known()) return;
  store_values(context, statement, std::move(array), std::move(loop));
}

}  // namespace numpy_plugin::declare
