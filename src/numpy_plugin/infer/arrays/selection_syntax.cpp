// Masks, which are arrays of bools, and subscripts, read from their text and the types of names.
#include <algorithm>
#include <string_view>

#include "numpy_plugin/infer/arrays/array_expressions.hpp"
#include "numpy_plugin/infer/expressions/infer_arrays.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"
#include "numpy_plugin/syntax/functions.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

bool is_name_of_mask(const FunctionContext& context, const SyntaxNode& node) {
  if (const auto found = context.held.find(&node); found != context.held.end()) {
    return found->second.type.dtype == DType::kBool;
  }
  const int variable = context.scope.find(node);
  if (variable >= 0) {
    const auto type = context.scope.type_of(variable);
    return type && type->dtype == DType::kBool;
  }
  const Binding* const binding = find_binding(context, node);
  return binding != nullptr && binding->array && binding->array->dtype == DType::kBool;
}

// bool, np.bool_, mask.dtype
bool is_bool(const FunctionContext& context, const SyntaxNode* dtype) {
  if (dtype == nullptr) return false;
  if (dtype->kind == SyntaxKind::kAttribute && dtype->text == "dtype") {
    return is_mask(context, *dtype->child("value"));
  }
  const Binding* const binding = find_binding(context, *dtype);
  return binding != nullptr &&
         (binding->name == "builtins.bool" ||
          (binding->kind == Binding::Kind::kDType && binding->dtype == DType::kBool));
}

bool are_masks(const FunctionContext& context, const std::vector<const SyntaxNode*>& nodes) {
  return std::all_of(nodes.begin(), nodes.end(), [&context](const SyntaxNode* node) {
    return n_dimensions(context, *node) == 0 || is_mask(context, *node);
  });
}

const SyntaxNode* dtype_of(const SyntaxNode& call, std::size_t position) {
  for (const SyntaxNode& keyword : call.children("keywords")) {
    if (keyword.text == "dtype") return keyword.child("value");
  }
  const std::vector<SyntaxNode>& arguments = call.children("args");
  return position < arguments.size() ? &arguments[position] : nullptr;
}

bool is_method_of_mask(const FunctionContext& context, const SyntaxNode& call) {
  const SyntaxNode& callee = *call.child("func");
  if (callee.kind != SyntaxKind::kAttribute) return false;
  if (callee.text == "astype") return is_bool(context, dtype_of(call, 0));
  return callee.text == "any" || callee.text == "all" ||
         (callee.text == "copy" && is_mask(context, *callee.child("value")));
}

// np.isnan(a), np.zeros(n, bool), np.copy(mask)
bool is_call_for_mask(const FunctionContext& context, const SyntaxNode& call) {
  const Binding* const binding = find_binding(context, *call.child("func"));
  if (binding == nullptr) return is_method_of_mask(context, call);
  const std::vector<SyntaxNode>& arguments = call.children("args");
  if (arguments.empty()) return false;
  if (binding->kind == Binding::Kind::kDType) return binding->dtype == DType::kBool;
  const std::string_view name = binding->name;
  if (const FunctionInfo* const row = find_function(name)) {
    return info(row->operation).result == OperationResult::kBool ||
           (row->rule == TypingRule::kOperator &&
            are_masks(context, elementwise_operands(context, call)));
  }
  if (name == "numpy.where" && arguments.size() == 3) {
    return are_masks(context, {&arguments[1], &arguments[2]});
  }
  const bool keeps_elements = name == "library.vector" || name == "library.matrix" ||
                              name == "library.reshaped" || name == "numpy.copy";
  if (keeps_elements) {
    return is_mask(context, arguments.front());
  }
  const bool is_like = name.ends_with("_like") || name == "numpy.array" ||
                       name == "numpy.asarray" || name == "numpy.ascontiguousarray";
  const std::size_t n_before = name.starts_with("numpy.full") ? 2 : 1;
  if (const SyntaxNode* const dtype = dtype_of(call, n_before)) return is_bool(context, dtype);
  if (is_like) return is_mask(context, arguments.front());
  return name.starts_with("numpy.logical_") || name == "numpy.isclose" || name == "numpy.any" ||
         name == "numpy.all";
}

// Of an item of a tuple of arrays.
int n_dimensions_of_item(const FunctionContext& context, const SyntaxNode& node) {
  const SyntaxNode& tuple = *node.child("value");
  if (is_nonzero_call(context, tuple)) return 1;
  const auto* const number = std::get_if<Number>(&node.child("slice")->constant);
  const auto* const integer = number != nullptr ? std::get_if<Integer>(number) : nullptr;
  const std::size_t index = integer != nullptr ? std::stoul(integer->text) : 0;
  if (tuple.kind == SyntaxKind::kTuple) {
    const std::vector<SyntaxNode>& items = tuple.children("elts");
    return index < items.size() ? n_dimensions(context, items[index]) : 0;
  }
  const int variable = context.scope.find(tuple);
  const auto type = variable < 0 ? std::nullopt : context.scope.type_of(variable);
  if (!type || !type->is_tuple() || type->is_record) return 0;
  const bool is_array = index < type->items.size() && type->items[index].is_array();
  return is_array ? type->items[index].n_dimensions : 0;
}

// Whether a function returns a part of an array, as its last statement says.
bool returns_part(const FunctionSyntax& function) {
  const SyntaxNode& last = function.body.back();
  const SyntaxNode* const value = last.kind == SyntaxKind::kReturn ? last.child("value") : nullptr;
  return value != nullptr && value->kind == SyntaxKind::kSubscript;
}

}  // namespace

bool is_nonzero_call(const FunctionContext& context, const SyntaxNode& call) {
  if (call.kind != SyntaxKind::kCall) return false;
  const Binding* const binding = find_binding(context, *call.child("func"));
  if (binding == nullptr || binding->kind != Binding::Kind::kFunction) return false;
  const bool is_where = binding->name == "numpy.where" && call.children("args").size() == 1 &&
                        n_dimensions(context, call.children("args").front()) > 0;
  return is_where || binding->name == "numpy.nonzero";
}

std::vector<const SyntaxNode*> index_arrays(const FunctionContext& context,
                                            const SyntaxNode& node) {
  std::vector<const SyntaxNode*> arrays =
      index_nodes(context, *node.child("slice"), n_dimensions(context, *node.child("value")));
  std::erase_if(arrays, [&context](const SyntaxNode* index) {
    return is_slice(*index) || n_dimensions(context, *index) == 0;
  });
  return arrays;
}

std::vector<const SyntaxNode*> indexed_operands(const FunctionContext& context,
                                                const SyntaxNode& node) {
  const std::vector<const SyntaxNode*> arrays = index_arrays(context, node);
  const int n_whole = n_dimensions(context, *node.child("value"));
  std::vector<const SyntaxNode*> nodes = index_nodes(context, *node.child("slice"), n_whole);
  const bool is_of_elements =
      !arrays.empty() && n_whole == static_cast<int>(nodes.size()) &&
      std::none_of(nodes.begin(), nodes.end(),
                   [](const auto* index) { return is_slice(*index); }) &&
      std::none_of(arrays.begin(), arrays.end(),
                   [&context](const auto* index) { return is_mask(context, *index); });
  return is_of_elements ? nodes : std::vector<const SyntaxNode*>();
}

// A mask removes its dimensions, an array of indices one, and all of them together make those of
// the largest.
int n_dimensions_of_part(const FunctionContext& context, const SyntaxNode& node) {
  const int n_whole = n_dimensions(context, *node.child("value"));
  if (n_whole == 0) return n_dimensions_of_item(context, node);
  int n_kept = n_whole;
  int n_selected = 0;
  for (const SyntaxNode* index : index_nodes(context, *node.child("slice"), n_whole)) {
    if (is_slice(*index)) continue;
    const int n_own = n_dimensions(context, *index);
    const bool selects_places = n_own > 0 && is_mask(context, *index);
    n_kept -= selects_places ? n_own : 1;
    n_selected = std::max(n_selected, selects_places ? 1 : n_own);
  }
  return std::max(n_kept, 0) + n_selected;
}

bool has_counted_size(const FunctionContext& context, const SyntaxNode& node) {
  if (node.kind == SyntaxKind::kName) {
    return context.arrays.counted.contains(context.scope.find(node));
  }
  if (node.kind == SyntaxKind::kSubscript) {
    return !index_arrays(context, node).empty() || has_counted_size(context, *node.child("value"));
  }
  if (node.kind != SyntaxKind::kCall) return false;
  if (is_nonzero_call(context, node)) return true;
  const Binding* const binding = find_binding(context, *node.child("func"));
  if (binding == nullptr || node.child("args") == nullptr) return false;
  if (binding->function) return returns_part(*binding->function);
  const bool is_held = binding->name == "library.vector" || binding->name == "library.matrix" ||
                       binding->name == "library.reshaped";
  return binding->name == "numpy.flatnonzero" || binding->name == "numpy.argwhere" ||
         (is_held && has_counted_size(context, node.children("args").front()));
}

bool is_mask(const FunctionContext& context, const SyntaxNode& node) {
  switch (node.kind) {
    case SyntaxKind::kName:
      return is_name_of_mask(context, node);
    case SyntaxKind::kCompare:
      return true;
    case SyntaxKind::kUnaryOp:
      return is_mask(context, *node.child("operand"));
    case SyntaxKind::kBinOp: {
      const OperatorInfo* const row = find_operator(node.op);
      return row != nullptr && row->kind == OperatorKind::kBitwise &&
             are_masks(context, {node.child("left"), node.child("right")});
    }
    case SyntaxKind::kIfExp:
      return is_mask(context, *node.child("body"));
    case SyntaxKind::kSubscript:
    case SyntaxKind::kAttribute:
      return is_mask(context, *node.child("value"));
    case SyntaxKind::kCall:
      return is_call_for_mask(context, node);
    default:
      return false;
  }
}

}  // namespace numpy_plugin::declare
