#include "numpy_plugin/infer/calls/infer_calls.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "numpy_plugin/infer/arrays/array_expressions.hpp"
#include "numpy_plugin/infer/arrays/new_arrays.hpp"
#include "numpy_plugin/infer/calls/call_arguments.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_arrays.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"
#include "numpy_plugin/infer/expressions/infer_operators.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

constexpr const char* kNegative = "negative dimensions are not allowed";

std::string function_text(const FunctionContext& context, const SyntaxNode& node) {
  return text(context, *node.child("func"));
}

std::optional<std::int64_t> constant_size(const Expression& size) {
  if (size.kind != ExpressionKind::kConstant) return std::nullopt;
  return std::get<std::int64_t>(detail<ConstantValue>(size));
}

// Of an array whose sizes are constants; else none.
std::vector<std::int64_t> known_sizes(const FunctionContext& context, int array) {
  const bool is_argument = static_cast<std::size_t>(array) < context.task.arguments.size();
  return is_argument ? std::vector<std::int64_t>() : context.scope.storage_of(array).sizes;
}

// A size that is evaluated once. Raises for a negative one.
std::optional<Expression> extent(FunctionContext& context, Value size, const SyntaxNode& node) {
  if (!size.type.is_known()) return std::nullopt;
  if (!size.type.is_scalar() || !base::is_integer(size.type.dtype)) {
    error(context, node, "the size of an array must be an integer, found " + describe(size.type),
          index_hint(context, size, node));
    return std::nullopt;
  }
  size.expression = convert(context, size, InferredType::scalar(DType::kInt64));
  size.type = InferredType::scalar(DType::kInt64);
  if (const auto constant = constant_size(size.expression)) {
    if (*constant >= 0) return size.expression;
    error(context, node, kNegative);
    return std::nullopt;
  }
  if (size.expression.kind == ExpressionKind::kArraySize) {
    const auto& [array, axis] = detail<ArraySize>(size.expression);
    const std::vector<std::int64_t> known = known_sizes(context, array);
    if (known.empty()) return size.expression;
    return int64_constant(known[static_cast<std::size_t>(axis)], size.expression.place);
  }
  size = in_local(context, std::move(size), /*even_plain_reads=*/true);
  const SourceSpan where = place(context, node);
  Expression zero = int64_constant(0, where);
  Statement test{StatementKind::kIf, where, 0, {}, {}, {}, {}, {}};
  test.value = call(Operation::kLess, DType::kBool, {size.expression, std::move(zero)}, where);
  test.body.push_back(raised(context, node, "ValueError", kNegative));
  add_statement(context, std::move(test));
  return size.expression;
}

std::optional<std::vector<Expression>> extents(FunctionContext& context, const SyntaxNode& shape) {
  const Value whole = infer_shape(context, shape);
  if (!whole.type.is_known()) return std::nullopt;
  std::vector<Expression> sizes;
  if (!whole.type.is_tuple()) {
    auto size = extent(context, whole, shape);
    if (!size) return std::nullopt;
    return std::vector{std::move(*size)};
  }
  if (whole.type.items.empty()) {
    error(context, shape, "an array has 1 to 64 dimensions, found 0");
    return std::nullopt;
  }
  for (std::size_t i = 0; i < whole.type.items.size(); ++i) {
    const bool has_nodes = shape.kind == SyntaxKind::kTuple;
    const SyntaxNode& node = has_nodes ? shape.children("elts")[i] : shape;
    auto size = extent(context, item(context, whole, i, node), node);
    if (!size) return std::nullopt;
    sizes.push_back(std::move(*size));
  }
  return sizes;
}

// One int64 per dimension of an array in a local.
std::vector<Expression> sizes_of(const FunctionContext& context, const Value& array,
                                 const SyntaxNode& node) {
  std::vector<Expression> sizes;
  for (int axis = 0; axis < array.type.n_dimensions; ++axis) {
    sizes.push_back(array_size(context, *read_local(array.expression), axis, node).expression);
  }
  return sizes;
}

// Elements have one order: no operation of a kernel can tell.
bool check_order(FunctionContext& context, const SyntaxNode* order) {
  if (order == nullptr) return true;
  const std::string shown = text(context, *order);
  const std::string letter = shown.size() == 3 ? shown.substr(1, 1) : "";
  if (!letter.empty() && std::string("CFAK").find(letter) != std::string::npos) return true;
  error(context, *order, format("order must be one of 'C', 'F', 'A', or 'K' (got {})", shown));
  return false;
}

// False after an error.
bool read_dtype(FunctionContext& context, const SyntaxNode* node, std::optional<DType>& dtype) {
  if (node == nullptr || is_none(*node)) return true;
  dtype = dtype_argument(context, *node);
  return dtype.has_value();
}

// Elements of a new array: undefined, or a number.
struct Filling {
  std::optional<Value> number;  // in a local, or a constant
  DType dtype = DType::kFloat64;
};

// The number is evaluated before the array exists.
std::optional<Filling> filling(FunctionContext& context, std::string_view kind,
                               const SyntaxNode* number, std::optional<DType> dtype,
                               const SyntaxNode& node) {
  Filling result;
  if (kind.starts_with("full")) {
    Value value = infer(context, *number);
    if (!value.type.is_known() || !check_number(context, value, function_text(context, node))) {
      return std::nullopt;
    }
    result.dtype = dtype.value_or(value.type.dtype);
    value = explicit_cast(context, value, result.dtype, *number);
    result.number = in_local(context, std::move(value), /*even_plain_reads=*/true);
    return result;
  }
  result.dtype = dtype.value_or(DType::kFloat64);
  if (kind.starts_with("empty")) return result;
  const Int128 one_or_zero = kind.starts_with("ones") ? 1 : 0;
  Value value = constant(context, one_or_zero, node);
  value.expression = base::is_time(result.dtype)
                         ? explicit_cast(context, value, result.dtype, node).expression
                         : convert(context, value, InferredType::scalar(result.dtype));
  result.number = std::move(value);
  return result;
}

Value filled(FunctionContext& context, Value array, const Filling& filling,
             const SyntaxNode& node) {
  if (!array.type.is_known() || !filling.number) return array;
  evaluate(context, Expression{ExpressionKind::kFillElements,
                               {},
                               place(context, node),
                               {as_view(array.expression), filling.number->expression}});
  return array;
}

}  // namespace

Value builtin_new_array(FunctionContext& context, const std::string& name, const SyntaxNode& node) {
  const std::string kind = name.substr(name.find('.') + 1);
  const std::size_t n_before = kind == "full" ? 2 : 1;
  std::vector<std::string> keywords = {"shape", "dtype", "order"};
  if (kind == "full") keywords.push_back("fill_value");
  const SyntaxNode* const shape = find_argument(node, 0, "shape");
  const SyntaxNode* const number = find_argument(node, 1, "fill_value");
  if (!check_plain_arguments(context, name, node, keywords)) return {};
  const bool is_complete = shape != nullptr && (kind != "full" || number != nullptr);
  if (!is_complete || node.children("args").size() > n_before + 2) {
    return error(context, node,
                 format("{} takes a shape{} and a dtype", function_text(context, node),
                        kind == "full" ? ", a number" : ""),
                 function_text(context, node) + (kind == "full" ? "(n, 0.0)" : "(n)"));
  }
  std::optional<DType> dtype;
  if (!read_dtype(context, find_argument(node, n_before, "dtype"), dtype) ||
      !check_order(context, find_argument(node, n_before + 1, "order"))) {
    return {};
  }
  auto sizes = extents(context, *shape);
  if (!sizes) return {};
  const auto elements = filling(context, kind, number, dtype, node);
  if (!elements) return {};
  const InferredType type =
      InferredType::array(elements->dtype, static_cast<int>(sizes->size()), false, {});
  return filled(context, new_array(context, type, std::move(*sizes), node), *elements, node);
}

Value new_array_like(FunctionContext& context, const std::string& name, const Value& array,
                     const SyntaxNode& node) {
  const std::string kind = name.substr(name.find('.') + 1);
  const std::size_t n_before = kind == "full_like" ? 2 : 1;
  std::vector<std::string> keywords = {"a", "prototype", "dtype", "order", "fill_value"};
  if (kind != "full_like") keywords.pop_back();
  const SyntaxNode* const number = find_argument(node, 1, "fill_value");
  std::optional<DType> dtype;
  if (!check_plain_arguments(context, name, node, keywords) ||
      !read_dtype(context, find_argument(node, n_before, "dtype"), dtype) ||
      !check_order(context, find_argument(node, n_before + 1, "order"))) {
    return {};
  }
  if (kind == "full_like" && number == nullptr) {
    return error(context, node, function_text(context, node) + " takes an array and a number",
                 function_text(context, node) + "(a, 0.0)");
  }
  const Value like = array_in_local(context, array);
  const auto elements = filling(context, kind, number, dtype.value_or(array.type.dtype), node);
  if (!elements) return {};
  InferredType type = array.type;
  type.dtype = elements->dtype;
  return filled(context, new_array(context, type, sizes_of(context, like, node), node), *elements,
                node);
}

Value copied_array(FunctionContext& context, const Value& array, const SyntaxNode& node,
                   std::optional<DType> dtype) {
  const Value source = array_in_local(context, array);
  InferredType type = array.type;
  type.dtype = dtype.value_or(type.dtype);
  if (drops_imaginary_part(type.dtype, array.type.dtype)) {
    return error(context, node,
                 format("{} is {}; as {} its imaginary part is lost", text(context, *array.node),
                        base::name(array.type.dtype), base::name(type.dtype)),
                 inner_text(context, *array.node) + ".real");
  }
  Value copy = new_array(context, type, sizes_of(context, source, node), node);
  if (!copy.type.is_known()) return {};
  evaluate(context, Expression{ExpressionKind::kCopyElements,
                               {},
                               place(context, node),
                               {as_view(copy.expression), source.expression}});
  return copy;
}

namespace {

void store_item(FunctionContext& context, const Value& array, std::size_t number,
                const Value& item) {
  Statement store{StatementKind::kStore,
                  item.expression.place,
                  *read_local(array.expression),
                  {},
                  {},
                  {},
                  {},
                  {}};
  auto rest = static_cast<std::int64_t>(number);
  for (std::size_t axis = array.type.sizes.size(); axis-- > 0;) {
    const std::int64_t index = rest % array.type.sizes[axis];
    rest /= array.type.sizes[axis];
    store.indices.insert(store.indices.begin(), int64_constant(index, item.expression.place));
  }
  store.value = item.expression;
  add_statement(context, std::move(store));
}

// An array of numbers that are evaluated before.
Value array_of(FunctionContext& context, const ArrayDisplay& display, std::optional<DType> dtype,
               const SyntaxNode& node) {
  const DType common = dtype.value_or(common_dtype(display));
  std::vector<Value> items;
  for (const Value& element : display.elements) {
    items.push_back(explicit_cast(context, element, common, node));
    if (!items.back().type.is_known()) return {};
  }
  std::vector<Expression> sizes;
  for (const std::int64_t size : display.sizes) {
    sizes.push_back(int64_constant(size, place(context, node)));
  }
  const int n_dimensions = static_cast<int>(sizes.size());
  const InferredType type = InferredType::array(common, n_dimensions, false, display.sizes);
  Value array = new_array(context, type, std::move(sizes), node);
  if (!array.type.is_known()) return {};
  for (std::size_t i = 0; i < items.size(); ++i) store_item(context, array, i, items[i]);
  return array;
}

}  // namespace

Value array_of_items(FunctionContext& context, const Value& tuple) {
  const auto display = array_display(context, tuple);
  return display ? array_of(context, *display, {}, *tuple.node) : Value();
}

namespace {

void hold(FunctionContext& context, const SyntaxNode& node, const std::string& name,
          const Value& value) {
  if (node.kind == SyntaxKind::kName && node.text == name) {
    context.held[&node] = value;
    context.held[&node].node = &node;
  }
  for (const auto& [field, children] : node.fields) {
    for (const SyntaxNode& child : children) hold(context, child, name, value);
  }
}

}  // namespace

// vector(expression, operands...): the array of an expression in which "<0>", "<1>", ... stand for
// the operands, also in operands after them.
Value builtin_held(FunctionContext& context, const std::string&, const SyntaxNode& node) {
  const std::vector<SyntaxNode>& arguments = node.children("args");
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const Value value = in_local(context, infer(context, arguments[i]));
    if (!value.type.is_known()) return {};
    const std::string name = format("<{}>", i - 1);
    hold(context, arguments.front(), name, value);
    for (std::size_t j = i + 1; j < arguments.size(); ++j) {
      hold(context, arguments[j], name, value);
    }
  }
  return infer(context, arguments.front());
}

// numpy.copy(a), numpy.array(a), numpy.asarray(a) and numpy.ascontiguousarray(a), which is an array
// of any strides itself: of an array, of numbers in lists and tuples, or of a number, which stays
// one.
Value builtin_copy(FunctionContext& context, const std::string& name, const SyntaxNode& node) {
  const SyntaxNode* const given = find_argument(node, 0, name == "numpy.array" ? "object" : "a");
  if (given == nullptr) return report_uncallable(context, name, node);
  const bool takes_dtype = name != "numpy.copy";
  std::vector<std::string> keywords = {"a", "object", "order"};
  if (takes_dtype) keywords.insert(keywords.end(), {"dtype", "copy"});
  std::optional<DType> dtype;
  if (!check_plain_arguments(context, name, node, keywords) ||
      !check_argument_count(context, 0, takes_dtype ? 2 : 1, node, "(a)") ||
      !check_order(context, find_keyword(node, "order")) ||
      (takes_dtype && !read_dtype(context, find_argument(node, 1, "dtype"), dtype))) {
    return {};
  }
  if (given->kind == SyntaxKind::kList || given->kind == SyntaxKind::kTuple) {
    const auto display = array_display(context, *given);
    return display ? array_of(context, *display, dtype, node) : Value();
  }
  Value value = infer(context, *given);
  if (!value.type.is_known()) return {};
  if (value.type.is_tuple()) {
    const auto display = array_display(context, value);
    return display ? array_of(context, *display, dtype, node) : Value();
  }
  if (value.type.is_scalar()) {  // an array of 0 dimensions
    return explicit_cast(context, value, dtype.value_or(value.type.dtype), node);
  }
  if (!value.type.is_array()) return report_uncallable(context, name, node);
  const bool may_be_same = name == "numpy.asarray" || name == "numpy.ascontiguousarray";
  const bool is_same = may_be_same && dtype.value_or(value.type.dtype) == value.type.dtype;
  return is_same ? value : copied_array(context, value, node, dtype);
}

}  // namespace numpy_plugin::declare
