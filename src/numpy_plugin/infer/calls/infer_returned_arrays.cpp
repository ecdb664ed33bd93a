// Arrays that device functions make and return: the caller makes them, as only it knows how long
// they last, and the function stores to a parameter of its own.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "numpy_plugin/infer/arrays/new_arrays.hpp"
#include "numpy_plugin/infer/arrays/selections.hpp"
#include "numpy_plugin/infer/calls/infer_calls.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_arrays.hpp"

namespace numpy_plugin::declare {
namespace {

// More than there are core dimensions with names.
constexpr int kFirstName = 1000;

SyntaxNode node_at(const SourceSpan& place, std::string_view class_name, std::string text) {
  SyntaxNode node = make_node(class_name, std::move(text));
  node.place = place;
  return node;
}

// .returned[:] = value
SyntaxNode store_of(const SyntaxNode& value, const SourceSpan& place) {
  SyntaxNode target = node_at(place, "Subscript", "");
  target.fields = {{"value", {node_at(place, "Name", kReturnedArray)}},
                   {"slice", {node_at(place, "Slice", "")}}};
  SyntaxNode store = node_at(place, "Assign", "");
  store.fields = {{"targets", {std::move(target)}}, {"value", {value}}};
  return store;
}

void store_results(std::vector<SyntaxNode>& nodes) {
  std::vector<SyntaxNode> stored;
  for (SyntaxNode& node : nodes) {
    const SyntaxNode* const value =
        node.kind == SyntaxKind::kReturn ? node.child("value") : nullptr;
    if (value != nullptr) {
      stored.push_back(store_of(*value, node.place));
      node.fields = {{"value", {node_at(node.place, "Name", kReturnedArray)}}};
    } else {
      for (auto& [name, children] : node.fields) store_results(children);
    }
    stored.push_back(std::move(node));
  }
  nodes = std::move(stored);
}

// Types of arguments in which each size that the call decides is one of a name of its own; sizes
// that the caller knows to be equal have one name.
std::vector<InferredType> with_named_sizes(const std::vector<Value>& arguments) {
  std::vector<InferredType> types;
  std::map<std::int64_t, std::int64_t> names;  // by the caller's size
  int n_names = kFirstName;
  for (const Value& argument : arguments) {
    types.push_back(argument.type);
    if (!argument.type.is_array()) continue;
    std::vector<std::int64_t>& sizes = types.back().sizes;
    sizes.resize(static_cast<std::size_t>(argument.type.n_dimensions), -1);
    for (std::int64_t& size : sizes) {
      if (size >= 0) continue;
      const std::int64_t name = named_size(n_names++);
      size = size == -1 ? name : names.try_emplace(size, name).first->second;
    }
  }
  return types;
}

struct Axis {
  std::size_t argument;
  std::size_t axis;
};
std::optional<Axis> axis_of_size(const std::vector<InferredType>& types, std::int64_t size) {
  for (std::size_t i = 0; i < types.size(); ++i) {
    const auto found = std::ranges::find(types[i].sizes, size);
    if (found != types[i].sizes.end())
      return Axis{i, static_cast<std::size_t>(found - types[i].sizes.begin())};
  }
  return {};
}

// An array of the sizes of a returned one; unknown where these are no constants or sizes of
// arguments.
Value array_for_result(FunctionContext& context, const InferredType& made,
                       const std::vector<InferredType>& types, const std::vector<Value>& arguments,
                       const SyntaxNode& node) {
  std::vector<NewDimension> dimensions;
  for (int i = 0; i < made.n_dimensions; ++i) {
    const std::int64_t size = made.size(i);
    if (size >= 0) {
      dimensions.push_back({int64_constant(size, place(context, node)), size});
      continue;
    }
    const auto axis = axis_of_size(types, size);
    if (!axis) return {};
    const Value& argument = arguments[axis->argument];
    dimensions.push_back(
        {size_of(argument, axis->axis), argument.type.size(static_cast<int>(axis->axis))});
  }
  return new_array(context, made.dtype, std::move(dimensions), node);
}

}  // namespace

const FunctionSyntax& KernelInference::storing_function(const FunctionSyntax& function) {
  std::unique_ptr<FunctionSyntax>& made = storing_functions_[&function];
  if (made) return *made;
  made = std::make_unique<FunctionSyntax>(function);
  made->parameters.push_back(node_at(function.name_place, "arg", kReturnedArray));
  if (!made->defaults.empty()) made->defaults.emplace_back();  // those of the last parameters
  store_results(made->body);
  return *made;
}

std::optional<Value> call_for_array(FunctionContext& context, const FunctionSyntax& function,
                                    std::vector<Value> arguments, const SyntaxNode& node) {
  FunctionTask task;
  task.syntax = &function;
  task.arguments = with_named_sizes(arguments);
  const std::size_t index = context.kernel.device_function(task, place(context, node));
  const std::optional<InferredType> made = context.kernel.typed(index).made;
  if (!made) return {};
  for (Value& argument : arguments) {  // whose sizes are read
    if (argument.type.is_array()) argument = array_in_local(context, std::move(argument));
  }
  Value array = array_for_result(context, *made, task.arguments, arguments, node);
  if (!array.type.is_known()) return {};
  arguments.push_back(std::move(array));
  return call_with_values(context, context.kernel.storing_function(function), arguments, node);
}

}  // namespace numpy_plugin::declare
