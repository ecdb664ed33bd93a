#include "numpy_plugin/infer/functions/infer_array_reductions.hpp"

#include "numpy_plugin/infer/arrays/array_syntax.hpp"
#include "numpy_plugin/infer/arrays/reductions.hpp"
#include "numpy_plugin/infer/core/infer_report.hpp"
#include "numpy_plugin/infer/expressions/infer_arrays.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"
#include "numpy_plugin/infer/functions/builtins.hpp"
#include "numpy_plugin/infer/functions/call_arguments.hpp"
#include "numpy_plugin/infer/functions/infer_methods.hpp"
#include "numpy_plugin/infer/functions/infer_uncallable.hpp"

namespace numpy_plugin::declare {
namespace {

// Whether the axis is that of all elements: None, or the only one.
bool check_axis(FunctionContext& context, const SyntaxNode& axis, const SyntaxNode& array,
                const SyntaxNode& node) {
  if (is_none(axis)) return true;
  const std::size_t n_errors = context.findings.errors.size();
  const auto number = constant_index(context, axis);
  if (context.findings.errors.size() > n_errors) return false;
  const bool is_only = number && (*number == 0 || *number == -1);
  if (is_only && n_dimensions(context, array) == 1) return true;
  error(context, axis,
        text(context, *node.child("func")) + " in a kernel reduces all elements; found an axis",
        "one row at a time, in a 'for' loop");
  return false;
}

bool takes_dtype(Reduction reduction) {
  return reduction == Reduction::kSum || reduction == Reduction::kProd ||
         reduction == Reduction::kMean;
}

bool takes_ddof(Reduction reduction) {
  return reduction == Reduction::kVar || reduction == Reduction::kStd;
}

std::optional<Value> lost_degrees(FunctionContext& context, const SyntaxNode& node,
                                  const std::string& shown) {
  Value value = infer(context, node);
  const bool is_number = value.type.is_known() && check_number(context, value, shown);
  return is_number ? std::optional(std::move(value)) : std::nullopt;
}

// The arguments after the array, by position or by name; nullopt after an error.
std::optional<ReductionOptions> reduction_options(FunctionContext& context, Reduction reduction,
                                                  const SyntaxNode& array, std::size_t n_before,
                                                  const SyntaxNode& node) {
  const std::string shown = text(context, *node.child("func"));
  std::vector<std::string> keywords = {"axis"};
  if (takes_dtype(reduction)) keywords.push_back("dtype");
  if (takes_ddof(reduction)) keywords.push_back("ddof");
  if (n_before > 0) keywords.push_back("a");
  const int n_most = static_cast<int>(n_before) + (takes_dtype(reduction) ? 2 : 1);
  const int n_least = node.children("args").size() < n_before ? 0 : static_cast<int>(n_before);
  if (!check_plain_arguments(context, shown, node, keywords) ||
      !check_argument_count(context, n_least, n_most, node, n_before > 0 ? "(a)" : "()")) {
    return std::nullopt;
  }
  ReductionOptions options;
  const SyntaxNode* const axis = find_argument(node, n_before, "axis");
  if (axis && !check_axis(context, *axis, array, node)) return std::nullopt;
  const SyntaxNode* const dtype =
      takes_dtype(reduction) ? find_argument(node, n_before + 1, "dtype") : nullptr;
  if (dtype && !is_none(*dtype)) {
    options.dtype = dtype_argument(context, *dtype);
    if (!options.dtype) return std::nullopt;
  }
  if (const SyntaxNode* const ddof = find_keyword(node, "ddof")) {
    options.lost_degrees = lost_degrees(context, *ddof, shown);
    if (!options.lost_degrees) return std::nullopt;
  }
  return options;
}

Value call_dot(FunctionContext& context, const SyntaxNode& left, const SyntaxNode& right,
               const SyntaxNode& node) {
  for (const SyntaxNode* operand : {&left, &right}) {
    if (n_dimensions(context, *operand) > 0) continue;
    const Value value = infer(context, *operand);
    if (!value.type.is_known()) return {};
    return error(context, *operand,
                 text(context, *node.child("func")) + " needs arrays, " + text(context, *operand) +
                     " is " + describe(value.type));
  }
  return dot(context, left, right, node);
}

}  // namespace

bool is_array_method(const FunctionContext& context, const SyntaxNode& callee) {
  if (callee.kind != SyntaxKind::kAttribute) return false;
  const bool is_reduction =
      callee.text == "dot" || (find_reduction(callee.text) && callee.text != "amin" &&
                               callee.text != "amax" && callee.text != "count_nonzero");
  return is_reduction && n_dimensions(context, *callee.child("value")) > 0;
}

Value call_array_method(FunctionContext& context, const SyntaxNode& node) {
  const SyntaxNode& callee = *node.child("func");
  const SyntaxNode& array = *callee.child("value");
  if (callee.text == "dot") {
    if (!check_plain_arguments(context, text(context, callee), node) ||
        !check_argument_count(context, 1, 1, node, "(b)")) {
      return {};
    }
    return call_dot(context, array, node.children("args").front(), node);
  }
  const Reduction reduction = *find_reduction(callee.text);
  const auto options = reduction_options(context, reduction, array, 0, node);
  return options ? reduce(context, reduction, array, *options, node) : Value();
}

Value builtin_array_reduction(FunctionContext& context, const std::string& name,
                              const SyntaxNode& node) {
  const SyntaxNode* const array = find_argument(node, 0, "a");
  const bool is_array = array != nullptr && n_dimensions(context, *array) > 0;
  if (!is_array) return report_uncallable(context, name, node);
  const Reduction reduction = *find_reduction(name.substr(name.find('.') + 1));
  const auto options = reduction_options(context, reduction, *array, 1, node);
  return options ? reduce(context, reduction, *array, *options, node) : Value();
}

Value builtin_dot(FunctionContext& context, const std::string& name, const SyntaxNode& node) {
  if (!check_plain_arguments(context, name, node) ||
      !check_argument_count(context, 2, 2, node, "(a, b)")) {
    return {};
  }
  const std::vector<SyntaxNode>& arguments = node.children("args");
  const bool has_array =
      n_dimensions(context, arguments.front()) > 0 || n_dimensions(context, arguments.back()) > 0;
  if (!has_array) return report_uncallable(context, name, node);
  return call_dot(context, arguments.front(), arguments.back(), node);
}

}  // namespace numpy_plugin::declare
