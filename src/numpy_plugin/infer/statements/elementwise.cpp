#include "numpy_plugin/infer/statements/kernel_checks.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/infer/calls/infer_calls.hpp"
#include "numpy_plugin/syntax/functions.hpp"

namespace numpy_plugin::declare {
namespace {

struct ArrayWord {
  std::string_view name;
  bool is_reduction;
};

// Attributes of arrays that elements lack. For a reduction the hint names where it can be computed.
constexpr ArrayWord kArrayWords[] = {
    {"all", true},       {"amax", true},       {"amin", true},      {"any", true},
    {"argmax", true},    {"argmin", true},     {"average", true},   {"count_nonzero", true},
    {"max", true},       {"mean", true},       {"median", true},    {"min", true},
    {"nanmax", true},    {"nanmean", true},    {"nanmin", true},    {"nansum", true},
    {"prod", true},      {"ptp", true},        {"std", true},       {"sum", true},
    {"trace", true},     {"var", true},        {"T", false},        {"argsort", false},
    {"cumprod", false},  {"cumsum", false},    {"diagonal", false}, {"dot", false},
    {"fill", false},     {"flat", false},      {"flatten", false},  {"item", false},
    {"itemsize", false}, {"mT", false},        {"nbytes", false},   {"ndim", false},
    {"nonzero", false},  {"partition", false}, {"put", false},      {"ravel", false},
    {"repeat", false},   {"reshape", false},   {"resize", false},   {"searchsorted", false},
    {"shape", false},    {"size", false},      {"sort", false},     {"squeeze", false},
    {"strides", false},  {"swapaxes", false},  {"take", false},     {"tobytes", false},
    {"tolist", false},   {"transpose", false}, {"view", false},
};

const ArrayWord* find_word(std::string_view name) {
  const auto* found = std::find_if(std::begin(kArrayWords), std::end(kArrayWords),
                                   [&](const ArrayWord& word) { return word.name == name; });
  return found == std::end(kArrayWords) ? nullptr : found;
}

// Functions of numbers; the others need whole arrays.
bool is_kernel_function(const std::string& name) {
  const Builtin builtin = find_builtin(name);
  const bool is_of_arrays = builtin == builtin_array_reduction || builtin == builtin_dot;
  return find_function(name) != nullptr || (builtin != nullptr && !is_of_arrays);
}

class ElementwiseCheck {
 public:
  explicit ElementwiseCheck(const FunctionSyntax& function) : function_(function) {}

  std::vector<Diagnostic> run() {
    for (const SyntaxNode& statement : function_.body) visit(statement);
    return std::move(found_);
  }

 private:
  void visit(const SyntaxNode& node) {
    if (!report(node)) {
      for (const auto& [name, nodes] : node.fields) {
        for (const SyntaxNode& child : nodes) visit(child);
      }
    }
  }

  // Whether an error was reported for the node: then its children are skipped.
  bool report(const SyntaxNode& node) {
    if (node.kind == SyntaxKind::kCall) return report_call(node);
    if (node.kind == SyntaxKind::kAttribute) return report_attribute(node);
    if (node.kind == SyntaxKind::kSubscript) return report_subscript(node);
    const bool is_product = node.op == SyntaxKind::kMatMult;
    return is_product && add(node, "'@' works on whole arrays; a fused function sees one element",
                             "call np.matmul outside, and pass its result");
  }

  bool report_call(const SyntaxNode& node) {
    const SyntaxNode& callee = *node.child("func");
    const Binding* binding = find_binding(callee);
    if (!binding || binding->kind != Binding::Kind::kFunction) return false;
    const std::string& name = binding->name;
    const bool is_length = name == "builtins.len" && is_argument(node.children("args"));
    const bool is_sum = name == "builtins.sum" || name == "builtins.any" || name == "builtins.all";
    const bool is_of_numpy = name.starts_with("numpy.") && !name.starts_with("numpy.random.");
    if (!is_length && !is_sum && (!is_of_numpy || is_kernel_function(name))) return false;
    const std::string shown = text(callee);
    const ArrayWord* word = find_word(callee.text.empty() ? shown : callee.text);
    return add(callee, shown + " works on whole arrays; a fused function sees one element",
               is_length || !word || !word->is_reduction
                   ? format("call {} outside, and pass its result", shown)
                   : format("call {} on the result of {}", shown, function_.name));
  }

  bool report_attribute(const SyntaxNode& node) {
    const ArrayWord* word = find_word(node.text);
    if (!word || is_of_outer_name(node)) return false;
    const std::string shown = text(node);
    return add(node, shown + " needs the whole array; a fused function sees one element",
               word->is_reduction
                   ? format("call np.{} on the result of {}", node.text, function_.name)
                   : format("take {} outside, and pass it", shown));
  }

  bool report_subscript(const SyntaxNode& node) {
    const SyntaxNode& owner = *node.child("value");
    if (!is_argument({owner})) return false;
    return add(node, text(node) + " is part of an array; a fused function sees one element",
               "take it outside, and pass it");
  }

  // Whether the nodes are one argument of the function.
  bool is_argument(const std::vector<SyntaxNode>& nodes) const {
    return nodes.size() == 1 && nodes.front().kind == SyntaxKind::kName &&
           std::any_of(function_.parameters.begin(), function_.parameters.end(),
                       [&](const SyntaxNode& item) { return item.text == nodes.front().text; });
  }

  bool is_of_outer_name(const SyntaxNode& node) const {
    const SyntaxNode* root = &node;
    while (root->kind == SyntaxKind::kAttribute) root = root->child("value");
    return root->kind == SyntaxKind::kName && function_.bindings.contains(root->text);
  }

  const Binding* find_binding(const SyntaxNode& node) const {
    const auto found = function_.bindings.find(text(node));
    return found == function_.bindings.end() ? nullptr : &found->second;
  }

  std::string text(const SyntaxNode& node) const { return text_at(function_.source, node.place); }

  bool add(const SyntaxNode& node, std::string message, std::string hint) {
    found_.push_back({Severity::kError, std::move(message), node.place, {}, std::move(hint)});
    return true;
  }

  const FunctionSyntax& function_;
  std::vector<Diagnostic> found_;
};

}  // namespace

void check_elementwise(const FunctionSyntax& function) {
  std::vector<Diagnostic> found = ElementwiseCheck(function).run();
  if (!found.empty()) throw KernelError(std::move(found), {function.source});
}

}  // namespace numpy_plugin::declare
