#include "numpy_plugin/infer/expressions/infer_arrays.hpp"

#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/syntax/functions.hpp"

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
  return format("{}[{}]", array, indices);
}

std::string with_elements(const FunctionContext& context, const SyntaxNode& node) {
  if (node.kind == SyntaxKind::kName) {
    const int variable = context.scope.find(node);
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
  return format("{} {} {}", with_elements(context, *node.child("left")), info->symbol,
                with_elements(context, *node.child("right")));
}

}  // namespace numpy_plugin::declare
