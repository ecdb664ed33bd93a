// What only device kernels have: the place of a thread in the grid, and barriers.
#include "numpy_plugin/declare/infer_calls.hpp"

namespace numpy_plugin::declare {
namespace {

constexpr std::string_view kPrefix = "cuda.";
constexpr const char* kAxes[] = {".x", ".y", ".z"};

}  // namespace

// cuda.grid(n) and cuda.gridsize(n): a number, or a tuple of 2 or 3.
Value CallInference::grid_value(const std::string& name, const SyntaxNode& node) {
  const auto arguments = scalar_arguments(name, 1, 1, node);
  if (!arguments) return {};
  const Value& count = arguments->front();
  const auto* number = count.constant ? std::get_if<Int128>(&*count.constant) : nullptr;
  if (!number || *number < 1 || *number > 3) {
    return error(place(*count.node), name + " takes 1, 2 or 3, found " + text(*count.node));
  }
  const std::string function = name.substr(kPrefix.size());
  const auto part = [&](Int128 axis) {
    return thread_value(*find_thread_function(function + kAxes[axis]), node);
  };
  if (*number == 1) return part(0);
  Value value;
  value.type = InferredType::tuple({});
  value.expression = Expression{ExpressionKind::kTuple, {}, place(node), {}};
  for (Int128 axis = 0; axis < *number; ++axis) {
    Value item = part(axis);
    value.type.items.push_back(item.type);
    value.expression.operands.push_back(std::move(item.expression));
  }
  value.expression.type = storage(value.type);
  return value;
}

Value CallInference::call_thread_function(const std::string& name, const SyntaxNode& node) {
  const SyntaxNode& callee = *node.child("func");
  if (!check_in_device_kernel(text(callee), place(callee))) return {};
  if (name == "cuda.grid" || name == "cuda.gridsize") return grid_value(name, node);
  if (name.starts_with("cuda.atomic.")) return call_atomic(name, node);
  if (name == "cuda.shared.array") return make_array(ArrayStorage::Kind::kShared, node);
  return error(place(node), text(callee) + " gives no value", "write it on a line of its own");
}

// Barriers and the like, which stand alone; false for any other expression.
bool CallInference::effect_statement(const SyntaxNode& node) {
  if (node.kind != "Call") return false;
  const SyntaxNode& callee = *node.child("func");
  const Binding* binding = find_binding(callee);
  if (!binding || binding->kind != Binding::Kind::kFunction ||
      !binding->name.starts_with(kPrefix)) {
    return false;
  }
  const auto function = find_thread_function(binding->name.substr(kPrefix.size()));
  if (!function) return false;
  if (!check_in_device_kernel(text(callee), place(callee))) return true;
  if (!scalar_arguments(binding->name, 0, 0, node)) return true;
  Expression expression{ExpressionKind::kThread, {}, place(node), {}};
  expression.thread_function = *function;
  has_effects_ = true;
  evaluate(std::move(expression));
  return true;
}

}  // namespace numpy_plugin::declare
