#include "numpy_plugin/infer/calls/infer_calls.hpp"

#include <algorithm>

#include "numpy_plugin/infer/arrays/array_expressions.hpp"
#include "numpy_plugin/infer/arrays/reductions.hpp"
#include "numpy_plugin/infer/calls/call_arguments.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_arrays.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"
#include "numpy_plugin/infer/expressions/infer_operators.hpp"

namespace numpy_plugin::declare {
namespace {

// The number of an axis, none below 0; nullopt after an error.
std::optional<int> axis_number(FunctionContext& context, const Value& axis, int n_axes) {
  const Int128* const number = constant_integer(axis);
  if (number == nullptr) {
    error(context, *axis.node, "an axis must be a constant integer, found " + describe(axis.type),
          axis.type.is_scalar() && base::is_integer(axis.type.dtype) ? "a number, such as 0" : "");
    return std::nullopt;
  }
  if (*number >= -n_axes && *number < n_axes) {
    return static_cast<int>(*number < 0 ? *number + n_axes : *number);
  }
  error(context, *axis.node,
        format("axis {} is out of bounds for array of dimension {}", to_text(*number), n_axes));
  return std::nullopt;
}

// False after an error.
bool read_axes(FunctionContext& context, Reduction reduction, const SyntaxNode& node, int n_axes,
               ReductionOptions& options) {
  if (is_none(node)) return true;
  const Value given = infer(context, node);
  if (!given.type.is_known()) return false;
  const bool takes_one = reduction == Reduction::kArgmin || reduction == Reduction::kArgmax;
  std::vector<Value> axes = {given};
  if (given.type.is_tuple() && !takes_one) {
    axes.clear();
    for (std::size_t i = 0; i < given.type.items.size(); ++i) {
      const bool has_nodes = node.kind == SyntaxKind::kTuple;
      axes.push_back(item(context, given, i, has_nodes ? node.children("elts")[i] : node));
      if (has_nodes) axes.back() = infer(context, node.children("elts")[i]);
    }
  }
  std::vector<int> numbers;
  for (const Value& axis : axes) {
    const auto number = axis_number(context, axis, n_axes);
    if (!number) return false;
    numbers.push_back(*number);
  }
  std::sort(numbers.begin(), numbers.end());
  if (numbers.empty() || std::adjacent_find(numbers.begin(), numbers.end()) != numbers.end()) {
    error(context, node, numbers.empty() ? "no axis is given" : "duplicate value in 'axis'");
    return false;
  }
  if (static_cast<int>(numbers.size()) < n_axes) options.axes = std::move(numbers);
  return true;
}

// `True` or `False`; nullopt after an error.
std::optional<bool> read_flag(FunctionContext& context, const SyntaxNode& node,
                              const std::string& name) {
  const auto* const number = std::get_if<Number>(&node.constant);
  const auto* const flag = number != nullptr ? std::get_if<bool>(number) : nullptr;
  if (flag != nullptr) return *flag;
  error(context, node, name + " must be True or False");
  return std::nullopt;
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
  std::vector<std::string> keywords = {"axis", "keepdims"};
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
  if (axis && !read_axes(context, reduction, *axis, n_dimensions(context, array), options)) {
    return std::nullopt;
  }
  if (const SyntaxNode* const keepdims = find_keyword(node, "keepdims")) {
    const auto flag = read_flag(context, *keepdims, "keepdims");
    if (!flag) return std::nullopt;
    options.keeps_dimensions = *flag;
  }
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
                 format("{} needs arrays, {} is {}", text(context, *node.child("func")),
                        text(context, *operand), describe(value.type)));
  }
  return product_of_arrays(context, left, right, node);
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
