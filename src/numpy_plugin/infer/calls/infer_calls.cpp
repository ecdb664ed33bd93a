// Calls: what is called, with how many arguments, and what cannot be called.
#include <algorithm>
#include <cmath>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/infer/calls/infer_calls.hpp"
#include "numpy_plugin/signature/kernel_types.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

// Whether a dtype has no such integer part, as of inf and nan: Python and NumPy raise then.
bool is_beyond(DType integer, double number) {
  const IntegerRange range = range_of(integer);
  const double whole = std::trunc(number);
  return !(whole >= static_cast<double>(range.low) && whole < static_cast<double>(range.high + 1));
}

// The name parts of a call, as a caret hint writes them: "math.atan2(y, x)".
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

Value CallInference::infer_call(const SyntaxNode& node) {
  const SyntaxNode& callee = *node.child("func");
  if (const Binding* binding = find_binding(callee)) return call_binding(*binding, node);
  const bool is_outer_name = !dotted(callee).empty();
  if (callee.kind == SyntaxKind::kName && is_outer_name) {
    const bool calls_itself = callee.text == syntax_.name && callee.text != "<lambda>";
    if (calls_itself) return error(place(node), syntax_.name + " calls itself", "use a loop");
    return report_unknown(callee);
  }
  if (callee.kind == SyntaxKind::kAttribute) {
    const Binding* owner = find_binding(*callee.child("value"));
    const bool is_unusable = owner && owner->kind == Binding::Kind::kOther;
    return is_unusable ? report_other(*owner, *callee.child("value")) : call_method(node, callee);
  }
  return report_not_a_function(infer(callee), node);
}

Value CallInference::report_not_a_function(const Value& value, const SyntaxNode& node) {
  if (!value.type.is_known()) return {};
  const SyntaxNode& callee = *node.child("func");
  const std::vector<SyntaxNode>& arguments = node.children("args");
  std::string hint;
  if (value.type.is_scalar() && arguments.size() == 1) {
    const bool is_simple = arguments.front().kind == SyntaxKind::kName ||
                           arguments.front().kind == SyntaxKind::kConstant;
    const std::string argument = text(arguments.front());
    hint = "did you mean " + text(callee) + " * " + (is_simple ? argument : "(" + argument + ")") +
           "?";
  } else if (callee.kind == SyntaxKind::kAttribute && arguments.empty()) {
    hint = text(callee);
  }
  return error(place(callee), text(callee) + " is " + with_article(value.type) + ", not a function",
               hint);
}

Value CallInference::call_binding(const Binding& binding, const SyntaxNode& node) {
  const SyntaxNode& callee = *node.child("func");
  switch (binding.kind) {
    case Binding::Kind::kFunction:
      return call_function(binding.name, node);
    case Binding::Kind::kDType:
      return call_dtype(binding.dtype, node);
    case Binding::Kind::kOtherDType:
      return error(place(callee), callee.text + " is no kernel type", expected_kernel_types());
    case Binding::Kind::kDeviceFunction:
      return call_device_function(binding, node);
    case Binding::Kind::kUfunc:
      return call_ufunc(binding, node);
    case Binding::Kind::kExternal:
      return call_declared(*binding.external, node);
    case Binding::Kind::kPlainFunction: {
      if (callee.text == syntax_.name) {
        return error(place(node), syntax_.name + " calls itself", "use a loop");
      }
      const bool is_lambda = binding.name == "<lambda>";
      return error(
          place(callee), "'" + text(callee) + "' is a plain Python function",
          is_lambda ? text(callee) + " = npp.device(lambda ...)" : "put @npp.device above its def",
          defined_here(binding, "defined here"));
    }
    case Binding::Kind::kNumber:
    case Binding::Kind::kTypedNumber:
    case Binding::Kind::kTuple:
    case Binding::Kind::kArray:
    case Binding::Kind::kThreadValue:
      return report_not_a_function(infer(callee), node);
    case Binding::Kind::kModule:
      if (binding.name.starts_with("cuda.")) return value_of(binding, callee);
      return error(place(callee), text(callee) + " is a module, not a function");
    default:
      return value_of(binding, callee);
  }
}

Value CallInference::call_function(const std::string& name, const SyntaxNode& node) {
  const auto found = builtins().find(name);
  if (found != builtins().end()) return (this->*found->second)(name, node);
  if (const FunctionInfo* info = find_function(name)) return call_table_function(*info, node);
  if (name.starts_with("cuda.")) return call_thread_function(name, node);
  return report_uncallable(name, node);
}

bool CallInference::check_starred_arguments(const SyntaxNode& node) {
  for (const SyntaxNode& argument : node.children("args")) {
    if (argument.kind != SyntaxKind::kStarred) continue;
    const SyntaxNode& tuple = *argument.child("value");
    const Value value = infer(tuple);
    std::string items;
    for (std::size_t i = 0; i < value.type.items.size(); ++i) {
      items += (i == 0 ? "" : ", ") + text(tuple) + "[" + std::to_string(i) + "]";
    }
    error(place(argument), "'*' in a call cannot be used in a kernel",
          items.empty() ? "" : text(*node.child("func")) + "(" + items + ")");
    return false;
  }
  return true;
}

// Neither keywords nor starred arguments, but for the keywords that the function has.
bool CallInference::check_plain_arguments(const std::string& name, const SyntaxNode& node,
                                          const std::vector<std::string>& keywords) {
  if (!check_starred_arguments(node)) return false;
  for (const SyntaxNode& keyword : node.children("keywords")) {
    if (std::find(keywords.begin(), keywords.end(), keyword.text) != keywords.end()) continue;
    if (keyword.text == "out") {
      std::string call_text = text(*node.child("func")) + "(";
      for (const SyntaxNode& argument : node.children("args")) {
        call_text += (call_text.ends_with('(') ? "" : ", ") + text(argument);
      }
      error(place(keyword), "'out' cannot be given in a kernel",
            text(*keyword.child("value")) + " = " + call_text + ")");
    } else {
      const std::string what = keyword.text.empty() ? "'**'" : "'" + keyword.text + "'";
      error(place(keyword), without_builtins(name) + " in a kernel has no " + what);
    }
    return false;
  }
  return true;
}

bool CallInference::check_argument_count(int n_least, int n_most, const SyntaxNode& node,
                                         const std::string& hint) {
  const int n_given = static_cast<int>(node.children("args").size());
  if (n_given >= n_least && n_given <= n_most) return true;
  std::string expected = base::counted(n_least, "argument");
  if (n_most != n_least) {
    const std::string most = n_most == kAnyNumber ? "more" : std::to_string(n_most);
    const char* between = n_most == kAnyNumber || n_most == n_least + 1 ? " or " : " to ";
    expected = std::to_string(n_least) + between + most + " arguments";
  }
  const std::string shown = text(*node.child("func"));
  error(place(node), shown + " takes " + expected + ", " + std::to_string(n_given) + " given",
        shown + hint);
  return false;
}

bool CallInference::check_number(const Value& value, const std::string& shown) {
  if (value.type.is_scalar()) return true;
  if (report_part(value)) return false;
  const std::string argument = text(*value.node);
  if (value.type.is_array() && shown == "range") {
    error(place(*value.node), "range needs a number, " + argument + " is " + describe(value.type),
          "range(len(" + argument + "))");
    return false;
  }
  const std::string hint =
      value.type.is_array()
          ? "one element at a time: " + element_text(argument, value.type.n_dimensions)
          : argument + "[0]";
  error(place(*value.node), shown + " needs a number, " + argument + " is " + describe(value.type),
        hint);
  return false;
}

std::optional<std::vector<Value>> CallInference::scalar_arguments(
    const std::string& name, int n_least, int n_most, const SyntaxNode& node,
    const std::vector<std::string>& keywords) {
  if (!check_plain_arguments(name, node, keywords)) return std::nullopt;
  std::vector<Value> values;
  bool has_error = false;
  for (const SyntaxNode& argument : node.children("args")) {
    values.push_back(infer(argument));
    has_error |= !values.back().type.is_known();
  }
  const int n_usual = static_cast<int>(values.size()) > n_most ? n_most : n_least;
  const std::string usual = "(" + usual_arguments(node.child("func")->text, n_usual) + ")";
  if (!check_argument_count(n_least, n_most, node, usual)) return std::nullopt;
  const std::string shown = text(*node.child("func"));
  for (const Value& value : values) {
    if (value.type.is_known()) has_error |= !check_number(value, shown);
  }
  if (has_error) return std::nullopt;
  return values;
}

Value CallInference::explicit_cast(const Value& value, DType dtype, const SyntaxNode& node) {
  const bool drops_part =
      base::is_complex(value.type.dtype) && !base::is_complex(dtype) && dtype != DType::kBool;
  if (drops_part) {
    return error(place(*value.node),
                 text(*node.child("func")) + " needs a real number, " + text(*value.node) + " is " +
                     describe(value.type),
                 inner_text(*value.node) + ".real");
  }
  Value result;
  result.type = InferredType::scalar(dtype);
  if (dtype == DType::kBool) {
    result.expression = truth(value, *value.node);
    return result;
  }
  const std::size_t n_errors = findings_.errors.size();
  const bool is_integer_text = value.constant && std::holds_alternative<Int128>(*value.constant);
  const bool wants_integer = base::is_integer(dtype);
  if (wants_integer && value.constant && !is_integer_text &&
      is_beyond(dtype, to_double(*value.constant))) {
    return error(place(*value.node),
                 text(*value.node) + " does not fit " + std::string(base::name(dtype)));
  }
  result.expression = wants_integer && !is_integer_text ? cast(value.expression, dtype)
                                                        : convert(value, result.type);
  if (findings_.errors.size() > n_errors) {
    findings_.errors.back().hint.clear();
    return {};
  }
  const std::string name(base::name(dtype));
  Origin origin;
  origin.place = place(node);
  origin.message = text(node) + " is " + name;
  const std::string argument = text(*value.node);
  origin.hint = "np.{}(" + argument + "), or leave it out";
  return with_origin(std::move(result), {&value}, std::move(origin));
}

Value CallInference::call_dtype(DType dtype, const SyntaxNode& node) {
  const auto arguments = scalar_arguments(std::string(base::name(dtype)), 1, 1, node);
  if (!arguments) return {};
  return explicit_cast(arguments->front(), dtype, node);
}

}  // namespace numpy_plugin::declare
