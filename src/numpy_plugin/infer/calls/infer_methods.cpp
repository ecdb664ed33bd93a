#include "numpy_plugin/infer/calls/infer_calls.hpp"

#include <algorithm>
#include <unordered_map>

#include "numpy_plugin/infer/arrays/array_expressions.hpp"
#include "numpy_plugin/infer/calls/call_arguments.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"
#include "numpy_plugin/infer/expressions/infer_operators.hpp"
#include "numpy_plugin/syntax/functions.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

// NumPy's dtype for one of Python's types.
std::optional<DType> python_dtype(std::string_view name) {
  if (name == "builtins.bool") return DType::kBool;
  if (name == "builtins.int") return DType::kInt64;
  if (name == "builtins.float") return DType::kFloat64;
  if (name == "builtins.complex") return DType::kComplex128;
  return std::nullopt;
}

Value method_astype(FunctionContext& context, const Value& owner, const SyntaxNode& node) {
  const std::vector<SyntaxNode>& arguments = node.children("args");
  for (const SyntaxNode& keyword : node.children("keywords")) {
    if (keyword.text == "copy") continue;
    return error(context, keyword, format("astype in a kernel has no '{}'", keyword.text));
  }
  if (arguments.size() != 1) {
    return error(context, node, format("astype takes 1 argument, {} given", arguments.size()),
                 text(context, *owner.node) + ".astype(np.float32)");
  }
  const auto dtype = dtype_argument(context, arguments.front());
  return dtype ? explicit_cast(context, owner, *dtype, node) : Value{};
}

// Between int64 and dates or durations, whose ticks it shows.
Value method_view(FunctionContext& context, const Value& owner, const SyntaxNode& node) {
  if (!check_plain_arguments(context, "view", node) ||
      !check_argument_count(context, 1, 1, node, "(np.int64)"))
    return {};
  const auto dtype = dtype_argument(context, node.children("args").front());
  if (!dtype) return {};
  const auto has_ticks = [](DType each) { return each == DType::kInt64 || base::is_time(each); };
  if (!has_ticks(owner.type.dtype) || !has_ticks(*dtype) || owner.constant) {
    return error(context, node,
                 format("view takes {} as no {}", describe(owner.type), base::name(*dtype)),
                 "it is for int64 and dates or durations");
  }
  Value value;
  value.type = InferredType::scalar(*dtype);
  value.expression = cast(cast(owner.expression, DType::kInt64), *dtype);
  return value;
}

Value method_conjugate(FunctionContext& context, const Value& owner, const SyntaxNode& node) {
  if (!check_plain_arguments(context, "conjugate", node)) return {};
  Value value = owner;
  if (base::is_complex(value.type.dtype)) {
    value.constant.reset();
    value.expression =
        call(Operation::kConjugate, value.type.dtype, {value.expression}, place(context, node));
  }
  return value;
}

// An element's value is already a copy.
Value method_copy(FunctionContext& context, const Value& owner, const SyntaxNode& node) {
  return check_plain_arguments(context, "copy", node) ? owner : Value{};
}

// The two arguments after the first `n_before`, by position or by NumPy's keywords; null where one
// is omitted or None.
std::optional<std::vector<const SyntaxNode*>> clip_bounds(FunctionContext& context,
                                                          const SyntaxNode& node,
                                                          std::size_t n_before) {
  const std::vector<SyntaxNode>& arguments = node.children("args");
  std::vector<const SyntaxNode*> bounds(2, nullptr);
  std::size_t n_given = arguments.size();
  for (std::size_t i = n_before; i < std::min(n_given, n_before + 2); ++i) {
    bounds[i - n_before] = &arguments[i];
  }
  for (const SyntaxNode& keyword : node.children("keywords")) {
    const bool is_lower = keyword.text == "min" || keyword.text == "a_min";
    if (!is_lower && keyword.text != "max" && keyword.text != "a_max") {
      check_plain_arguments(context, "numpy.clip", node);
      return std::nullopt;
    }
    bounds[is_lower ? 0 : 1] = keyword.child("value");
    ++n_given;
  }
  if (n_given < n_before + 1 || n_given > n_before + 2) {
    const std::string shown = text(context, *node.child("func"));
    error(context, node, format("{} takes {} arguments, {} given", shown, n_before + 2, n_given),
          shown + (n_before > 0 ? "(x, y, z)" : "(0, 1)"));
    return std::nullopt;
  }
  for (const SyntaxNode*& bound : bounds) {
    if (bound && is_none(*bound)) bound = nullptr;
  }
  return bounds;
}

// NumPy's clip is the minimum of the upper bound and the maximum of the lower one, in that order.
Value clip(FunctionContext& context, Value number, const std::vector<const SyntaxNode*>& bounds,
           const SyntaxNode& node) {
  const FunctionInfo rows[] = {{"numpy", "maximum", Operation::kMaximum, TypingRule::kSame},
                               {"numpy", "minimum", Operation::kMinimum, TypingRule::kSame}};
  const std::string shown = text(context, *node.child("func"));
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    if (!number.type.is_known() || !check_number(context, number, shown)) return {};
    if (!bounds[i]) continue;
    Value bound = infer(context, *bounds[i]);
    if (!bound.type.is_known() || !check_number(context, bound, shown)) return {};
    if (!check_argument_kinds(context, rows[i], {number, bound}, node)) return {};
    // A zero within the bounds keeps its sign: these functions return the second of two equal
    // zeros, those for float16 the first.
    const bool takes_first = promote(number.type, bound.type).dtype == DType::kFloat16;
    std::vector<Value> pair = {std::move(number), std::move(bound)};
    if (!takes_first) std::swap(pair[0], pair[1]);
    number = numpy_function(context, rows[i], std::move(pair), node);
    number.node = &node;
  }
  return number;
}

Value method_clip(FunctionContext& context, const Value& owner, const SyntaxNode& node) {
  const auto bounds = clip_bounds(context, node, 0);
  return bounds ? clip(context, owner, *bounds, node) : Value{};
}

Value method_round(FunctionContext& context, const Value& owner, const SyntaxNode& node) {
  const auto arguments = scalar_arguments(context, "round", 0, 1, node);
  if (!arguments) return {};
  return numpy_round(context, owner, arguments->empty() ? nullptr : &arguments->front(), node);
}

// Methods of numbers in a kernel.
using Method = Value (*)(FunctionContext& context, const Value& owner, const SyntaxNode& node);

Method find_method(std::string_view name) {
  static constexpr std::pair<std::string_view, Method> kMethods[] = {
      {"astype", method_astype},       {"clip", method_clip}, {"conj", method_conjugate},
      {"conjugate", method_conjugate}, {"copy", method_copy}, {"round", method_round},
      {"view", method_view},
  };
  const auto* const found =
      std::ranges::find(kMethods, name, &std::pair<std::string_view, Method>::first);
  return found == std::end(kMethods) ? nullptr : found->second;
}

}  // namespace

Value call_method(FunctionContext& context, const SyntaxNode& node, const SyntaxNode& attribute) {
  const Method method = find_method(attribute.text);
  if (method == nullptr || !dotted(context, attribute).empty()) {
    return report_not_a_function(context, infer(context, attribute), node);
  }
  Value owner = infer(context, *attribute.child("value"));
  if (!owner.type.is_known()) return {};
  owner.node = attribute.child("value");
  if (owner.type.is_array() && attribute.text == "copy") {
    return check_plain_arguments(context, "copy", node, {"order"})
               ? copied_array(context, owner, node)
               : Value{};
  }
  if (!owner.type.is_scalar()) {
    return report_not_a_function(context, infer(context, attribute), node);
  }
  return method(context, owner, node);
}

std::optional<DType> dtype_argument(FunctionContext& context, const SyntaxNode& node) {
  if (const Binding* binding = find_binding(context, node)) {
    if (binding->kind == Binding::Kind::kDType) return binding->dtype;
    if (const auto dtype = python_dtype(binding->name)) return dtype;
  } else if (node.kind == SyntaxKind::kAttribute && node.text == "dtype") {
    const Value value = infer(context, *node.child("value"));
    if (!value.type.is_known()) return std::nullopt;
    if (!value.type.is_tuple()) return value.type.dtype;
  }
  const std::string name = dotted(context, node);
  if (node.kind == SyntaxKind::kName && !name.empty() && !find_binding(context, node)) {
    report_unknown(context, node);
    return std::nullopt;
  }
  std::string shown = text(context, node);
  const bool is_quoted = shown.starts_with('\'') || shown.starts_with('"');
  if (!is_quoted) shown = format("'{}'", shown);
  error(context, node, shown + " is not a kernel type",
        format("{}, {}, ...", spelling(context, "numpy_plugin", "float32"),
               spelling(context, "numpy_plugin", "int64")));
  return std::nullopt;
}

Value builtin_clip(FunctionContext& context, const std::string&, const SyntaxNode& node) {
  if (!check_starred_arguments(context, node)) return {};
  const auto bounds = clip_bounds(context, node, 1);
  return bounds ? clip(context, infer(context, node.children("args").front()), *bounds, node)
                : Value{};
}

Value numpy_round(FunctionContext& context, const Value& number, const Value* digits,
                  const SyntaxNode& node) {
  const auto* count = digits ? constant_integer(*digits) : nullptr;
  const bool is_after_point = !digits || (count && *count >= 0);
  if (is_integer_or_bool(number.type.dtype) && is_after_point) return number;
  if (digits) return round_to_digits(context, number, *digits, node);
  Value value;
  value.type = number.type;
  value.origin = number.origin;
  value.expression =
      call(Operation::kRint, value.type.dtype, {number.expression}, place(context, node));
  return value;
}

Value builtin_like(FunctionContext& context, const std::string& name, const SyntaxNode& node) {
  const bool is_full = name == "numpy.full_like";
  const bool is_empty = name == "numpy.empty_like";
  const SyntaxNode* const given = find_argument(node, 0, is_empty ? "prototype" : "a");
  if (given != nullptr && n_dimensions(context, *given) > 0) {
    const Value array = infer(context, *given);
    return array.type.is_known() ? new_array_like(context, name, array, node) : Value{};
  }
  if (is_empty) return report_uncallable(context, name, node);
  const int n_arguments = is_full ? 2 : 1;
  const auto arguments = scalar_arguments(context, name, n_arguments, n_arguments, node);
  if (!arguments) return {};
  const InferredType type = InferredType::scalar(arguments->front().type.dtype);
  if (is_full) return explicit_cast(context, (*arguments)[1], type.dtype, node);
  const Value number = constant(context, Int128{name == "numpy.ones_like" ? 1 : 0}, node);
  if (base::is_time(type.dtype)) return explicit_cast(context, number, type.dtype, node);
  Value value;
  value.type = type;
  value.origin = arguments->front().origin;
  value.expression = convert(context, number, type);
  return value;
}

}  // namespace numpy_plugin::declare
