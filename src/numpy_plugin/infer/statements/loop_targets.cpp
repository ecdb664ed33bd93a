#include "numpy_plugin/infer/statements/infer_loops.hpp"

#include <algorithm>
#include <utility>

#include "numpy_plugin/infer/expressions/infer_conversions.hpp"

namespace numpy_plugin::declare {
namespace {

using Kind = Iterable::Kind;

bool is_constant(const Value& value, Int128 number) {
  const auto* constant = constant_integer(value);
  return constant && *constant == number;
}

// Whether each of `n_items` has a target of its own.
bool is_unpacked(const SyntaxNode& target, std::size_t n_items) {
  const std::vector<SyntaxNode>& targets = target.children("elts");
  return is_sequence(target) && targets.size() == n_items &&
         std::none_of(targets.begin(), targets.end(),
                      [](const SyntaxNode& item) { return item.kind == SyntaxKind::kStarred; });
}

bool is_unpacked(const Iterable& iterable, const SyntaxNode& target) {
  return (iterable.kind == Kind::kZip && is_unpacked(target, iterable.parts.size())) ||
         (iterable.kind == Kind::kEnumerate && is_unpacked(target, 2));
}

const SyntaxNode* first_counter(const Iterable& iterable, const SyntaxNode& target) {
  if (iterable.kind == Kind::kRange) {
    const bool counts = is_constant(iterable.numbers[0], 0) && is_constant(iterable.numbers[2], 1);
    return counts && target.kind == SyntaxKind::kName ? &target : nullptr;
  }
  if (!is_unpacked(iterable, target)) return nullptr;
  const std::vector<SyntaxNode>& targets = target.children("elts");
  if (iterable.kind == Kind::kEnumerate) {
    const bool counts = is_constant(iterable.numbers[0], 0);
    if (counts && targets[0].kind == SyntaxKind::kName) return &targets[0];
    return first_counter(iterable.parts.front(), targets[1]);
  }
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (const SyntaxNode* found = first_counter(iterable.parts[i], targets[i])) return found;
  }
  return nullptr;
}

bool has_subscript(const SyntaxNode& target) {
  if (target.kind == SyntaxKind::kStarred) return has_subscript(*target.child("value"));
  return target.kind == SyntaxKind::kSubscript ||
         std::any_of(target.children("elts").begin(), target.children("elts").end(), has_subscript);
}

struct Items {
  FunctionContext& context;
  const Value& position;
  const SyntaxNode* counter;
  std::vector<TargetItem> found = {};

  void add(const Iterable& iterable, const SyntaxNode& target) {
    if (&target == counter) return;
    if (!is_unpacked(iterable, target)) {
      return add(target, item_at(context, iterable, position), *iterable.node);
    }
    const std::vector<SyntaxNode>& targets = target.children("elts");
    if (iterable.kind == Kind::kEnumerate) {
      if (&targets[0] != counter) {
        const Value number = plus(context, iterable.numbers[0], position, *iterable.node);
        add(targets[0], number, *iterable.node);
      }
      return add(iterable.parts.front(), targets[1]);
    }
    for (std::size_t i = 0; i < targets.size(); ++i) add(iterable.parts[i], targets[i]);
  }

  // A loop's variable is quoted by its own name.
  void add(const SyntaxNode& target, Value value, const SyntaxNode& node) {
    if (value.type.is_tuple() && is_unpacked(target, value.type.items.size())) {
      for (std::size_t i = 0; i < value.type.items.size(); ++i) {
        add(target.children("elts")[i], tuple_part(context, value, i, node), node);
      }
      return;
    }
    value.node = target.kind == SyntaxKind::kName ? &target : &node;
    found.push_back({&target, std::move(value)});
  }
};

}  // namespace

bool is_sequence(const SyntaxNode& target) {
  return target.kind == SyntaxKind::kTuple || target.kind == SyntaxKind::kList;
}

void collect_names(const SyntaxNode& target, std::vector<const SyntaxNode*>& names) {
  if (target.kind == SyntaxKind::kName) names.push_back(&target);
  if (target.kind == SyntaxKind::kStarred) collect_names(*target.child("value"), names);
  for (const SyntaxNode& item : target.children("elts")) collect_names(item, names);
}

const SyntaxNode* find_counter(const Iterable& iterable, const SyntaxNode& target) {
  const SyntaxNode* const found = first_counter(iterable, target);
  if (found == nullptr) return nullptr;
  std::vector<const SyntaxNode*> names;
  collect_names(target, names);
  const auto is_same = [found](const SyntaxNode* name) { return name->text == found->text; };
  // A name assigned twice takes the last of its items.
  return std::count_if(names.begin(), names.end(), is_same) == 1 ? found : nullptr;
}

std::vector<TargetItem> target_items(FunctionContext& context, const Iterable& iterable,
                                     const SyntaxNode& target, const Value& position,
                                     const SyntaxNode* counter) {
  Items items{context, position, counter};
  items.add(iterable, target);
  // A store must not change an item that a later target takes.
  if (items.found.size() > 1 && has_subscript(target)) {
    for (TargetItem& item : items.found) item.value = reusable(context, std::move(item.value));
  }
  return std::move(items.found);
}

}  // namespace numpy_plugin::declare
