#include "numpy_plugin/infer/arrays/array_expressions.hpp"

#include <algorithm>
#include <string_view>

#include "numpy_plugin/infer/arrays/reductions.hpp"
#include "numpy_plugin/infer/expressions/infer_arrays.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"
#include "numpy_plugin/syntax/functions.hpp"

namespace numpy_plugin::declare {
namespace {

using Operands = std::vector<const SyntaxNode*>;

// Elementwise functions that are no single operation.
constexpr std::string_view kFunctions[] = {
    "builtins.abs",      "builtins.pow",      "builtins.round",   "numpy.angle",
    "numpy.clip",        "numpy.imag",        "numpy.isclose",    "numpy.ldexp",
    "numpy.logical_and", "numpy.logical_not", "numpy.logical_or", "numpy.logical_xor",
    "numpy.nan_to_num",  "numpy.real",        "numpy.round",      "numpy.where",
    "scipy.special.jv",  "scipy.special.yn",
};
constexpr std::string_view kMethods[] = {"astype", "clip", "conj", "conjugate", "round"};

template <std::size_t n>
bool contains(const std::string_view (&names)[n], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool is_elementwise(const Binding& binding) {
  if (binding.kind == Binding::Kind::kDType) return true;
  if (binding.kind == Binding::Kind::kUfunc) return binding.ufunc->layout.empty();
  if (binding.kind != Binding::Kind::kFunction) return false;
  if (contains(kFunctions, binding.name)) return true;
  const FunctionInfo* const row = find_function(binding.name);
  return row != nullptr && (row->module == "numpy" || row->module == "scipy.special");
}

Operands call_operands(const FunctionContext& context, const SyntaxNode& call) {
  const SyntaxNode& callee = *call.child("func");
  if (const SyntaxNode* const element = element_argument(context, call)) return {element};
  Operands operands;
  if (const Binding* const binding = find_binding(context, callee)) {
    if (!is_elementwise(*binding)) return {};
    if (is_nonzero_call(context, call)) return {};
  } else {
    if (callee.kind != SyntaxKind::kAttribute || !contains(kMethods, callee.text)) return {};
    operands.push_back(callee.child("value"));
    if (callee.text == "astype") return operands;
  }
  for (const SyntaxNode& argument : call.children("args")) operands.push_back(&argument);
  for (const SyntaxNode& keyword : call.children("keywords")) {
    if (keyword.child("value")) operands.push_back(keyword.child("value"));
  }
  return operands;
}

int n_dimensions_of_name(const FunctionContext& context, const SyntaxNode& node) {
  if (const auto found = context.held.find(&node); found != context.held.end()) {
    return found->second.type.is_array() ? found->second.type.n_dimensions : 0;
  }
  const int variable = context.scope.find(node);
  if (variable >= 0) {
    const std::optional<InferredType> type = context.scope.type_of(variable);
    return type && type->is_array() ? type->n_dimensions : 0;
  }
  const Binding* const binding = find_binding(context, node);
  const bool is_array = binding != nullptr && binding->kind == Binding::Kind::kArray;
  return is_array ? static_cast<int>(binding->array->sizes.size()) : 0;
}

// Functions that make an array of a given shape; those that make one like another.
constexpr std::string_view kMakers[] = {"numpy.zeros", "numpy.ones", "numpy.empty", "numpy.full"};
constexpr std::string_view kCopiers[] = {"numpy.zeros_like", "numpy.ones_like", "numpy.empty_like",
                                         "numpy.full_like", "numpy.copy"};
constexpr std::string_view kLineMakers[] = {"numpy.arange", "numpy.flatnonzero", "library.vector"};
constexpr std::string_view kMatrixMakers[] = {"numpy.argwhere", "library.matrix"};
constexpr std::string_view kArrayMakers[] = {"numpy.array", "numpy.asarray",
                                             "numpy.ascontiguousarray"};

int depth_of(const InferredType& type) {
  if (!type.is_tuple()) return type.n_dimensions;
  return 1 + (type.items.empty() ? 0 : depth_of(type.items.front()));
}

int depth_of(const Binding& binding) {
  if (binding.kind != Binding::Kind::kTuple) return 0;
  return 1 + (binding.items.empty() ? 0 : depth_of(binding.items.front()));
}

// Of np.array(node): of an array, or of lists and tuples.
int n_dimensions_of_items(const FunctionContext& context, const SyntaxNode& node) {
  if (node.kind == SyntaxKind::kList || node.kind == SyntaxKind::kTuple) {
    const std::vector<SyntaxNode>& items = node.children("elts");
    return 1 + (items.empty() ? 0 : n_dimensions_of_items(context, items.front()));
  }
  const int variable = context.scope.find(node);
  const auto type = variable < 0 ? std::nullopt : context.scope.type_of(variable);
  if (type && type->is_tuple()) return depth_of(*type);
  const Binding* const binding = variable < 0 ? find_binding(context, node) : nullptr;
  if (binding != nullptr && binding->kind == Binding::Kind::kTuple) return depth_of(*binding);
  if (node.kind == SyntaxKind::kAttribute && node.text == "shape") return 1;
  return n_dimensions(context, node);
}

int n_dimensions_of_shape(const FunctionContext& context, const SyntaxNode& shape) {
  if (shape.kind == SyntaxKind::kTuple) return static_cast<int>(shape.children("elts").size());
  const int variable = context.scope.find(shape);
  const auto type = variable < 0 ? std::nullopt : context.scope.type_of(variable);
  if (type && type->is_tuple()) return static_cast<int>(type->items.size());
  const bool is_shape = shape.kind == SyntaxKind::kAttribute && shape.text == "shape";
  return is_shape ? n_dimensions(context, *shape.child("value")) : 1;
}

const SyntaxNode* keyword_value(const SyntaxNode& call, std::string_view name) {
  for (const SyntaxNode& keyword : call.children("keywords")) {
    if (keyword.text == name) return keyword.child("value");
  }
  return nullptr;
}

// The number of axes that a reduction's `axis` names; `n_all` for None.
int n_axes(const FunctionContext& context, const SyntaxNode* axis, int n_all) {
  if (axis == nullptr || axis->text == "NoneType") return n_all;
  if (axis->kind == SyntaxKind::kTuple) return static_cast<int>(axis->children("elts").size());
  const int variable = context.scope.find(*axis);
  const auto type = variable < 0 ? std::nullopt : context.scope.type_of(variable);
  if (type && type->is_tuple()) return static_cast<int>(type->items.size());
  const Binding* const binding = variable < 0 ? find_binding(context, *axis) : nullptr;
  const bool is_tuple = binding != nullptr && binding->kind == Binding::Kind::kTuple;
  return is_tuple ? static_cast<int>(binding->items.size()) : 1;
}

int n_dimensions_of_reduction(const FunctionContext& context, const SyntaxNode& call,
                              const SyntaxNode& array, std::size_t n_before) {
  const int n_all = n_dimensions(context, array);
  const SyntaxNode* const keepdims = keyword_value(call, "keepdims");
  const auto* const number =
      keepdims != nullptr ? std::get_if<Number>(&keepdims->constant) : nullptr;
  const auto* const keeps = number != nullptr ? std::get_if<bool>(number) : nullptr;
  if (keeps != nullptr && *keeps) return n_all;
  const std::vector<SyntaxNode>& arguments = call.children("args");
  const SyntaxNode* const axis =
      arguments.size() > n_before ? &arguments[n_before] : keyword_value(call, "axis");
  return std::max(n_all - n_axes(context, axis, n_all), 0);
}

int n_dimensions_of_product(const FunctionContext& context, const SyntaxNode& left,
                            const SyntaxNode& right) {
  const int n_left = n_dimensions(context, left);
  const int n_right = n_dimensions(context, right);
  return n_left == 0 || n_right == 0 ? 0 : n_left + n_right - 2;
}

// Of a new array; 0 for other calls.
int n_dimensions_of_call(const FunctionContext& context, const SyntaxNode& call) {
  const SyntaxNode& callee = *call.child("func");
  const Binding* const binding = find_binding(context, callee);
  if (binding == nullptr) {
    if (callee.kind != SyntaxKind::kAttribute) return 0;
    const SyntaxNode& owner = *callee.child("value");
    if (callee.text == "dot" && call.child("args") != nullptr) {
      return n_dimensions_of_product(context, owner, call.children("args").front());
    }
    if (find_reduction(callee.text)) return n_dimensions_of_reduction(context, call, owner, 0);
    return callee.text == "copy" ? n_dimensions(context, owner) : 0;
  }
  if (binding->function) return n_dimensions_of_returned(context, *binding->function, call);
  if (call.child("args") == nullptr) return 0;
  if (binding->kind != Binding::Kind::kFunction) return 0;
  const SyntaxNode& first = call.children("args").front();
  if (contains(kMakers, binding->name)) return n_dimensions_of_shape(context, first);
  if (binding->name == "library.reshaped") {
    return n_dimensions_of_shape(context, call.children("args").back());
  }
  const bool is_reduction = binding->name.starts_with("numpy.") &&
                            find_reduction(std::string_view(binding->name).substr(6)).has_value();
  if (is_reduction) return n_dimensions_of_reduction(context, call, first, 1);
  if (binding->name == "numpy.dot" || binding->name == "numpy.matmul") {
    return n_dimensions_of_product(context, first, call.children("args").back());
  }
  if (contains(kLineMakers, binding->name)) return 1;
  if (contains(kMatrixMakers, binding->name)) return 2;
  if (contains(kArrayMakers, binding->name)) return n_dimensions_of_items(context, first);
  return contains(kCopiers, binding->name) ? n_dimensions(context, first) : 0;
}

// Of a record's field.
int n_dimensions_of_field(const FunctionContext& context, const SyntaxNode& node) {
  const auto record = record_type(context, *node.child("value"));
  if (!record) return 0;
  const auto found = std::find(record->names.begin(), record->names.end(), node.text);
  if (found == record->names.end()) return 0;
  const auto index = static_cast<std::size_t>(found - record->names.begin());
  return record->items[index].is_array() ? record->items[index].n_dimensions : 0;
}

// The type of records with fewer dimensions.
InferredType with_fewer_dimensions(InferredType record, int n_removed) {
  record.n_dimensions -= n_removed;
  for (InferredType& field : record.items) {
    if (field.is_tuple()) field = with_fewer_dimensions(std::move(field), n_removed);
    if (field.is_array()) field.n_dimensions -= n_removed;
  }
  return record;
}

int n_integers(const FunctionContext& context, const SyntaxNode& index) {
  const std::vector<const SyntaxNode*> nodes = index_nodes(context, index, 0);
  return static_cast<int>(std::count_if(nodes.begin(), nodes.end(),
                                        [](const SyntaxNode* node) { return !is_slice(*node); }));
}

}  // namespace

std::optional<InferredType> record_type(const FunctionContext& context, const SyntaxNode& node) {
  std::optional<InferredType> type;
  if (node.kind == SyntaxKind::kName) {
    const int variable = context.scope.find(node);
    if (variable >= 0) type = context.scope.type_of(variable);
  } else if (node.kind == SyntaxKind::kSubscript) {
    type = record_type(context, *node.child("value"));
    const int n_removed = type ? n_integers(context, *node.child("slice")) : 0;
    if (!type || n_removed > type->n_dimensions) return std::nullopt;
    return with_fewer_dimensions(std::move(*type), n_removed);
  } else if (node.kind == SyntaxKind::kAttribute) {
    const auto owner = record_type(context, *node.child("value"));
    if (!owner) return std::nullopt;
    const auto found = std::find(owner->names.begin(), owner->names.end(), node.text);
    if (found == owner->names.end()) return std::nullopt;
    type = owner->items[static_cast<std::size_t>(found - owner->names.begin())];
  }
  return type && type->is_record ? type : std::nullopt;
}

Operands elementwise_operands(const FunctionContext& context, const SyntaxNode& node) {
  switch (node.kind) {
    case SyntaxKind::kBinOp:
      if (!find_operator(node.op)) return {};
      return {node.child("left"), node.child("right")};
    case SyntaxKind::kUnaryOp:
      if (node.op == SyntaxKind::kNot) return {};
      return {node.child("operand")};
    case SyntaxKind::kCompare: {
      const std::vector<SyntaxNode>& operators = node.children("ops");
      if (operators.size() != 1 || !find_operator(operators.front().kind)) return {};
      return {node.child("left"), node.child("comparators")};
    }
    case SyntaxKind::kAttribute:
      if (node.text != "real" && node.text != "imag") return {};
      return {node.child("value")};
    case SyntaxKind::kCall:
      return call_operands(context, node);
    case SyntaxKind::kSubscript:
      return indexed_operands(context, node);
    default:
      return {};
  }
}

const SyntaxNode* element_argument(const FunctionContext& context, const SyntaxNode& call) {
  if (call.kind != SyntaxKind::kCall) return nullptr;
  const Binding* const binding = find_binding(context, *call.child("func"));
  if (binding == nullptr || !binding->function || !is_library_function(*binding->function)) {
    return nullptr;
  }
  const std::vector<SyntaxNode>& parameters = binding->function->parameters;
  const std::vector<SyntaxNode>& arguments = call.children("args");
  const auto found = std::find_if(parameters.begin(), parameters.end(), [](const auto& parameter) {
    return parameter.text == "element";
  });
  const auto index = static_cast<std::size_t>(found - parameters.begin());
  return index < arguments.size() ? &arguments[index] : nullptr;
}

int n_dimensions(const FunctionContext& context, const SyntaxNode& node) {
  if (node.kind == SyntaxKind::kName) return n_dimensions_of_name(context, node);
  if (node.kind == SyntaxKind::kSubscript) return n_dimensions_of_part(context, node);
  if (node.op == SyntaxKind::kMatMult) {
    return n_dimensions_of_product(context, *node.child("left"), *node.child("right"));
  }
  const bool is_transposed = node.kind == SyntaxKind::kAttribute && node.text == "T";
  if (is_transposed) return n_dimensions(context, *node.child("value"));
  if (node.kind == SyntaxKind::kIfExp) {
    return std::max(n_dimensions(context, *node.child("body")),
                    n_dimensions(context, *node.child("orelse")));
  }
  if (node.kind == SyntaxKind::kAttribute) {
    if (const int n_field = n_dimensions_of_field(context, node); n_field > 0) return n_field;
  }
  int result = node.kind == SyntaxKind::kCall ? n_dimensions_of_call(context, node) : 0;
  for (const SyntaxNode* operand : elementwise_operands(context, node)) {
    result = std::max(result, n_dimensions(context, *operand));
  }
  return result;
}

}  // namespace numpy_plugin::declare
