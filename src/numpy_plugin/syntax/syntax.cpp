// Access to the children of a syntax node by Python's field names.
#include "numpy_plugin/syntax/syntax.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>

#include "numpy_plugin/syntax/ufunc_syntax.hpp"
#include "numpy_plugin/system/fork.hpp"

namespace numpy_plugin::declare {
namespace {

constexpr std::string_view kClassNames[] = {
    "a node",
#define NPP_SYNTAX_KIND(enumerator, name) name,
#include "numpy_plugin/syntax/syntax_kinds.def"
};

std::unordered_map<std::string_view, SyntaxKind> kinds_by_name() {
  return {
#define NPP_SYNTAX_KIND(enumerator, name) {name, SyntaxKind::enumerator},
#include "numpy_plugin/syntax/syntax_kinds.def"
  };
}

}  // namespace

const std::vector<SyntaxNode>& SyntaxNode::children(std::string_view field) const {
  for (const auto& [name, nodes] : fields) {
    if (name == field) return nodes;
  }
  return system::the_only<std::vector<SyntaxNode>>();  // of no child
}

const SyntaxNode* SyntaxNode::child(std::string_view field) const {
  const std::vector<SyntaxNode>& nodes = children(field);
  return nodes.empty() ? nullptr : &nodes.front();
}

namespace {

bool has_operator(SyntaxKind kind) {
  return kind == SyntaxKind::kBinOp || kind == SyntaxKind::kUnaryOp ||
         kind == SyntaxKind::kBoolOp || kind == SyntaxKind::kAugAssign;
}

// Whether a number is certainly the same in every call.
bool is_fixed(const FunctionSyntax& function, const SyntaxNode& node) {
  if (node.kind == SyntaxKind::kUnaryOp) return is_fixed(function, *node.child("operand"));
  const auto found = function.bindings.find(node.text);
  const bool is_bound = node.kind == SyntaxKind::kName && found != function.bindings.end() &&
                        found->second.kind == Binding::Kind::kNumber;
  return is_bound || node.kind == SyntaxKind::kConstant;
}

// Whether an expression has a call with a third argument that may be the step 0 of a range.
bool has_step(const FunctionSyntax& function, const SyntaxNode& node) {
  if (node.kind != SyntaxKind::kCall) return false;
  const std::vector<SyntaxNode>& arguments = node.children("args");
  return (arguments.size() == 3 && !is_fixed(function, arguments.back())) ||
         std::any_of(arguments.begin(), arguments.end(),
                     [&](const SyntaxNode& argument) { return has_step(function, argument); });
}

// Whether an expression has a power whose exponent varies: a negative one of integers raises.
bool has_power(const FunctionSyntax& function, const SyntaxNode& node) {
  if (node.op == SyntaxKind::kPow) {
    const SyntaxNode* const exponent = node.child("right");
    if (!is_fixed(function, exponent != nullptr ? *exponent : *node.child("value"))) return true;
  }
  const SyntaxNode* const callee = node.child("func");
  const auto found = callee != nullptr
                         ? function.bindings.find(text_at(function.source, callee->place))
                         : function.bindings.end();
  const bool is_function =
      found != function.bindings.end() && found->second.kind == Binding::Kind::kFunction;
  if (is_function && (found->second.name == "numpy.power" || found->second.name == "builtins.pow" ||
                      found->second.name == "operator.pow")) {
    return true;
  }
  return std::any_of(node.fields.begin(), node.fields.end(), [&](const auto& field) {
    return std::any_of(field.second.begin(), field.second.end(),
                       [&](const SyntaxNode& child) { return has_power(function, child); });
  });
}

bool may_raise(const FunctionSyntax& function, const std::vector<SyntaxNode>& statements) {
  return std::any_of(statements.begin(), statements.end(), [&](const SyntaxNode& node) {
    return node.kind == SyntaxKind::kRaise || node.kind == SyntaxKind::kAssert ||
           (node.kind == SyntaxKind::kFor && has_step(function, *node.child("iter"))) ||
           may_raise(function, node.children("body")) ||
           may_raise(function, node.children("orelse"));
  });
}

bool may_raise(const FunctionSyntax& function, std::set<const FunctionSyntax*>& seen) {
  if (!seen.insert(&function).second) return false;
  const auto may_have_power = [&](const SyntaxNode& node) { return has_power(function, node); };
  return may_raise(function, function.body) ||
         std::any_of(function.body.begin(), function.body.end(), may_have_power) ||
         std::any_of(function.bindings.begin(), function.bindings.end(), [&](const auto& entry) {
           const Binding& binding = entry.second;
           const FunctionSyntax* callee = binding.function.get();
           if (binding.ufunc) callee = binding.ufunc->function.get();
           return callee != nullptr && may_raise(*callee, seen);
         });
}

}  // namespace

SyntaxNode make_node(std::string_view class_name, std::string text) {
  SyntaxNode node;
  node.kind = find_syntax_kind(class_name);
  if (has_operator(node.kind)) {
    node.op = find_syntax_kind(text);
  } else {
    node.text = std::move(text);
  }
  return node;
}

bool may_raise(const FunctionSyntax& function) {
  std::set<const FunctionSyntax*> seen;
  return may_raise(function, seen);
}

// Names of SyntaxKind, looked up in both directions.
SyntaxKind find_syntax_kind(std::string_view class_name) {
  const auto& kinds = system::made_once<kinds_by_name>();
  const auto found = kinds.find(class_name);
  return found == kinds.end() ? SyntaxKind::kOther : found->second;
}

std::string_view class_name(SyntaxKind kind) { return kClassNames[static_cast<std::size_t>(kind)]; }

}  // namespace numpy_plugin::declare
