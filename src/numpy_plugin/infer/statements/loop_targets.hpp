// The targets of a `for` loop and the item that each takes on a trip.
#pragma once

#include <string>
#include <vector>

#include "numpy_plugin/infer/statements/iterables.hpp"

namespace numpy_plugin::declare {

struct TargetItem {
  const SyntaxNode* target;
  Value value;
};

bool is_sequence(const SyntaxNode& target);
// Names in a target.
void collect_names(const SyntaxNode& target, std::vector<std::string>& names);
// The name that takes the position itself, as in enumerate(a); null where there is none.
const SyntaxNode* find_counter(const Iterable& iterable, const SyntaxNode& target);
// The items at a position, in the order of their assignment; none for `counter`.
std::vector<TargetItem> target_items(FunctionContext& context, const Iterable& iterable,
                                     const SyntaxNode& target, const Value& position,
                                     const SyntaxNode* counter = nullptr);

}  // namespace numpy_plugin::declare
