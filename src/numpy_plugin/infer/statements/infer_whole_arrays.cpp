#include "numpy_plugin/infer/statements/infer_statements.hpp"

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

bool is_augmented(const SyntaxNode& statement) { return statement.kind == SyntaxKind::kAugAssign; }

// The only target; null where there are several.
const SyntaxNode* only_target(const SyntaxNode& statement) {
  if (is_augmented(statement)) return statement.child("target");
  const std::vector<SyntaxNode>& targets = statement.children("targets");
  return targets.size() == 1 ? &targets.front() : nullptr;
}

// Whether a part is the whole array: out[:], out[...].
bool is_whole(const Value& array, const Expression& part) {
  if (part.operands.size() != static_cast<std::size_t>(array.type.n_dimensions) + 1) return false;
  for (std::size_t item = 1; item < part.operands.size(); ++item) {
    const Expression& slice = part.operands[item];
    if (slice.kind != ExpressionKind::kSlice || !slice.operands.empty()) return false;
  }
  return true;
}

// The array that is written; unknown after an error.
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

bool check_dimensions(FunctionContext& context, const ElementLoop& loop, const SyntaxNode& value) {
  const ElementSource& target = loop.sources.front();
  const int found = n_dimensions(context, value);
  if (found <= target.array.type.n_dimensions) return true;
  error(context, value,
        format("{} has {} dimensions, {} has {}", text(context, value), found,
               text(context, *target.array.node), target.array.type.n_dimensions));
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

// False with an error where a source cannot be copied.
bool check_copies(FunctionContext& context, const Value& target, const Value& read) {
  if (!context.kernel.is_device_kernel()) return true;
  const std::string stored = text(context, *target.node);
  const std::string shown = text(context, *read.node);
  error(context, *read.node,
        format("{} may share elements with {}, which is overwritten meanwhile", shown, stored),
        format("write the loop, or copy {} into a local array first", shown));
  return false;
}

// As NumPy does, copies what the loop would overwrite before it is read.
bool copy_overlaps(FunctionContext& context, ElementLoop& loop) {
  const Value target = loop.sources.front().array;
  for (std::size_t i = 1; i < loop.sources.size(); ++i) {
    ElementSource& read = loop.sources[i];
    if (!may_share_elements(context, target, read.array) || order_loop(loop, read)) continue;
    if (!check_copies(context, target, read.array) || !copy_source(context, read)) return false;
  }
  for (const Value& read : loop.whole) {
    if (!may_share_elements(context, target, read)) continue;
    if (!check_copies(context, target, read)) return false;
    Value copy = copied_array(context, read, *read.node);
    if (!copy.type.is_known()) return false;
    loop.elements[read.node] = array_in_local(context, std::move(copy));
  }
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

// The index of a[index] where it is an array; null otherwise.
const SyntaxNode* mask_of(const FunctionContext& context, const SyntaxNode& target) {
  if (target.kind != SyntaxKind::kSubscript) return nullptr;
  const SyntaxNode& index = *target.child("slice");
  return n_dimensions(context, index) > 0 ? &index : nullptr;
}

void report_masked_array(FunctionContext& context, const SyntaxNode& target,
                         const SyntaxNode& node) {
  const std::string owner = text(context, *target.child("value"));
  const std::string mask = text(context, *target.child("slice"));
  error(context, node, "a store to the elements of a mask takes a number",
        format("{}[:] = np.where({}, ..., {})", owner, mask, owner));
}

// The number that a masked store writes; unknown after an error.
Value masked_number(FunctionContext& context, const SyntaxNode& node) {
  const Value value = infer(context, node);
  if (!value.type.is_known() || value.type.is_scalar()) return in_local(context, value);
  return error(context, node,
               "a store to the elements of a mask takes a number, found " + describe(value.type));
}

// Whether a mask has the dimensions of its array, and is one.
bool check_mask(FunctionContext& context, const ElementLoop& loop, const Value& element,
                const SyntaxNode& mask) {
  if (!element.type.is_known()) return false;
  const Value& array = loop.sources.front().array;
  const int found = n_dimensions(context, mask);
  if (element.type.dtype != base::DType::kBool) {
    const std::string shown = text(context, mask);
    error(context, mask,
          format("an index must be an integer or a mask, {} is an array of {}", shown,
                 base::name(element.type.dtype)),
          base::is_integer(element.type.dtype) ? "write a loop over the items of " + shown : "");
    return false;
  }
  if (found == array.type.n_dimensions) return true;
  error(context, mask,
        format("the mask {} has {}, {} has {}", text(context, mask),
               base::counted(found, "dimension"), text(context, *array.node),
               array.type.n_dimensions));
  return false;
}

}  // namespace

bool is_masked_store(const FunctionContext& context, const SyntaxNode& statement) {
  const SyntaxNode* const target = only_target(statement);
  const bool is_known = !is_augmented(statement) || find_operator(statement.op) != nullptr;
  return target != nullptr && is_known && mask_of(context, *target) != nullptr;
}

void store_masked(FunctionContext& context, const SyntaxNode& statement) {
  const SyntaxNode& target = *only_target(statement);
  const SyntaxNode& mask = *mask_of(context, target);
  const SyntaxNode& owner = *target.child("value");
  const SyntaxNode& node = *statement.child("value");
  const bool is_array = n_dimensions(context, node) > 0;
  ElementLoop loop;
  Value number, array;
  bool is_right = true;
  const auto infer_target = [&] {
    array = stored_array(context, owner);
    is_right = add_expression(context, loop, mask);
  };
  if (is_augmented(statement)) infer_target();
  if (!is_array) number = masked_number(context, node);
  if (!is_augmented(statement)) infer_target();
  if (!is_right || !array.type.is_known() || !(is_array || number.type.is_known())) return;
  const int root = root_array(array.expression);
  loop.sources.insert(loop.sources.begin(), element_source(context, std::move(array), owner));
  if (!check_dimensions(context, loop, mask) ||
      !broadcast(context, loop, /*is_store=*/true, statement) || !copy_overlaps(context, loop)) {
    return;
  }
  std::vector<Statement> body;
  const Value selects = infer_element(context, loop, mask, body);
  if (!check_mask(context, loop, selects, mask)) return;
  if (is_array) return report_masked_array(context, target, node);
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

bool is_whole_array_store(const FunctionContext& context, const SyntaxNode& statement) {
  const SyntaxNode* const target = only_target(statement);
  if (target == nullptr || n_dimensions(context, *target) == 0) return false;
  if (is_augmented(statement)) return find_operator(statement.op) != nullptr;
  const SyntaxNode& value = *statement.child("value");
  return target->kind == SyntaxKind::kSubscript && n_dimensions(context, value) > 0 &&
         (!elementwise_operands(context, value).empty() || has_counted_size(context, value));
}

void store_whole_array(FunctionContext& context, const SyntaxNode& statement) {
  const SyntaxNode& node = *statement.child("value");
  const SyntaxNode& target = *only_target(statement);
  ElementLoop loop;
  Value array;
  if (is_augmented(statement)) array = stored_array(context, target);
  const bool is_right = add_expression(context, loop, node);
  if (!is_augmented(statement)) array = stored_array(context, target);
  if (!is_right || !array.type.is_known()) return;
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

}  // namespace numpy_plugin::declare
