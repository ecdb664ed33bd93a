#include "numpy_plugin/infer/calls/call_arguments.hpp"

#include <algorithm>
#include <cmath>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_arrays.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"
#include "numpy_plugin/infer/expressions/infer_operators.hpp"
#include "numpy_plugin/infer/expressions/infer_times.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

// Whether a number's integer part is out of the dtype's range, as for inf and nan: Python and NumPy
// raise then.
bool is_beyond(DType integer, double number) {
  const IntegerRange range = range_of(integer);
  const double whole = std::trunc(number);
  return !(whole >= static_cast<double>(range.low) && whole < static_cast<double>(range.high + 1));
}

// The usual call for a hint: "math.atan2(y, x)".
std::string usual_arguments(std::string_view function, int n_arguments) {
  if (function == "atan2" || function == "arctan2") return "y, x";
  constexpr std::string_view kNames[] = {"x", "y", "z"};
  std::string result;
  for (int i = 0; i < n_arguments; ++i) {
    result += (i == 0 ? "" : ", ") + std::string(kNames[std::min(i, 2)]);
  }
  return result;
}

}  // namespace

std::string without_builtins(const std::string& name) {
  if (name.starts_with("builtins.") || name.starts_with("numpy_plugin.cuda.")) {
    return name.substr(name.find('.') + 1);
  }
  return name;
}

const SyntaxNode* find_keyword(const SyntaxNode& call, std::string_view name) {
  for (const SyntaxNode& keyword : call.children("keywords")) {
    if (keyword.text == name) return keyword.child("value");
  }
  return nullptr;
}

const SyntaxNode* find_argument(const SyntaxNode& call, std::size_t position,
                                std::string_view name) {
  const std::vector<SyntaxNode>& arguments = call.children("args");
  if (position < arguments.size()) return &arguments[position];
  return find_keyword(call, name);
}

bool check_starred_arguments(FunctionContext& context, const SyntaxNode& node) {
  for (const SyntaxNode& argument : node.children("args")) {
    if (argument.kind != SyntaxKind::kStarred) continue;
    const SyntaxNode& tuple = *argument.child("value");
    const Value value = infer(context, tuple);
    std::string items;
    for (std::size_t i = 0; i < value.type.items.size(); ++i) {
      items += format("{}{}[{}]", i == 0 ? "" : ", ", text(context, tuple), i);
    }
    error(context, argument, "'*' in a call cannot be used in a kernel",
          items.empty() ? "" : format("{}({})", text(context, *node.child("func")), items));
    return false;
  }
  return true;
}

bool check_plain_arguments(FunctionContext& context, const std::string& name,
                           const SyntaxNode& node, const std::vector<std::string>& keywords) {
  if (!check_starred_arguments(context, node)) return false;
  for (const SyntaxNode& keyword : node.children("keywords")) {
    if (std::find(keywords.begin(), keywords.end(), keyword.text) != keywords.end()) continue;
    if (keyword.text == "out") {
      std::string call_text = text(context, *node.child("func")) + "(";
      for (const SyntaxNode& argument : node.children("args")) {
        call_text += (call_text.ends_with('(') ? "" : ", ") + text(context, argument);
      }
      error(context, keyword, "'out' cannot be passed in a kernel",
            format("{} = {})", text(context, *keyword.child("value")), call_text));
    } else {
      const std::string what = keyword.text.empty() ? "'**'" : format("'{}'", keyword.text);
      error(context, keyword, format("{} in a kernel has no {}", without_builtins(name), what));
    }
    return false;
  }
  return true;
}

bool check_argument_count(FunctionContext& context, int n_least, int n_most, const SyntaxNode& node,
                          const std::string& hint) {
  const int n_given = static_cast<int>(node.children("args").size());
  if (n_given >= n_least && n_given <= n_most) return true;
  std::string expected = base::counted(n_least, "argument");
  if (n_most != n_least) {
    const std::string most = n_most == kAnyNumber ? "more" : std::to_string(n_most);
    const char* between = n_most == kAnyNumber || n_most == n_least + 1 ? " or " : " to ";
    expected = std::to_string(n_least) + between + most + " arguments";
  }
  const std::string shown = text(context, *node.child("func"));
  error(context, node, format("{} takes {}, {} given", shown, expected, n_given), shown + hint);
  return false;
}

bool check_number(FunctionContext& context, const Value& value, const std::string& shown) {
  if (value.type.is_scalar()) return true;
  if (report_part(context, value)) return false;
  const std::string argument = text(context, *value.node);
  if (value.type.is_array() && (shown == "range" || shown.ends_with("prange"))) {
    error(context, *value.node,
          format("{} needs a number, {} is {}", shown, argument, describe(value.type)),
          format("{}(len({}))", shown, argument));
    return false;
  }
  const std::string hint =
      value.type.is_array()
          ? "one element at a time: " + element_text(argument, value.type.n_dimensions)
          : argument + "[0]";
  error(context, *value.node,
        format("{} needs a number, {} is {}", shown, argument, describe(value.type)), hint);
  return false;
}

std::optional<std::vector<Value>> scalar_arguments(FunctionContext& context,
                                                   const std::string& name, int n_least, int n_most,
                                                   const SyntaxNode& node,
                                                   const std::vector<std::string>& keywords) {
  if (!check_plain_arguments(context, name, node, keywords)) return std::nullopt;
  std::vector<Value> values;
  bool has_error = false;
  for (const SyntaxNode& argument : node.children("args")) {
    values.push_back(infer(context, argument));
    has_error |= !values.back().type.is_known();
  }
  const int n_usual = static_cast<int>(values.size()) > n_most ? n_most : n_least;
  const std::string usual = format("({})", usual_arguments(node.child("func")->text, n_usual));
  if (!check_argument_count(context, n_least, n_most, node, usual)) return std::nullopt;
  const std::string shown = text(context, *node.child("func"));
  for (const Value& value : values) {
    if (value.type.is_known()) has_error |= !check_number(context, value, shown);
  }
  if (has_error) return std::nullopt;
  return values;
}

Value explicit_cast(FunctionContext& context, const Value& value, DType dtype,
                    const SyntaxNode& node) {
  if (is_time(value) || base::is_time(dtype)) return time_cast(context, value, dtype, node);
  const bool drops_part =
      base::is_complex(value.type.dtype) && !base::is_complex(dtype) && dtype != DType::kBool;
  if (drops_part) {
    return error(context, *value.node,
                 format("{} needs a real number, {} is {}", text(context, *node.child("func")),
                        text(context, *value.node), describe(value.type)),
                 inner_text(context, *value.node) + ".real");
  }
  Value result;
  result.type = InferredType::scalar(dtype);
  if (dtype == DType::kBool) {
    result.expression = truth(context, value, *value.node);
    return result;
  }
  const std::size_t n_errors = context.findings.errors.size();
  const bool is_integer_text = value.constant && std::holds_alternative<Int128>(*value.constant);
  const bool wants_integer = base::is_integer(dtype);
  if (wants_integer && value.constant && !is_integer_text &&
      is_beyond(dtype, to_double(*value.constant))) {
    return error(context, *value.node,
                 format("{} does not fit {}", text(context, *value.node), base::name(dtype)));
  }
  result.expression = wants_integer && !is_integer_text ? cast(value.expression, dtype)
                                                        : convert(context, value, result.type);
  if (context.findings.errors.size() > n_errors) {
    context.findings.errors.back().hint.clear();
    return {};
  }
  const std::string name(base::name(dtype));
  Origin origin;
  origin.place = place(context, node);
  origin.message = format("{} is {}", text(context, node), name);
  const std::string argument = text(context, *value.node);
  origin.hint = "np.{}(" + argument + "), or leave it out";
  return with_origin(std::move(result), {&value}, std::move(origin));
}

}  // namespace numpy_plugin::declare
