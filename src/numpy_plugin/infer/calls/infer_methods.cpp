// What NumPy's arrays can be asked for element by element: x.astype(np.float32), x.clip(0, 1),
// x.conj(), and the functions of the same meaning. A kernel's numbers answer as an array would, so
// that text written over whole arrays is a kernel as it stands.
#include <algorithm>

#include "numpy_plugin/infer/calls/infer_calls.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

bool is_none(const SyntaxNode& node) {
  return node.kind == SyntaxKind::kConstant && node.text == "NoneType";
}

// The dtype that NumPy makes of Python's own types.
std::optional<DType> python_dtype(std::string_view name) {
  if (name == "builtins.bool") return DType::kBool;
  if (name == "builtins.int") return DType::kInt64;
  if (name == "builtins.float") return DType::kFloat64;
  if (name == "builtins.complex") return DType::kComplex128;
  return std::nullopt;
}

}  // namespace

const std::map<std::string_view, CallInference::Method>& CallInference::methods() {
  using Self = CallInference;
  static const std::map<std::string_view, Method> kMethods = {
      {"astype", &Self::method_astype},  {"clip", &Self::method_clip},
      {"conj", &Self::method_conjugate}, {"conjugate", &Self::method_conjugate},
      {"copy", &Self::method_copy},      {"round", &Self::method_round},
  };
  return kMethods;
}

Value CallInference::call_method(const SyntaxNode& node, const SyntaxNode& attribute) {
  const auto found = methods().find(attribute.text);
  if (found == methods().end() || !dotted(attribute).empty()) {
    return report_not_a_function(infer(attribute), node);
  }
  Value owner = infer(*attribute.child("value"));
  if (!owner.type.is_known()) return {};
  if (!owner.type.is_scalar()) return report_not_a_function(infer(attribute), node);
  owner.node = attribute.child("value");
  return (this->*found->second)(owner, node);
}

// A dtype as an argument: np.float32, npp.float32, float, y.dtype. Says so where it is none.
std::optional<DType> CallInference::dtype_argument(const SyntaxNode& node) {
  if (const Binding* binding = find_binding(node)) {
    if (binding->kind == Binding::Kind::kDType) return binding->dtype;
    if (const auto dtype = python_dtype(binding->name)) return dtype;
  } else if (node.kind == SyntaxKind::kAttribute && node.text == "dtype") {
    const Value value = infer(*node.child("value"));
    if (!value.type.is_known()) return std::nullopt;
    if (!value.type.is_tuple() && !value.type.is_weak) return value.type.dtype;
  }
  const std::string name = dotted(node);
  if (node.kind == SyntaxKind::kName && !name.empty() && !find_binding(node)) {
    report_unknown(node);
    return std::nullopt;
  }
  std::string shown = text(node);
  const bool is_quoted = shown.starts_with('\'') || shown.starts_with('"');
  if (!is_quoted) shown = "'" + shown + "'";
  error(place(node), shown + " is no kernel type",
        spelling("numpy_plugin", "float32") + ", " + spelling("numpy_plugin", "int64") + ", ...");
  return std::nullopt;
}

Value CallInference::method_astype(const Value& owner, const SyntaxNode& node) {
  const std::vector<SyntaxNode>& arguments = node.children("args");
  for (const SyntaxNode& keyword : node.children("keywords")) {
    if (keyword.text == "copy") continue;
    return error(place(keyword), "astype in a kernel has no '" + keyword.text + "'");
  }
  if (arguments.size() != 1) {
    return error(place(node),
                 "astype takes 1 argument, " + std::to_string(arguments.size()) + " given",
                 text(*owner.node) + ".astype(np.float32)");
  }
  const auto dtype = dtype_argument(arguments.front());
  return dtype ? explicit_cast(owner, *dtype, node) : Value{};
}

Value CallInference::method_conjugate(const Value& owner, const SyntaxNode& node) {
  if (!check_plain_arguments("conjugate", node)) return {};
  Value value = owner;
  if (base::is_complex(value.type.dtype)) {
    value.constant.reset();
    value.expression =
        call(Operation::kConjugate, value.type.dtype, {value.expression}, place(node));
  }
  return value;
}

// An element's value is a copy already.
Value CallInference::method_copy(const Value& owner, const SyntaxNode& node) {
  return check_plain_arguments("copy", node) ? owner : Value{};
}

// The two arguments after the first `n_before`, by position or by the keywords that NumPy gives
// them; null where one is left out or None.
std::optional<std::vector<const SyntaxNode*>> CallInference::clip_bounds(const SyntaxNode& node,
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
      check_plain_arguments("numpy.clip", node);
      return std::nullopt;
    }
    bounds[is_lower ? 0 : 1] = keyword.child("value");
    ++n_given;
  }
  if (n_given < n_before + 1 || n_given > n_before + 2) {
    const std::string shown = text(*node.child("func"));
    error(place(node),
          shown + " takes " + std::to_string(n_before + 2) + " arguments, " +
              std::to_string(n_given) + " given",
          shown + (n_before > 0 ? "(x, y, z)" : "(0, 1)"));
    return std::nullopt;
  }
  for (const SyntaxNode*& bound : bounds) {
    if (bound && is_none(*bound)) bound = nullptr;
  }
  return bounds;
}

// NumPy's clip is the minimum of the upper bound and the maximum of the lower one, in that order.
Value CallInference::clip(Value number, const std::vector<const SyntaxNode*>& bounds,
                          const SyntaxNode& node) {
  const FunctionInfo rows[] = {{"numpy", "maximum", Operation::kMaximum, TypingRule::kSame},
                               {"numpy", "minimum", Operation::kMinimum, TypingRule::kSame}};
  const std::string shown = text(*node.child("func"));
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    if (!number.type.is_known() || !check_number(number, shown)) return {};
    if (!bounds[i]) continue;
    Value bound = infer(*bounds[i]);
    if (!bound.type.is_known() || !check_number(bound, shown)) return {};
    if (!check_argument_kinds(rows[i], {number, bound}, node)) return {};
    // A zero within the bounds keeps its sign: these functions take the second of two equal zeros,
    // those of float16 the first.
    const bool takes_first = promote(number.type, bound.type).dtype == DType::kFloat16;
    std::vector<Value> pair = {std::move(number), std::move(bound)};
    if (!takes_first) std::swap(pair[0], pair[1]);
    number = numpy_function(rows[i], std::move(pair), node);
    number.node = &node;
  }
  return number;
}

Value CallInference::method_clip(const Value& owner, const SyntaxNode& node) {
  const auto bounds = clip_bounds(node, 0);
  return bounds ? clip(owner, *bounds, node) : Value{};
}

Value CallInference::builtin_clip(const std::string&, const SyntaxNode& node) {
  if (!check_starred_arguments(node)) return {};
  const auto bounds = clip_bounds(node, 1);
  return bounds ? clip(infer(node.children("args").front()), *bounds, node) : Value{};
}

Value CallInference::method_round(const Value& owner, const SyntaxNode& node) {
  const auto arguments = scalar_arguments("round", 0, 1, node);
  if (!arguments) return {};
  return numpy_round(owner, arguments->empty() ? nullptr : &arguments->front(), node);
}

// To the nearest whole number, or to digits after the point, of the same type.
Value CallInference::numpy_round(const Value& number, const Value* digits, const SyntaxNode& node) {
  const auto* count = digits ? constant_integer(*digits) : nullptr;
  const bool is_after_point = !digits || (count && *count >= 0);
  if (is_whole(number.type.dtype) && is_after_point) return number;
  if (digits) return round_to_digits(number, *digits, node);
  Value value;
  value.type = number.type;
  value.origin = number.origin;
  value.expression = call(Operation::kRint, value.type.dtype, {number.expression}, place(node));
  return value;
}

// numpy.zeros_like(x), ones_like(x), full_like(x, value): a constant of x's type. Of an array they
// make another, which a kernel has only of constant size.
std::string CallInference::array_like_hint(const std::string& name, const SyntaxNode& node) const {
  const std::vector<SyntaxNode>& arguments = node.children("args");
  const bool is_name = !arguments.empty() && arguments.front().kind == SyntaxKind::kName;
  const int variable = is_name ? find_variable(arguments.front().text) : -1;
  const auto type = variable < 0 ? std::nullopt : final_type(variable);
  if (!type || !type->is_array() || kernel_.is_device_kernel()) return "";
  std::string shape = "32";
  for (int axis = 1; axis < type->n_dimensions; ++axis) shape += ", 32";
  if (type->n_dimensions > 1) shape = "(" + shape + ")";
  const std::string call_text = spelling("numpy_plugin", "local_array") + "(" + shape + ", " +
                                spelling("numpy", base::name(type->dtype)) + ")";
  if (name == "numpy.zeros_like" || name == "numpy.empty_like") return call_text;
  const SyntaxNode* value =
      name == "numpy.full_like" ? find_argument(node, 1, "fill_value") : nullptr;
  return "t = " + call_text + ", then t[:] = " + (value ? text(*value) : "1");
}

Value CallInference::builtin_like(const std::string& name, const SyntaxNode& node) {
  const bool is_full = name == "numpy.full_like";
  if (const std::string hint = array_like_hint(name, node); !hint.empty()) {
    return error(place(*node.child("func")),
                 name + " works on whole arrays and cannot be called in a kernel", hint);
  }
  const int n_arguments = is_full ? 2 : 1;
  const auto arguments = scalar_arguments(name, n_arguments, n_arguments, node);
  if (!arguments) return {};
  const InferredType type = InferredType::scalar(arguments->front().type.dtype);
  if (is_full) return explicit_cast((*arguments)[1], type.dtype, node);
  Value value;
  value.type = type;
  value.origin = arguments->front().origin;
  value.expression = convert(constant(Int128{name == "numpy.ones_like" ? 1 : 0}, node), type);
  return value;
}

}  // namespace numpy_plugin::declare
