// Small syntax trees for tests, as built from Python's `ast`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "numpy_plugin/infer/core/kernel_text.hpp"
#include "numpy_plugin/infer/statements/infer_kernel.hpp"
#include "numpy_plugin/syntax/syntax.hpp"

namespace numpy_plugin::declare::tree {

using Nodes = std::vector<SyntaxNode>;
using Fields = std::vector<std::pair<std::string, Nodes>>;

inline SyntaxNode node(const std::string& class_name, std::string text, Fields fields = {}) {
  SyntaxNode result = make_node(class_name, std::move(text));
  result.place = {1, 0, 1, 1, 0};
  result.fields = std::move(fields);
  return result;
}

inline SyntaxNode name(std::string text) { return node("Name", std::move(text)); }

inline SyntaxNode number(double value) {
  SyntaxNode result = node("Constant", "");
  result.constant = Number(value);
  return result;
}

inline SyntaxNode integer(const std::string& text) {
  SyntaxNode result = node("Constant", "");
  result.constant = Number(Integer{text});
  return result;
}

inline SyntaxNode binary(SyntaxNode left, std::string operation, SyntaxNode right) {
  return node("BinOp", std::move(operation),
              {{"left", {std::move(left)}}, {"right", {std::move(right)}}});
}

inline SyntaxNode compare(SyntaxNode left, const std::string& operation, SyntaxNode right) {
  return node("Compare", "",
              {{"left", {std::move(left)}},
               {"ops", {node(operation, "")}},
               {"comparators", {std::move(right)}}});
}

inline SyntaxNode both(Nodes values) {
  return node("BoolOp", "And", {{"values", std::move(values)}});
}

inline SyntaxNode tuple(Nodes items) { return node("Tuple", "", {{"elts", std::move(items)}}); }

inline SyntaxNode attribute(SyntaxNode owner, std::string member) {
  return node("Attribute", std::move(member), {{"value", {std::move(owner)}}});
}

inline SyntaxNode call(SyntaxNode function, Nodes arguments) {
  return node("Call", "", {{"func", {std::move(function)}}, {"args", std::move(arguments)}});
}

inline SyntaxNode item(SyntaxNode owner, SyntaxNode index) {
  return node("Subscript", "", {{"value", {std::move(owner)}}, {"slice", {std::move(index)}}});
}

inline SyntaxNode assign(SyntaxNode target, SyntaxNode value) {
  return node("Assign", "", {{"targets", {std::move(target)}}, {"value", {std::move(value)}}});
}

inline SyntaxNode augment(SyntaxNode target, std::string operation, SyntaxNode value) {
  return node("AugAssign", std::move(operation),
              {{"target", {std::move(target)}}, {"value", {std::move(value)}}});
}

inline SyntaxNode give(SyntaxNode value) {
  return node("Return", "", {{"value", {std::move(value)}}});
}

inline SyntaxNode branch(SyntaxNode test, Nodes body, Nodes orelse = {}) {
  return node(
      "If", "",
      {{"test", {std::move(test)}}, {"body", std::move(body)}, {"orelse", std::move(orelse)}});
}

inline SyntaxNode repeat(SyntaxNode test, Nodes body) {
  return node("While", "", {{"test", {std::move(test)}}, {"body", std::move(body)}});
}

inline SyntaxNode count(const std::string& variable, Nodes range_arguments, Nodes body) {
  return node("For", "",
              {{"target", {name(variable)}},
               {"iter", {call(name("range"), std::move(range_arguments))}},
               {"body", std::move(body)}});
}

inline Binding function_binding(const std::string& qualified_name) {
  Binding binding;
  binding.kind = Binding::Kind::kFunction;
  binding.name = qualified_name;
  return binding;
}

inline Binding device_binding(FunctionSyntax function) {
  Binding binding;
  binding.kind = Binding::Kind::kDeviceFunction;
  binding.name = function.name;
  binding.function = std::make_shared<const FunctionSyntax>(std::move(function));
  return binding;
}

// A function "f" with bindings for range, abs and math.sqrt.
inline FunctionSyntax function(const std::vector<std::string>& parameters, Nodes body) {
  FunctionSyntax result;
  result.name = "f";
  for (const std::string& parameter : parameters) {
    result.parameters.push_back(node("arg", parameter));
  }
  result.body = std::move(body);
  result.name_place = {1, 0, 1, 1, 0};
  result.source = {"f.py", "f", 1, {"the source of f"}};
  result.bindings["range"] = function_binding("builtins.range");
  result.bindings["abs"] = function_binding("builtins.abs");
  result.bindings["math.sqrt"] = function_binding("math.sqrt");
  return result;
}

inline TypeSignature signature(const std::vector<base::DType>& inputs,
                               const std::vector<base::DType>& outputs = {}) {
  TypeSignature result;
  for (const base::DType dtype : inputs) result.inputs.push_back({dtype, 0});
  for (const base::DType dtype : outputs) result.outputs.push_back({dtype, 0});
  return result;
}

// The printed kernel without its first line, or the first error's message.
inline std::string typed(const FunctionSyntax& syntax, const TypeSignature& types) {
  try {
    const std::string all = text(type_python_kernel(syntax, types, std::nullopt).kernel);
    return all.substr(all.find('\n') + 1);
  } catch (const KernelError& error) {
    return error.diagnostics().front().message;
  }
}

}  // namespace numpy_plugin::declare::tree
