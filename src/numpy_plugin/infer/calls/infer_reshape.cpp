// a.reshape(2, -1), np.ravel(a): as NumPy's, a view where the elements are evenly spaced in C
// order, and a copy of others.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/infer/arrays/element_loop.hpp"
#include "numpy_plugin/infer/arrays/new_arrays.hpp"
#include "numpy_plugin/infer/calls/infer_calls.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_arrays.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;
using Expressions = std::vector<Expression>;

bool is_constant(const Expression& size) { return size.kind == ExpressionKind::kConstant; }

std::int64_t value_of(const Expression& size) {
  return std::get<std::int64_t>(detail<ConstantValue>(size));
}

// Constants are multiplied here.
Expression product(const Expressions& sizes, const SourceSpan& where) {
  std::int64_t known = 1;
  std::optional<Expression> result;
  for (const Expression& size : sizes) {
    if (is_constant(size)) {
      known *= value_of(size);
    } else {
      result = result ? call(Operation::kMultiply, DType::kInt64, {*std::move(result), size}, where)
                      : size;
    }
  }
  if (!result) return int64_constant(known, where);
  if (known == 1) return *std::move(result);
  return call(Operation::kMultiply, DType::kInt64,
              {*std::move(result), int64_constant(known, where)}, where);
}

// Of an array in a local; constants where they are known.
Expressions shape_of(const FunctionContext& context, const Value& array, const SyntaxNode& node) {
  Expressions sizes;
  for (int axis = 0; axis < array.type.n_dimensions; ++axis) {
    const std::int64_t known = array.type.size(axis);
    sizes.push_back(
        known >= 0 ? int64_constant(known, place(context, node))
                   : array_size(context, *read_local(array.expression), axis, node).expression);
  }
  return sizes;
}

// The sizes as they are given, each evaluated once; nullopt after an error.
std::optional<Expressions> given_sizes(FunctionContext& context, const SyntaxNode& shape) {
  const Value whole = infer_shape(context, shape);
  if (!whole.type.is_known()) return std::nullopt;
  const std::size_t n = whole.type.is_tuple() ? whole.type.items.size() : 1;
  Expressions sizes;
  for (std::size_t i = 0; i < n; ++i) {
    const bool has_nodes = shape.kind == SyntaxKind::kTuple;
    const SyntaxNode& node = has_nodes ? shape.children("elts")[i] : shape;
    Value size = whole.type.is_tuple() ? item(context, whole, i, node) : whole;
    if (!size.type.is_scalar() || !base::is_integer(size.type.dtype)) {
      error(context, node, "the size of an array must be an integer, found " + describe(size.type),
            index_hint(context, size, node));
      return std::nullopt;
    }
    const InferredType type = InferredType::scalar(DType::kInt64);
    size.expression = convert(context, size, type);
    size.type = type;
    sizes.push_back(in_local(context, std::move(size), /*even_plain_reads=*/true).expression);
  }
  if (!sizes.empty()) return sizes;
  error(context, shape, "an array has 1 to 64 dimensions, found 0");
  return std::nullopt;
}

// Gives the size that is -1 what is left for it; false after an error.
bool complete(FunctionContext& context, Expressions& sizes, const Expression& n_elements,
              const SyntaxNode& node) {
  const auto is_open = [](const Expression& size) {
    return is_constant(size) && value_of(size) < 0;
  };
  const auto open = std::find_if(sizes.begin(), sizes.end(), is_open);
  if (open == sizes.end()) return true;
  if (std::count_if(sizes.begin(), sizes.end(), is_open) > 1 || value_of(*open) != -1) {
    error(context, node, "one size of a shape may be -1, the others are at least 0");
    return false;
  }
  *open = int64_constant(1, open->place);
  Expression others = product(sizes, open->place);
  if (is_constant(n_elements) && is_constant(others)) {
    *open = int64_constant(value_of(n_elements) / std::max<std::int64_t>(value_of(others), 1),
                           open->place);
    return true;
  }
  Value rest;
  rest.node = &node;
  rest.type = InferredType::scalar(DType::kInt64);
  rest.expression = is_constant(others) && value_of(others) == 1
                        ? n_elements
                        : call(Operation::kFloorDivide, DType::kInt64,
                               {n_elements, std::move(others)}, place(context, node));
  *open = in_local(context, std::move(rest)).expression;
  return true;
}

// Raises where the sizes have another product than those of the array, or one is negative.
bool check_sizes(FunctionContext& context, const Expressions& sizes, const Expression& n_elements,
                 const SyntaxNode& node) {
  const SourceSpan where = place(context, node);
  const Expression n_given = product(sizes, where);
  std::string shape, shown;
  Expressions values = {n_elements};
  for (const Expression& size : sizes) {
    shape += shape.empty() ? "{}" : ",{}";
    shown +=
        (shown.empty() ? "" : ",") + (is_constant(size) ? std::to_string(value_of(size)) : "?");
    values.push_back(size);
  }
  if (is_constant(n_given) && is_constant(n_elements)) {
    if (value_of(n_given) == value_of(n_elements)) return true;
    error(context, node,
          format("cannot reshape array of size {} into shape ({}{})", value_of(n_elements), shown,
                 sizes.size() == 1 ? "," : ""));
    return false;
  }
  Expression differs = call(Operation::kNotEqual, DType::kBool, {n_given, n_elements}, where);
  for (const Expression& size : sizes) {
    if (is_constant(size)) continue;
    Expression is_negative =
        call(Operation::kLess, DType::kBool, {size, int64_constant(0, where)}, where);
    differs = {ExpressionKind::kOr,
               ValueType::scalar(DType::kBool),
               where,
               {std::move(differs), std::move(is_negative)}};
  }
  if (values.size() > kMaxMessageValues) {
    values.resize(1);
    shape = shown;
  }
  raise_where(context, std::move(differs),
              format("cannot reshape array of size {} into shape ({}{})", "{}", shape,
                     sizes.size() == 1 ? "," : ""),
              std::move(values), node);
  return true;
}

// Whether an array's elements are evenly spaced in C order, whatever the call's operands are.
bool is_evenly_spaced(const FunctionContext& context, const Value& array) {
  if (array.type.n_dimensions == 1) return true;
  return array.expression.kind == ExpressionKind::kLocal &&
         context.scope.storage_of(*read_local(array.expression)).kind != ArrayStorage::Kind::kView;
}

}  // namespace

// reshaped(a, shape)
Value builtin_reshaped(FunctionContext& context, const std::string&, const SyntaxNode& node) {
  const std::vector<SyntaxNode>& arguments = node.children("args");
  Value array = infer(context, arguments.front());
  if (!array.type.is_known()) return {};
  if (!array.type.is_array()) {
    return error(context, arguments.front(),
                 format("{} is {}, not an array", text(context, arguments.front()),
                        with_article(array.type)));
  }
  array = array_in_local(context, std::move(array));
  const SourceSpan where = place(context, node);
  auto sizes = given_sizes(context, arguments.back());
  const Expressions own = shape_of(context, array, node);
  const Expression n_elements = product(own, where);
  if (!sizes || !complete(context, *sizes, n_elements, node) ||
      !check_sizes(context, *sizes, n_elements, node)) {
    return {};
  }
  Value result;
  result.node = &node;
  result.type = InferredType::array(array.type.dtype, static_cast<int>(sizes->size()),
                                    array.type.is_read_only);
  for (const Expression& size : *sizes) result.type.sizes.push_back(known_size(context, size));
  result.expression = {ExpressionKind::kReshape, storage(result.type), where, {array.expression}};
  Expressions& operands = result.expression.operands;
  std::move(sizes->begin(), sizes->end(), std::back_inserter(operands));
  if (is_evenly_spaced(context, array)) return result;
  const Value copy = viewed_array(context, array.type, own, node);
  if (!copy.type.is_known()) return {};
  operands.push_back(as_view(copy.expression));
  return array_in_local(context, std::move(result));
}

}  // namespace numpy_plugin::declare
