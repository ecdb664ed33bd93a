#include "numpy_plugin/infer/calls/infer_calls.hpp"

#include <algorithm>

#include "numpy_plugin/infer/calls/call_arguments.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"
#include "numpy_plugin/syntax/functions.hpp"

namespace numpy_plugin::declare {
namespace {

struct UncallableHint {
  std::string_view name;
  std::string_view hint;
};

constexpr UncallableHint kUncallableHints[] = {
    {"builtins.filter", "write a 'for' loop"},
    {"builtins.format", "a str is allowed only in 'raise', 'assert' and 'print'"},
    {"builtins.isinstance", "leave it out: the signature says what the types are"},
    {"builtins.list", "use a tuple, or npp.local_array"},
    {"builtins.map", "write a 'for' loop"},
    {"builtins.repr", "a str is allowed only in 'raise', 'assert' and 'print'"},
    {"builtins.sorted", "sort before the call, or write the loop in a guvectorize kernel"},
    {"builtins.str", "a str is allowed only in 'raise', 'assert' and 'print'"},
    {"builtins.type", "leave it out: the signature says what the types are"},
    {"math.fsum", "sum((x, y)), or add in a 'for' loop"},
    {"math.sumprod", "x[0] * y[0] + x[1] * y[1], or add in a 'for' loop"},
    {"numpy.sort", "sort before the call, or write the loop in a guvectorize kernel"},
};

std::string uncallable_hint(const std::string& name) {
  for (const UncallableHint& row : kUncallableHints) {
    if (row.name == name) return std::string(row.hint);
  }
  if (name.starts_with("numpy.")) return "write the loop in a guvectorize kernel";
  if (name.starts_with("numpy_plugin.")) return "call it outside of the kernel";
  if (name.starts_with("scipy.") || name.starts_with("math.") || name.starts_with("cmath.")) {
    return "supported functions are listed in the documentation under 'Functions'";
  }
  return "call it outside and pass the value";
}

// Whether an argument has no type: a call that is itself an error, which is reported, a name that
// does not exist, or one whose type is not known yet.
bool has_wrong_argument(FunctionContext& context, const SyntaxNode& node) {
  for (const SyntaxNode& argument : node.children("args")) {
    const SyntaxNode* inner = &argument;
    while (inner->kind == SyntaxKind::kAttribute || inner->kind == SyntaxKind::kSubscript)
      inner = inner->child("value");
    const bool is_name = inner->kind == SyntaxKind::kName && !find_binding(context, *inner);
    if (!is_name && inner->kind != SyntaxKind::kCall) continue;
    if (!infer(context, *inner).type.is_known()) return true;
  }
  return false;
}

}  // namespace

Value report_uncallable(FunctionContext& context, const std::string& name, const SyntaxNode& node) {
  if (has_wrong_argument(context, node)) return {};
  if (name == "numpy.finfo" || name == "numpy.iinfo") {
    return error(context, node,
                 format("{} needs {} dtype and an attribute", text(context, node),
                        name == "numpy.finfo" ? "a floating-point" : "an integer"),
                 name == "numpy.finfo" ? spelling(context, "numpy", "finfo(np.float64).eps")
                                       : spelling(context, "numpy", "iinfo(np.int64).max"));
  }
  const SourceSpan where = place(context, *node.child("func"));
  if (name.starts_with("numpy.random.")) {
    return error(context, where, "numpy.random cannot be called in a kernel",
                 spelling(context, "numpy_plugin", "random.uniform") +
                     "(seed, i) gives the same numbers on every target");
  }
  const bool is_ours = name.starts_with("numpy_plugin._");
  const std::string shown = is_ours ? text(context, *node.child("func")) : without_builtins(name);
  const bool is_array_function =
      name.starts_with("numpy.") && std::count(name.begin(), name.end(), '.') == 1;
  const std::string reason = is_array_function
                                 ? " works on whole arrays and cannot be called in a kernel"
                                 : " cannot be called in a kernel";
  const std::string_view hint =
      context.kernel.is_device_kernel() ? device_hint(shown) : std::string_view();
  return error(context, where, shown + reason,
               hint.empty() ? uncallable_hint(name) : std::string(hint));
}

Value report_not_a_function(FunctionContext& context, const Value& value, const SyntaxNode& node) {
  if (!value.type.is_known()) return {};
  const SyntaxNode& callee = *node.child("func");
  const std::vector<SyntaxNode>& arguments = node.children("args");
  std::string hint;
  if (value.type.is_scalar() && arguments.size() == 1) {
    const bool is_simple = arguments.front().kind == SyntaxKind::kName ||
                           arguments.front().kind == SyntaxKind::kConstant;
    const std::string argument = text(context, arguments.front());
    hint = format("did you mean {} * {}?", text(context, callee),
                  is_simple ? argument : format("({})", argument));
  } else if (callee.kind == SyntaxKind::kAttribute && arguments.empty()) {
    hint = text(context, callee);
  }
  return error(context, callee,
               format("{} is {}, not a function", text(context, callee), with_article(value.type)),
               hint);
}

}  // namespace numpy_plugin::declare
