#include "numpy_plugin/infer/expressions/infer_expressions.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/infer/arrays/array_expressions.hpp"
#include "numpy_plugin/infer/calls/infer_calls.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_arrays.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_operators.hpp"
#include "numpy_plugin/infer/expressions/records.hpp"
#include "numpy_plugin/syntax/functions.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

// "cuda.atomic" for "numpy_plugin.cuda.atomic", as users import it.
std::string short_name(const std::string& module) {
  for (const std::string_view package : {"numpy_plugin.numba.", "numpy_plugin."}) {
    if (module.starts_with(format("{}cuda", package))) return module.substr(package.size());
  }
  return module;
}

struct UnusableExpression {
  SyntaxKind kind;
  std::string_view message;
  std::string_view hint;
};

constexpr UnusableExpression kUnusableExpressions[] = {
    {SyntaxKind::kJoinedStr, "a string in a kernel",
     "a str is allowed only in 'raise' and 'assert'"},
    {SyntaxKind::kTemplateStr, "a string in a kernel",
     "a str is allowed only in 'raise' and 'assert'"},
    {SyntaxKind::kListComp, "a list in a kernel", "add in a 'for' loop"},
    {SyntaxKind::kGeneratorExp, "a generator in a kernel",
     "give it to sum, any, all, min, max or math.prod"},
    {SyntaxKind::kSetComp, "a set in a kernel", ""},
    {SyntaxKind::kDictComp, "a dict in a kernel", "use one variable for each value"},
    {SyntaxKind::kDict, "a dict in a kernel", "use one variable for each value"},
    {SyntaxKind::kSet, "a set in a kernel", ""},
    {SyntaxKind::kYield, "a kernel returns once; 'yield' makes it a generator",
     "return a tuple for several results"},
    {SyntaxKind::kYieldFrom, "a kernel returns once; 'yield' makes it a generator",
     "return a tuple for several results"},
    {SyntaxKind::kAwait, "'await' cannot be used in a kernel", ""},
    {SyntaxKind::kLambda, "a function in a kernel can only be called",
     "give it a name of its own, g = lambda v: v * v, and call it: g(x)"},
};

// NumPy used to export Python's own types.
std::string numpy_type(const std::string& name) {
  if (name == "float" || name == "int") return name + "64";
  return name == "complex" ? "complex128" : "";
}

bool is_function(const Binding& binding) {
  using Kind = Binding::Kind;
  return binding.kind == Kind::kFunction || binding.kind == Kind::kUfunc ||
         binding.kind == Kind::kDeviceFunction || binding.kind == Kind::kPlainFunction ||
         binding.kind == Kind::kExternal;
}

Value infer_constant(FunctionContext& context, const SyntaxNode& node) {
  if (const auto* number = std::get_if<Number>(&node.constant)) {
    if (const auto* is_true = std::get_if<bool>(number)) return boolean(context, *is_true, node);
    return constant(context, *plain_number(*number), node);
  }
  if (node.text == "NoneType") return none(context, node);
  if (node.text == "ellipsis") return error(context, node, "'...' cannot be used in a kernel");
  const std::string what = node.text == "str" ? "a string" : "bytes";
  return error(context, node, what + " in a kernel",
               "use an integer code, or make one ufunc for each case");
}

// The items of a tuple or a list; nullopt after an error.
std::optional<std::vector<Value>> infer_items(FunctionContext& context, const SyntaxNode& node) {
  std::vector<Value> items;
  bool has_error = false;
  for (const SyntaxNode& element : node.children("elts")) {
    if (element.kind == SyntaxKind::kStarred) {
      error(context, element, "'*' in a tuple cannot be used in a kernel", "name every value");
      has_error = true;
      continue;
    }
    items.push_back(infer_optional(context, element));
    items.back().expression = convert(context, items.back(), items.back().type);
  }
  return has_error ? std::nullopt : std::optional(std::move(items));
}

Value infer_tuple(FunctionContext& context, const SyntaxNode& node) {
  const auto items = infer_items(context, node);
  return items ? with_names(tuple_of(context, *items, node), node.text) : Value();
}

// A list of numbers, all in their common type, is as good as a tuple as long as nothing changes it.
Value infer_list(FunctionContext& context, const SyntaxNode& node) {
  if (node.children("elts").empty())
    return error(context, node, "a list in a kernel",
                 format("{}(32, {}) has room for 32 numbers",
                        spelling(context, "numpy_plugin", "local_array"),
                        spelling(context, "numpy", "float64")));
  auto items = infer_items(context, node);
  if (!items) return {};
  const bool are_numbers =
      std::ranges::all_of(*items, [](const Value& each) { return each.type.is_scalar(); });
  if (!are_numbers) return tuple_of(context, *items, node);
  InferredType common = items->front().type;
  for (const Value& each : *items) common = promote(common, each.type);
  for (Value& each : *items) {
    each.expression = convert(context, each, common);
    each.type = common;
    each.constant.reset();
  }
  return tuple_of(context, *items, node);
}

// None where a number, a tuple or an array is needed.
Value report_none(FunctionContext& context, const SyntaxNode& node) {
  if (node.kind == SyntaxKind::kConstant) {
    return error(context, node, "None in a kernel", "use a sentinel such as math.nan or -1");
  }
  const std::string shown = text(context, node);
  if (const Binding* const binding = find_binding(context, node)) {
    return error(context, node, format("'{}' is None", shown),
                 format("set it before {} is declared", shown_function(context)),
                 defined_here(context, *binding, "defined here"));
  }
  return error(context, node, format("'{}' is None here", shown),
               format("if {} is not None:", shown));
}

Value infer_select(FunctionContext& context, const SyntaxNode& node) {
  if (const auto decision = decided(context, *node.child("test"))) {
    return infer_optional(context, *node.child(*decision ? "body" : "orelse"));
  }
  const SyntaxNode& test = *node.child("test");
  Expression decides = condition(context, test);
  Value chosen, other;
  const auto infer_side = [&context, &node, &test](const char* field, Value& value) {
    const SyntaxNode& side = *node.child(field);
    const std::vector<int> excluded = exclude_none(context, test, &side == node.child("body"));
    std::vector<Statement> statements =
        infer_apart(context, side, [&] { value = infer_optional(context, side); });
    allow_none(context, excluded);
    return statements;
  };
  std::vector<Statement> first = infer_side("body", chosen);
  std::vector<Statement> second = infer_side("orelse", other);
  if (!chosen.type.is_known() || !other.type.is_known()) return {};
  Value value = select(context, std::move(decides), chosen, other, node);
  if (!value.type.is_known()) return {};
  value.expression =
      evaluated_apart(context, std::move(value.expression), std::move(first), std::move(second));
  return context.statement.orders_loads ? reusable(context, std::move(value)) : value;
}

// "rate = cfg.rate before the function, and use rate"
std::string outside_hint(const FunctionContext& context, const SyntaxNode& node) {
  return format("{} = {} before the function, and use {}", node.text, text(context, node),
                node.text);
}

Value report_missing_attribute(FunctionContext& context, const Binding& module,
                               const SyntaxNode& node) {
  const std::string owner = text(context, *node.child("value"));
  const std::string home = short_name(module.name);
  std::vector<std::string> names = function_names(home);
  const bool has_constants = home == "math" || home == "cmath" || home == "numpy";
  if (has_constants) names.insert(names.end(), {"pi", "e", "inf", "nan"});
  for (std::string& name : device_names(home)) names.push_back(std::move(name));
  const std::string near = base::nearest(node.text, names);
  std::string hint(device_hint(format("{}.{}", home, node.text)));
  if (home == "numpy" && !numpy_type(node.text).empty()) {
    hint = format("{}.{}", owner, numpy_type(node.text));
  }
  for (const std::string_view name : {"abs", "max", "min", "pow", "round", "sum"}) {
    if (hint.empty() && node.text == name) hint = format("did you mean '{}'?", node.text);
  }
  for (const std::string_view other : {"math", "numpy", "scipy.special"}) {
    if (!hint.empty() || !find_function(format("{}.{}", other, node.text))) continue;
    hint = format("did you mean '{}'?", spelling(context, other, node.text));
  }
  if (hint.empty() && !near.empty()) hint = format("did you mean '{}.{}'?", owner, near);
  return error(context, node, format("{} has no '{}'", home, node.text), hint);
}

// The item of a tuple that has a name: a field's, else one that CUDA's vectors have, x, y, z or w;
// npos for other names.
std::size_t named_item(const InferredType& tuple, const std::string& name) {
  const auto field = std::find(tuple.names.begin(), tuple.names.end(), name);
  if (field != tuple.names.end()) return static_cast<std::size_t>(field - tuple.names.begin());
  const bool is_component = tuple.names.empty() && name.size() == 1;
  return is_component ? std::string_view("xyzw").find(name) : std::string_view::npos;
}

Value report_missing_field(FunctionContext& context, const InferredType& tuple,
                           const SyntaxNode& node) {
  std::string fields;
  for (const std::string& name : tuple.names) fields += (fields.empty() ? "" : ", ") + name;
  return error(context, node, format("{} has no '{}'", describe(tuple), node.text),
               "its fields are " + fields);
}

Value infer_attribute(FunctionContext& context, const SyntaxNode& node) {
  if (const Binding* binding = find_binding(context, node)) {
    return value_of(context, *binding, node);
  }
  const SyntaxNode& owner = *node.child("value");
  if (find_root_binding(context, node)) {
    const Binding* binding = find_binding(context, owner);
    if (binding && binding->kind == Binding::Kind::kModule) {
      return report_missing_attribute(context, *binding, node);
    }
    if (binding && is_function(*binding)) {
      return error(context, node,
                   format("{} has no '{}' in a kernel", text(context, owner), node.text));
    }
    if (binding && binding->kind == Binding::Kind::kOther) {
      return error(context, node,
                   format("'{}' is {}; kernels can use numbers, tuples and arrays",
                          text(context, owner), binding->name),
                   outside_hint(context, node));
    }
  } else if (owner.kind == SyntaxKind::kName && !dotted(context, owner).empty()) {
    return report_unknown(context, owner, "import it at the top of the file, or define it there");
  }
  return attribute_of(context, infer(context, owner), node);
}

Value infer_unusable(FunctionContext& context, const SyntaxNode& node) {
  if (node.kind == SyntaxKind::kList) return infer_list(context, node);
  if (node.kind == SyntaxKind::kYield || node.kind == SyntaxKind::kYieldFrom) {
    context.results.has_error = true;
  }
  if (node.kind == SyntaxKind::kNamedExpr) {
    context.scope.error_names.insert(node.child("target")->text);
    return error(context, node, "':=' cannot be used here in a kernel",
                 format("assign on a line of its own: {} = {}",
                        text(context, *node.child("target")), text(context, *node.child("value"))));
  }
  if (node.kind == SyntaxKind::kStarred) {
    return error(context, node, "'*' cannot be used here in a kernel");
  }
  for (const UnusableExpression& row : kUnusableExpressions) {
    if (row.kind == node.kind) {
      return error(context, node, std::string(row.message), std::string(row.hint));
    }
  }
  return error(context, node, format("'{}' cannot be used in a kernel", text(context, node)));
}

Value infer_any(FunctionContext& context, const SyntaxNode& node) {
  switch (node.kind) {
    case SyntaxKind::kName:
      return infer_name(context, node);
    case SyntaxKind::kConstant:
      return infer_constant(context, node);
    case SyntaxKind::kBinOp:
      return infer_binary(context, node);
    case SyntaxKind::kUnaryOp:
      return infer_unary(context, node);
    case SyntaxKind::kCompare:
      return infer_comparison(context, node);
    case SyntaxKind::kBoolOp:
      return infer_bool_operator(context, node);
    case SyntaxKind::kCall:
      return infer_call(context, node);
    case SyntaxKind::kAttribute:
      return infer_attribute(context, node);
    case SyntaxKind::kSubscript:
      return infer_subscript(context, node);
    case SyntaxKind::kIfExp:
      return infer_select(context, node);
    case SyntaxKind::kTuple:
      return infer_tuple(context, node);
    default:
      return infer_unusable(context, node);
  }
}

}  // namespace

Value infer(FunctionContext& context, const SyntaxNode& node) {
  const OpenNode open(context.kernel);
  if (context.elements != nullptr) {
    const auto found = context.elements->find(&node);
    if (found != context.elements->end()) return found->second;
  }
  if (const auto found = context.held.find(&node); found != context.held.end()) {
    return found->second;
  }
  std::optional<Value> array;
  const bool may_be_array = context.elements == nullptr && context.statement.number != &node;
  if (may_be_array) array = infer_array_expression(context, node);
  Value value = array ? std::move(*array) : infer_any(context, node);
  value.node = &node;
  return value.type.is_none() && context.statement.optional != &node ? report_none(context, node)
                                                                     : value;
}

Value attribute_of(FunctionContext& context, const Value& value, const SyntaxNode& node) {
  if (!value.type.is_known()) return {};
  if (value.type.is_array()) return array_attribute(context, array_in_local(context, value), node);
  if (value.type.is_scalar() && node.text == "real") {
    return complex_part(context, Operation::kReal, value, node);
  }
  if (value.type.is_scalar() && node.text == "imag") {
    return complex_part(context, Operation::kImag, value, node);
  }
  if (value.type.is_record) return record_attribute(context, value, node);
  if (value.type.is_tuple()) {
    const std::size_t named = named_item(value.type, node.text);
    if (named < value.type.items.size()) return item(context, value, named, node);
    if (!value.type.names.empty()) return report_missing_field(context, value.type, node);
  }
  if (value.type.is_scalar() && node.text == "ndim") return constant(context, Int128{0}, node);
  if (value.type.is_scalar() && node.text == "size") return constant(context, Int128{1}, node);
  return error(
      context, node, format("{} has no '{}'", describe(value.type), node.text),
      value.type.is_scalar() && node.text == "shape" ? array_hint(context, value.type) : "");
}

Value infer_optional(FunctionContext& context, const SyntaxNode& node) {
  const SyntaxNode* const outer = std::exchange(context.statement.optional, &node);
  Value value = infer(context, node);
  context.statement.optional = outer;
  return value;
}

Value tuple_of(const FunctionContext& context, const std::vector<Value>& items,
               const SyntaxNode& node) {
  Value value;
  value.node = &node;
  value.type = InferredType::tuple({});
  value.expression = Expression{ExpressionKind::kTuple, {}, place(context, node), {}};
  for (const Value& item : items) {
    if (!item.type.is_known()) return {};
    value.type.items.push_back(item.type);
    value.expression.operands.push_back(item.expression);
  }
  value.expression.type = storage(value.type);
  return value;
}

Value with_names(Value tuple, std::string_view names) {
  if (!tuple.type.is_tuple()) return tuple;
  if (const std::size_t colon = names.find(':'); colon != std::string_view::npos) {
    tuple.type.is_record = true;
    tuple.type.n_dimensions = std::stoi(std::string(names.substr(0, colon)));
    names.remove_prefix(colon + 1);
  }
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find(','));
    tuple.type.names.emplace_back(name);
    names.remove_prefix(std::min(name.size() + 1, names.size()));
  }
  return tuple;
}

Value select(FunctionContext& context, Expression condition, const Value& chosen,
             const Value& other, const SyntaxNode& node) {
  std::optional<InferredType> type;
  if (chosen.type.is_scalar() && other.type.is_scalar()) {
    type = promote(chosen.type, other.type);
  } else {
    type = unify(chosen.type, other.type);
  }
  if (!type) {
    return error(context, node,
                 format("the two sides of 'if' differ: {} and {}", describe(chosen.type),
                        describe(other.type)));
  }
  Value value;
  value.type = *type;
  Expression first = convert(context, chosen, *type);
  Expression second = convert(context, other, *type);
  if (type->is_array()) {
    first.type = second.type = storage(*type);
    first = as_view(std::move(first));
    second = as_view(std::move(second));
  }
  value.expression = Expression{ExpressionKind::kSelect,
                                storage(*type),
                                place(context, node),
                                {std::move(condition), std::move(first), std::move(second)}};
  Origin origin;
  origin.place = place(context, node);
  origin.message = format("{} is {}", text(context, node), describe(*type));
  return with_origin(std::move(value), {&chosen, &other}, std::move(origin));
}

Value complex_part(FunctionContext& context, Operation operation, const Value& number,
                   const SyntaxNode& node) {
  Value value;
  value.origin = number.origin;
  const DType dtype = real_dtype(number.type.dtype);
  value.type = number.type.is_weak ? InferredType::weak(dtype) : InferredType::scalar(dtype);
  if (base::is_complex(number.type.dtype)) {
    value.expression = call(operation, dtype, {number.expression}, place(context, node));
  } else if (operation == Operation::kReal) {
    return number;
  } else {
    value.expression = convert(context, constant(context, Int128{0}, node), value.type);
  }
  return value;
}

Value infer_listed(FunctionContext& context, const SyntaxNode& node) {
  return node.kind == SyntaxKind::kList ? infer_tuple(context, node) : infer(context, node);
}

}  // namespace numpy_plugin::declare
