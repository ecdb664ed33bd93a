#include "numpy_plugin/infer/expressions/infer_element_hints.hpp"

#include <algorithm>

#include "numpy_plugin/infer/core/infer_report.hpp"
#include "numpy_plugin/infer/expressions/infer_arrays.hpp"
#include "numpy_plugin/syntax/operators.hpp"

namespace numpy_plugin::declare {
namespace {

bool is_whole_slice(const SyntaxNode& node) {
  return node.text == "ellipsis" || (node.kind == SyntaxKind::kSlice && node.fields.empty());
}

}  // namespace

std::string element_text(const std::string& array, int n_dimensions) {
  std::string indices;
  for (int axis = 0; axis < n_dimensions; ++axis) {
    indices += (axis == 0 ? "" : ", ") + std::string(1, static_cast<char>('i' + axis % 16));
  }
  return array + "[" + indices + "]";
}

bool has_slice(const SyntaxNode& target) {
  if (target.kind != SyntaxKind::kSubscript) return false;
  const std::vector<const SyntaxNode*> nodes = index_nodes(*target.child("slice"));
  return nodes.empty() || std::ranges::any_of(nodes, [](const SyntaxNode* index) {
           return index->kind == SyntaxKind::kSlice;
         });
}

std::string with_elements(const FunctionContext& context, const SyntaxNode& node) {
  if (node.kind == SyntaxKind::kName) {
    const int variable = context.scope.find(node.text);
    const auto type = variable < 0 ? std::nullopt : context.scope.type_of(variable);
    const bool is_array = type && type->is_array();
    return is_array ? element_text(node.text, type->n_dimensions) : node.text;
  }
  if (node.kind == SyntaxKind::kSubscript && is_whole_slice(*node.child("slice"))) {
    return with_elements(context, *node.child("value"));
  }
  if (node.kind != SyntaxKind::kBinOp) return text(context, node);
  const OperatorInfo* info = find_operator(node.op);
  if (!info) return text(context, node);
  return with_elements(context, *node.child("left")) + " " + std::string(info->symbol) + " " +
         with_elements(context, *node.child("right"));
}

std::string element_hint(const FunctionContext& context, const SyntaxNode& statement) {
  const SyntaxNode* target = statement.child("target");
  if (!target) target = statement.child("targets");
  const OperatorInfo* info = find_operator(statement.op);  // of an augmented assignment
  const std::string owner = text(context, *target->child("value"));
  const std::string element = with_elements(context, *target);
  if (!is_whole_slice(*target->child("slice")) || element == owner) {
    return "one element at a time, in a 'for' loop";
  }
  const std::string assignment = element + (info ? " " + std::string(info->symbol) + "= " : " = ") +
                                 with_elements(context, *statement.child("value"));
  const bool is_row = element == element_text(owner, 1);
  return (is_row ? "for i in range(len(" + owner + ")): " : "one element at a time: ") + assignment;
}

}  // namespace numpy_plugin::declare
