// The parts of an index.
#include "numpy_plugin/infer/expressions/infer_arrays.hpp"

#include <algorithm>

#include "numpy_plugin/infer/expressions/infer_expressions.hpp"

namespace numpy_plugin::declare {
namespace {

// The number of items of a name's tuple; 0 for anything else.
std::size_t n_items(const FunctionContext& context, const SyntaxNode& node) {
  if (node.kind != SyntaxKind::kName) return 0;
  if (const int variable = context.scope.find(node); variable >= 0) {
    const std::optional<InferredType> type = context.scope.type_of(variable);
    return type && type->is_tuple() ? type->items.size() : 0;
  }
  const Binding* const binding = find_binding(context, node);
  return binding != nullptr && binding->kind == Binding::Kind::kTuple ? binding->items.size() : 0;
}

// `tuple[number]`, at the place of the tuple.
SyntaxNode item_of(const SyntaxNode& tuple, std::size_t number) {
  SyntaxNode index = make_node("Constant", "");
  index.constant = Number(Integer{std::to_string(number)});
  index.place = tuple.place;
  SyntaxNode item = make_node("Subscript", "");
  item.place = tuple.place;
  item.fields = {{"value", {tuple}}, {"slice", {std::move(index)}}};
  return item;
}

}  // namespace

const std::vector<SyntaxNode>& KernelInference::items_of(const SyntaxNode& tuple, std::size_t n) {
  std::vector<SyntaxNode>& items = tuple_items_[{&tuple, n}];
  while (items.size() < n) items.push_back(item_of(tuple, items.size()));
  return items;
}

bool is_slice(const SyntaxNode& node) {
  return node.kind == SyntaxKind::kSlice || node.text == "ellipsis";
}

std::vector<const SyntaxNode*> index_nodes(const FunctionContext& context, const SyntaxNode& index,
                                           int n_dimensions) {
  std::vector<const SyntaxNode*> nodes;
  if (index.text == "ellipsis") return {};
  const std::size_t n = n_items(context, index);
  if (index.kind != SyntaxKind::kTuple && n == 0) return {&index};
  const std::vector<SyntaxNode>& items =
      n == 0 ? index.children("elts") : context.kernel.items_of(index, n);
  for (const SyntaxNode& item : items) {
    const bool is_rest = item.text == "ellipsis";
    const auto n_nodes = is_rest ? n_dimensions - static_cast<int>(items.size()) + 1 : 1;
    nodes.insert(nodes.end(), static_cast<std::size_t>(std::max(n_nodes, 0)), &item);
  }
  return nodes;
}

}  // namespace numpy_plugin::declare
