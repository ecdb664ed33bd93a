// Unpacking: every item of a tuple or an array goes to a target of its own.
#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/infer/arrays/element_loop.hpp"
#include "numpy_plugin/infer/calls/infer_calls.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_arrays.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"
#include "numpy_plugin/infer/expressions/records.hpp"
#include "numpy_plugin/infer/statements/infer_loops.hpp"
#include "numpy_plugin/infer/statements/infer_statements.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

// The targets of one statement; one with a star takes what the others leave.
struct Targets {
  const SyntaxNode& node;
  const std::vector<SyntaxNode>& each;
  std::optional<std::size_t> star;

  std::size_t n_single() const { return each.size() - (star ? 1 : 0); }
  std::size_t n_after_star() const { return each.size() - *star - 1; }
  std::string count() const {
    return (star ? "at least " : "") + base::counted(n_single(), "name");
  }
  bool takes(Int128 n_items) const {
    const auto n = static_cast<Int128>(n_single());
    return star ? n_items >= n : n_items == n;
  }
};

Targets targets_of(const SyntaxNode& node) {
  const std::vector<SyntaxNode>& each = node.children("elts");
  const auto star = std::find_if(each.begin(), each.end(), [](const SyntaxNode& target) {
    return target.kind == SyntaxKind::kStarred;
  });
  if (star == each.end()) return {node, each, std::nullopt};
  return {node, each, static_cast<std::size_t>(star - each.begin())};
}

// A note at the device function's `return` of its tuple.
std::vector<Note> returned_note(const FunctionContext& context, const FunctionSyntax& syntax,
                                const Value& value) {
  const Expression& expression = value.expression;
  if (expression.kind != ExpressionKind::kCallFunction) return {};
  const int function = detail<DeviceFunctionCall>(expression).function;
  if (function == kItself) return {};
  const TypedFunction& callee = context.kernel.typed(static_cast<std::size_t>(function));
  return {
      {format("{} returns {} values", syntax.name, value.type.items.size()), callee.first_return}};
}

void report_count(FunctionContext& context, const Targets& targets, const Value& value,
                  Int128 n_items) {
  std::vector<Note> notes;
  if (value.node->kind == SyntaxKind::kCall) {
    const Binding* binding = find_binding(context, *value.node->child("func"));
    if (binding && binding->function) notes = returned_note(context, *binding->function, value);
  }
  const auto n_single = static_cast<Int128>(targets.n_single());
  const bool is_name = value.node->kind == SyntaxKind::kName && value.type.is_array();
  const std::string hint = is_name && n_items > n_single
                               ? format("{} = {}[:{}]", text(context, targets.node),
                                        value.node->text, targets.n_single())
                               : "";
  error(context, targets.node,
        format("cannot unpack {} into {}",
               base::counted(static_cast<std::int64_t>(n_items), "value"), targets.count()),
        hint, notes);
}

// Messages quote a name by itself: what is unpacked has no text for each item.
const SyntaxNode& shown_node(const SyntaxNode& target, const Value& value) {
  return target.kind == SyntaxKind::kName ? target : *value.node;
}

// Arrays and records: their items are those that a loop over them has.

bool is_index(const Expression& item) { return item.kind != ExpressionKind::kSlice; }

// A row of an array in a local: its elements are read from there.
bool is_row(const Value& array) {
  const Expression& view = array.expression;
  return array.type.is_array() && array.type.n_dimensions == 1 &&
         view.kind == ExpressionKind::kView &&
         view.operands.front().kind == ExpressionKind::kLocal &&
         std::all_of(view.operands.begin() + 1, view.operands.end() - 1, is_index) &&
         !is_index(view.operands.back()) && view.operands.back().operands.empty();
}

class ArrayItems {
 public:
  ArrayItems(FunctionContext& context, Value array)
      : context_(context), source_{Iterable::Kind::kArray, array.node} {
    if (!is_row(array)) {
      source_.value = settled(context, std::move(array), {});
      return;
    }
    std::vector<Expression>& operands = array.expression.operands;
    for (auto index = operands.begin() + 1; index != operands.end() - 1; ++index) {
      *index = reusable(context, plain_integer(*index, *array.node)).expression;
    }
    source_.value = std::move(array);
  }

  Value size() const {
    const Value& array = source_.value;
    if (!is_row(array) || array.type.size(0) >= 0) return length(context_, source_);
    const int axis = static_cast<int>(array.expression.operands.size()) - 2;
    return array_size(context_, *read_local(array.expression.operands.front()), axis, node());
  }

  // Counted from the end where `from_end` is not 0.
  Value at(std::size_t number, std::size_t from_end, const SyntaxNode& target) const {
    const auto constant_of = [&](std::size_t value) {
      return constant(context_, static_cast<Int128>(value), node());
    };
    const Value position = from_end == 0 ? constant_of(number)
                                         : minus(context_, size(), constant_of(from_end), node());
    Value item =
        is_row(source_.value) ? row_element(position) : item_at(context_, source_, position);
    item.node = &shown_node(target, source_.value);
    return context_.statement.orders_loads && item.type.is_scalar()
               ? reusable(context_, std::move(item))
               : item;
  }

  // The items that a star takes, in memory of their own unless nobody can change them.
  Value rest(std::size_t n_before, std::size_t n_after, const SyntaxNode& target) const {
    const auto view = [&](const Value& array) { return between(array, n_before, n_after, target); };
    const Value& array = source_.value;
    if (array.type.is_records()) {
      return with_fields(context_, array, array.type.n_dimensions, target, view);
    }
    Value rest = view(array);
    return array.type.is_read_only ? rest : copied_array(context_, rest, target);
  }

 private:
  const SyntaxNode& node() const { return *source_.node; }

  Value row_element(const Value& position) const {
    std::vector<Expression> positions = {
        convert(context_, position, InferredType::scalar(DType::kInt64))};
    const int owner = element_owner(context_, source_.value, positions);
    return array_load(context_, source_.value.type.dtype, owner, std::move(positions), node());
  }

  Value between(const Value& array, std::size_t n_before, std::size_t n_after,
                const SyntaxNode& target) const {
    const SourceSpan where = place(context_, target);
    const auto number = [&](std::int64_t value) { return int64_constant(value, where); };
    const auto n_last = static_cast<std::int64_t>(n_after);
    const std::int64_t stop = n_after == 0 ? std::numeric_limits<std::int64_t>::max() : -n_last;
    Value part = array_in_local(context_, array);
    part.node = &target;
    Expression view{ExpressionKind::kView, storage(part.type), where, {part.expression}};
    view.operands.push_back(
        {ExpressionKind::kSlice,
         {},
         where,
         {number(static_cast<std::int64_t>(n_before)), number(stop), number(1)}});
    for (int axis = 1; axis < part.type.n_dimensions; ++axis) {
      view.operands.push_back({ExpressionKind::kSlice, {}, where, {}});
    }
    part.expression = std::move(view);
    if (!part.type.sizes.empty()) {
      std::int64_t& size = part.type.sizes.front();
      size = size_without(size, static_cast<std::int64_t>(n_before + n_after));
    }
    return part;
  }

  FunctionContext& context_;
  Iterable source_;
};

// Sizes that only the call knows are compared as it runs.
void raise_wrong_count(FunctionContext& context, const Targets& targets, const Value& size) {
  const SourceSpan where = place(context, targets.node);
  const auto n_single = static_cast<std::int64_t>(targets.n_single());
  const Expression n = convert(context, size, InferredType::scalar(DType::kInt64));
  const auto compare = [&](Operation operation) {
    return call(operation, DType::kBool, {n, int64_constant(n_single, where)}, where);
  };
  const std::string expected = format("(expected {}{}", targets.star ? "at least " : "", n_single);
  if (n_single > 0) {
    raise_where(context, compare(Operation::kLess),
                format("not enough values to unpack {}, got {})", expected, "{}"), {n},
                targets.node);
  }
  if (targets.star) return;
  raise_where(context, compare(Operation::kGreater),
              format("too many values to unpack {})", expected), {}, targets.node);
}

std::optional<std::vector<Value>> array_items(FunctionContext& context, const Targets& targets,
                                              const Value& value) {
  const ArrayItems items(context, value);
  const Value size = items.size();
  const auto* known = constant_integer(size);
  if (known && !targets.takes(*known)) {
    report_count(context, targets, value, *known);
    return std::nullopt;
  }
  if (!known) raise_wrong_count(context, targets, size);
  std::vector<Value> result;
  for (std::size_t i = 0; i < targets.each.size(); ++i) {
    const SyntaxNode& target = targets.each[i];
    if (targets.star == i) {
      result.push_back(items.rest(i, targets.n_after_star(), *target.child("value")));
    } else {
      const bool is_last = targets.star && i > *targets.star;
      result.push_back(items.at(i, is_last ? targets.each.size() - i : 0, target));
    }
  }
  return result;
}

std::optional<std::vector<Value>> tuple_items(FunctionContext& context, const Targets& targets,
                                              Value value) {
  const std::size_t n = value.type.items.size();
  if (!targets.takes(static_cast<Int128>(n))) {
    report_count(context, targets, value, static_cast<Int128>(n));
    return std::nullopt;
  }
  if (value.expression.kind != ExpressionKind::kTuple) value = reusable(context, std::move(value));
  const std::vector<SyntaxNode>* const nodes =
      is_sequence(*value.node) && value.node->children("elts").size() == n
          ? &value.node->children("elts")
          : nullptr;
  std::vector<Value> items;
  for (std::size_t i = 0; i < n; ++i) {
    items.push_back(tuple_part(context, value, i, nodes ? (*nodes)[i] : *value.node));
  }
  if (!targets.star) return items;
  const auto first = items.begin() + static_cast<std::ptrdiff_t>(*targets.star);
  const auto last = items.end() - static_cast<std::ptrdiff_t>(targets.n_after_star());
  const Value rest = tuple_of(context, std::vector<Value>(first, last), *value.node);
  items.insert(items.erase(first, last), rest);
  return items;
}

bool reads_local(const Expression& expression, int local) {
  if (named_local(expression) == local) return true;
  return std::any_of(expression.operands.begin(), expression.operands.end(),
                     [&](const Expression& operand) { return reads_local(operand, local); });
}

// Whether an item reads a variable that an earlier target of the same statement has changed.
bool reads_assigned(const FunctionContext& context, const Expression& expression,
                    const std::vector<SyntaxNode>& targets, std::size_t n_earlier) {
  std::vector<const SyntaxNode*> names;
  for (std::size_t i = 0; i < n_earlier; ++i) {
    if (targets[i].kind == SyntaxKind::kSubscript) return true;
    if (targets[i].kind == SyntaxKind::kAttribute) return true;
    collect_names(targets[i], names);
  }
  return std::any_of(names.begin(), names.end(), [&](const SyntaxNode* name) {
    const int variable = context.scope.find(*name);
    return variable >= 0 && reads_local(expression, context.scope.local_of(variable));
  });
}

// The items in the order of the targets; nullopt after an error.
std::optional<std::vector<Value>> items_for(FunctionContext& context, const Targets& targets,
                                            Value value) {
  if (!value.type.is_known()) return std::nullopt;
  if (value.type.is_array() || value.type.is_records()) return array_items(context, targets, value);
  if (value.type.is_record) value = record_copy(context, value);
  if (value.type.is_tuple()) return tuple_items(context, targets, std::move(value));
  error(context, *value.node,
        format("cannot unpack {} into {}", with_article(value.type), targets.count()));
  return std::nullopt;
}

}  // namespace

void unpack(FunctionContext& context, const SyntaxNode& target, Value value) {
  const Targets targets = targets_of(target);
  auto items = items_for(context, targets, std::move(value));
  if (!items) items.emplace(targets.each.size());
  for (std::size_t i = 0; i < items->size(); ++i) {
    Value& item = (*items)[i];
    if (reads_assigned(context, item.expression, targets.each, i)) {
      item = reusable(context, std::move(item), true);
    }
  }
  for (std::size_t i = 0; i < items->size(); ++i) {
    assign_target(context, targets.each[i], std::move((*items)[i]));
  }
}

}  // namespace numpy_plugin::declare
