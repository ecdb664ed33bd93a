#include "numpy_plugin/infer/expressions/infer_arrays.hpp"

#include <algorithm>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/infer/arrays/array_expressions.hpp"
#include "numpy_plugin/infer/arrays/selections.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"
#include "numpy_plugin/infer/expressions/records.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

bool is_shape(const SyntaxNode& node) {
  return node.kind == SyntaxKind::kAttribute && node.text == "shape";
}

Value shape_of(const FunctionContext& context, const Value& array, const SyntaxNode& node) {
  std::vector<Value> sizes;
  for (int axis = 0; axis < array.type.n_dimensions; ++axis) {
    const int local = detail<LocalReference>(array.expression).local;
    sizes.push_back(array_size(context, local, axis, node));
  }
  return tuple_of(context, sizes, node);
}

// In debug mode, an index out of range raises as in Python.
void check_tuple_index(FunctionContext& context, const Expression& index, std::int64_t size,
                       const SyntaxNode& node) {
  if (!context.syntax.checks_bounds) return;
  const SourceSpan where = place(context, node);
  const auto compare = [&](Operation operation, std::int64_t bound) {
    return call(operation, DType::kBool, {index, int64_constant(bound, where)}, where);
  };
  Statement test{StatementKind::kIf, where, 0, {}, {}, {}, {}, {}};
  test.value =
      Expression{ExpressionKind::kOr,
                 ValueType::scalar(DType::kBool),
                 where,
                 {compare(Operation::kLess, -size), compare(Operation::kGreaterEqual, size)}};
  test.body.push_back(raised(context, node, "IndexError", "tuple index out of range"));
  add_statement(context, std::move(test));
}

// Whether an index that varies can select among the types: one scalar type, or tuples of one length
// whose items can be selected in turn.
bool is_uniform(const std::vector<InferredType>& types) {
  const auto is_first = [&](const InferredType& type) { return type == types.front(); };
  if (types.empty() || !std::all_of(types.begin(), types.end(), is_first)) return false;
  const InferredType& first = types.front();
  return first.is_scalar() ||
         (first.is_tuple() && !first.items.empty() &&
          std::all_of(first.items.begin(), first.items.end(),
                      [](const InferredType& type) { return is_uniform({type}); }));
}

// A position in a tuple that varies.
struct VaryingPosition {
  Value index;
  std::int64_t size;
  const SyntaxNode& node;

  Expression is_at(FunctionContext& context, std::int64_t number) const {
    Expression constant = int64_constant(number, place(context, node));
    return call(Operation::kEqual, DType::kBool,
                {convert(context, index, InferredType::scalar(DType::kInt64)), std::move(constant)},
                place(context, node));
  }
  // Counted from either end.
  Expression is_item(FunctionContext& context, std::int64_t number) const {
    return Expression{ExpressionKind::kOr,
                      ValueType::scalar(DType::kBool),
                      place(context, node),
                      {is_at(context, number), is_at(context, number - size)}};
  }
};

// The item at a position, selected by comparing it with each number; the last one otherwise.
Value selected(FunctionContext& context, const std::vector<Value>& items,
               const VaryingPosition& position) {
  Value result = items.back();
  if (result.type.is_tuple()) {
    std::vector<Value> parts;
    for (std::size_t part = 0; part < result.type.items.size(); ++part) {
      std::vector<Value> column;
      for (const Value& row : items) column.push_back(item(context, row, part, position.node));
      parts.push_back(selected(context, column, position));
    }
    return tuple_of(context, parts, position.node);
  }
  result.constant.reset();
  for (std::size_t i = items.size() - 1; i-- > 0;) {
    Expression chosen = items[i].expression;
    result.expression = Expression{ExpressionKind::kSelect,
                                   storage(result.type),
                                   place(context, position.node),
                                   {position.is_item(context, static_cast<std::int64_t>(i)),
                                    std::move(chosen), std::move(result.expression)}};
  }
  return result;
}

Value tuple_item_at_run_time(FunctionContext& context, const Value& tuple, const Value& index,
                             const SyntaxNode& node) {
  const std::vector<InferredType>& types = tuple.type.items;
  if (!is_uniform(types)) {
    return error(context, *index.node, "a tuple of different types needs a constant index",
                 "use if / elif, or " + spelling(context, "numpy_plugin", "local_array"));
  }
  const Value source = reusable(context, tuple);
  const auto size = static_cast<std::int64_t>(types.size());
  const VaryingPosition position = {
      context.syntax.checks_bounds ? in_local(context, index) : reusable(context, index), size,
      node};
  const InferredType index_type = InferredType::scalar(DType::kInt64);
  check_tuple_index(context, convert(context, position.index, index_type), size, node);
  std::vector<Value> items;
  for (std::size_t i = 0; i < types.size(); ++i) items.push_back(item(context, source, i, node));
  return selected(context, items, position);
}

void report_index_type(FunctionContext& context, const Value& value, const SyntaxNode& node) {
  const std::string message = "an index must be an integer, ";
  const int variable = context.scope.find(node);
  if (variable < 0 || !value.type.is_scalar()) {
    error(context, node, format("{}found {}", message, describe(value.type)),
          index_hint(context, value, node));
    return;
  }
  std::vector<Note> notes;
  std::string hint = format("int({})", node.text);
  const std::vector<Assignment>& assignments = context.scope.variable(variable).assignments;
  for (const Assignment& assignment : assignments) {
    if (assignment.type.dtype != value.type.dtype) continue;
    notes.push_back({format("{} is {} here", node.text, describe(value.type)), assignment.target});
    if (assignment.value)
      hint = format("{} = int({})", node.text, text(context, *assignment.value));
    break;
  }
  error(context, node, message + node.text + " is " + describe(value.type), hint, notes);
  context.scope.variable(variable).has_error = true;
}

Value tuple_item(FunctionContext& context, const Value& tuple, const SyntaxNode& node) {
  const SyntaxNode& slice = *node.child("slice");
  if (slice.kind == SyntaxKind::kSlice) {
    const std::string name = inner_text(context, *node.child("value"));
    return error(context, node, "a slice of a tuple in a kernel",
                 format("name its items: {}[0], {}[1]", name, name));
  }
  const auto known = known_integer(context, slice);
  const Value index = known ? constant(context, *known, slice) : infer(context, slice);
  if (!index.type.is_known()) return {};
  if (!index.type.is_scalar() || !base::is_integer(index.type.dtype)) {
    report_index_type(context, index, slice);
    return {};
  }
  if (!index.constant) return tuple_item_at_run_time(context, tuple, index, node);
  const auto size = static_cast<Int128>(tuple.type.items.size());
  const auto* integer = std::get_if<Int128>(&*index.constant);
  if (!integer || *integer >= size || *integer < -size) {
    return error(context, slice,
                 format("index {} is outside {}, {}", text(context, slice),
                        inner_text(context, *node.child("value")), describe(tuple.type)));
  }
  const Int128 position = *integer < 0 ? *integer + size : *integer;
  return item_value(context, tuple, static_cast<std::size_t>(position), node);
}

Value shape_item(FunctionContext& context, const SyntaxNode& array_node, const Value& array,
                 const SyntaxNode& node) {
  const SyntaxNode& slice = *node.child("slice");
  const std::string first = text(context, array_node) + ".shape[0]";
  const bool is_unknown = slice.kind == SyntaxKind::kName && context.scope.find(slice) < 0 &&
                          find_binding(context, slice) == nullptr &&
                          !context.scope.error_names.contains(slice.text);
  if (is_unknown) return report_unknown(context, slice, first);
  const auto index = integer_index(context, slice);
  if (!index) return {};
  const int n_dimensions = array.type.n_dimensions;
  const auto* number = constant_integer(*index);
  if (!number) return tuple_item_at_run_time(context, shape_of(context, array, node), *index, node);
  const Int128 axis = *number < 0 ? *number + n_dimensions : *number;
  if (axis >= 0 && axis < n_dimensions) {
    const int local = detail<LocalReference>(array.expression).local;
    return array_size(context, local, static_cast<int>(axis), node);
  }
  std::string shapes;
  for (int i = 0; i < n_dimensions; ++i) {
    shapes += format("{}shape[{}]", i == 0 ? "" : i + 1 == n_dimensions ? " and " : ", ", i);
  }
  return error(context, slice,
               format("{} has {}: {}", text(context, array_node),
                      base::counted(n_dimensions, "dimension"), shapes));
}

const SyntaxNode* find_slice(const std::vector<const SyntaxNode*>& nodes) {
  const auto found = std::find_if(nodes.begin(), nodes.end(),
                                  [](const SyntaxNode* node) { return is_slice(*node); });
  return found == nodes.end() ? nullptr : *found;
}

Value array_element(FunctionContext& context, const Value& array, const SyntaxNode& node) {
  auto positions = indices(context, array, node);
  if (!positions) return {};
  const int owner = element_owner(context, array, *positions);
  Value value = array_load(context, array.type.dtype, owner, std::move(*positions), node);
  return context.statement.orders_loads ? reusable(context, std::move(value)) : value;
}

}  // namespace

Value item(const FunctionContext& context, const Value& tuple, std::size_t index,
           const SyntaxNode& node) {
  Value value;
  value.node = &node;
  value.type = tuple.type.items[index];
  if (tuple.expression.kind == ExpressionKind::kTuple) {
    value.expression = tuple.expression.operands[index];
    return value;
  }
  value.expression = Expression{ExpressionKind::kTupleItem,
                                storage(value.type),
                                place(context, node),
                                {tuple.expression},
                                TupleItem{static_cast<int>(index)}};
  return value;
}

std::optional<Int128> constant_index(FunctionContext& context, const SyntaxNode& node) {
  if (const auto known = known_integer(context, node)) return known;
  const Value value = infer(context, node);
  const auto* integer = constant_integer(value);
  return integer ? std::optional<Int128>(*integer) : std::nullopt;
}

Value infer_subscript(FunctionContext& context, const SyntaxNode& node) {
  const SyntaxNode& owner = *node.child("value");
  Value value;
  if (is_shape(owner) && dotted(context, owner).empty()) {
    const Value array = infer(context, *owner.child("value"));
    if (!array.type.is_known()) return {};
    if (array.type.is_array()) {
      return shape_item(context, *owner.child("value"), array_in_local(context, array), node);
    }
    value = attribute_of(context, array, owner);
    value.node = &owner;
  } else {
    value = infer(context, owner);
  }
  if (!value.type.is_known()) return {};
  if (value.type.is_records()) return record_part(context, value, node);
  if (value.type.is_tuple()) return tuple_item(context, value, node);
  if (value.type.is_array()) {
    if (context.elements == nullptr && !index_arrays(context, node).empty()) {
      return selected_part(context, value, node);
    }
    return is_part(context, value, node) ? array_part(context, value, node)
                                         : array_element(context, value, node);
  }
  return error(context, node,
               format("{} is {}, not an array", text(context, owner), with_article(value.type)),
               owner.kind == SyntaxKind::kSubscript ? "" : array_hint(context, value.type));
}

std::string array_hint(const FunctionContext& context, const InferredType& type) {
  const std::string array = describe(type) + "[:]";
  return context.kernel.is_device_kernel()
             ? "pass an array, " + array
             : "arrays are operands of npp.guvectorize, declared " + array;
}

Value array_load(FunctionContext& context, DType dtype, int array,
                 std::vector<Expression> positions, const SyntaxNode& node) {
  Value value;
  value.node = &node;
  value.type = InferredType::scalar(dtype);
  value.expression = Expression{ExpressionKind::kLoad, ValueType::scalar(dtype),
                                place(context, node), std::move(positions), ElementLoad{array}};
  Origin origin;
  origin.is_declared = true;
  value.origin = std::make_shared<const Origin>(std::move(origin));
  return value;
}

Value array_size(const FunctionContext& context, int array, int axis, const SyntaxNode& node) {
  return plain_integer({ExpressionKind::kArraySize,
                        ValueType::scalar(DType::kInt64),
                        place(context, node),
                        {},
                        ArraySize{array, axis}},
                       node);
}

Value array_attribute(FunctionContext& context, const Value& array, const SyntaxNode& node) {
  const int local = detail<LocalReference>(array.expression).local;
  const int n_dimensions = array.type.n_dimensions;
  if (node.text == "ndim") return constant(context, Int128{n_dimensions}, node);
  if (node.text == "shape") return shape_of(context, array, node);
  if (node.text == "T") return transposed(context, array, node);
  if (node.text == "real") return part_of_numbers(context, Operation::kReal, array, node);
  if (node.text == "imag" && base::is_complex(array.type.dtype)) {
    return part_of_numbers(context, Operation::kImag, array, node);
  }
  if (node.text == "size") {
    Value value = array_size(context, local, 0, node);
    for (int axis = 1; axis < n_dimensions; ++axis) {
      Value size = array_size(context, local, axis, node);
      value.expression =
          call(Operation::kMultiply, DType::kInt64,
               {std::move(value.expression), std::move(size.expression)}, place(context, node));
    }
    return value;
  }
  const char* kind = context.kernel.is_device_kernel() ? "an array" : "a core array";
  constexpr std::string_view kMethods[] = {"all",  "any", "argmax", "argmin", "dot", "max",
                                           "mean", "min", "prod",   "std",    "sum", "var"};
  if (std::find(std::begin(kMethods), std::end(kMethods), node.text) != std::end(kMethods)) {
    return error(context, node, format("{} has no '{}' without a call", kind, node.text),
                 text(context, node) + "()");
  }
  return error(context, node,
               format("{} has no '{}'; it has shape, ndim and size", kind, node.text));
}

std::optional<Expression> index(FunctionContext& context, const Value& array, int axis,
                                const SyntaxNode& node) {
  const auto value = integer_index(context, node);
  if (!value) return std::nullopt;
  const auto* number = constant_integer(*value);
  const std::int64_t size = array.type.size(axis);
  if (number && size >= 0 && (*number >= size || *number < -size)) {
    error(context, node,
          format("index {} is outside '{}', which has size {}", to_text(*number),
                 text(context, *array.node), size));
    return std::nullopt;
  }
  return convert(context, *value, InferredType::scalar(DType::kInt64));
}

std::optional<Value> integer_index(FunctionContext& context, const SyntaxNode& node) {
  const Value value = infer(context, node);
  if (!value.type.is_known()) return std::nullopt;
  if (value.type.is_scalar() && base::is_integer(value.type.dtype)) return value;
  report_index_type(context, value, node);
  return std::nullopt;
}

std::string index_hint(const FunctionContext& context, const Value& value, const SyntaxNode& node) {
  if (!value.type.is_scalar() || base::is_complex(value.type.dtype) || value.constant) return "";
  const auto is_from_integer = [](const Expression& operand, const SyntaxNode& part) {
    if (operand.kind == ExpressionKind::kCast) {
      return base::is_integer(operand.operands.front().type.dtype);
    }
    const auto* number = std::get_if<Number>(&part.constant);
    return number != nullptr && std::holds_alternative<Integer>(*number);
  };
  const std::vector<Expression>& operands = value.expression.operands;
  if (node.kind == SyntaxKind::kBinOp && node.op == SyntaxKind::kDiv && operands.size() == 2 &&
      is_from_integer(operands[0], *node.child("left")) &&
      is_from_integer(operands[1], *node.child("right"))) {
    return format("{} // {}", inner_text(context, *node.child("left")),
                  inner_text(context, *node.child("right")));
  }
  if (n_dimensions(context, node) > 0) {
    return format("{}.astype({})", inner_text(context, node), spelling(context, "numpy", "int64"));
  }
  return format("int({})", text(context, node));
}

std::optional<std::vector<Expression>> indices(FunctionContext& context, const Value& array,
                                               const SyntaxNode& node) {
  const std::vector<const SyntaxNode*> nodes =
      index_nodes(context, *node.child("slice"), array.type.n_dimensions);
  const auto n_dimensions = static_cast<std::size_t>(array.type.n_dimensions);
  const std::string name = text(context, *array.node);
  if (const SyntaxNode* slice = find_slice(nodes)) {
    const SourceSpan where =
        nodes.size() == 1 && slice == nodes.front() ? place(context, node) : place(context, *slice);
    error(context, where, "a slice is not a number", format("one element at a time: {}[i]", name));
    return std::nullopt;
  }
  if (!check_index_count(context, array, nodes.size(), node)) return std::nullopt;
  if (nodes.size() < n_dimensions) {
    report_row(context, node, n_dimensions);
    return std::nullopt;
  }
  return indices(context, array, nodes);
}

std::optional<std::vector<Expression>> indices(FunctionContext& context, const Value& array,
                                               const std::vector<const SyntaxNode*>& nodes) {
  const auto n_dimensions = static_cast<std::size_t>(array.type.n_dimensions);
  std::vector<Expression> result;
  for (std::size_t axis = 0; axis < n_dimensions; ++axis) {
    auto expression = index(context, array, static_cast<int>(axis), *nodes[axis]);
    if (expression) result.push_back(std::move(*expression));
  }
  if (result.size() < n_dimensions) return std::nullopt;
  return result;
}

bool check_index_count(FunctionContext& context, const Value& array, std::size_t n_given,
                       const SyntaxNode& node) {
  if (n_given <= static_cast<std::size_t>(array.type.n_dimensions)) return true;
  report_index_count(context, array, n_given, node);
  return false;
}

void report_index_count(FunctionContext& context, const Value& array, std::size_t n_given,
                        const SyntaxNode& node) {
  error(context, node,
        format("{} has {}, {} given", text(context, *array.node),
               base::counted(array.type.n_dimensions, "dimension"),
               base::counted(n_given, "index", "indices")));
}

void report_row(FunctionContext& context, const SyntaxNode& node, std::size_t n_dimensions) {
  const std::size_t n_given = index_nodes(context, *node.child("slice"), 0).size();
  const std::string name = text(context, *node.child("value"));
  std::string full = text(context, node);
  full.pop_back();
  for (std::size_t i = n_given; i < n_dimensions; ++i) {
    full += format(", {}", static_cast<char>('i' + i % 16));
  }
  const std::string what = n_dimensions - n_given == 1 ? "a row of '" : "a part of '";
  error(context, node,
        format("{} is {}{}', not a number: {} has {}", text(context, node), what, name, name,
               base::counted(n_dimensions, "dimension")),
        full + "]");
}

}  // namespace numpy_plugin::declare
