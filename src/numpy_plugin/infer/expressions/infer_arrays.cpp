// Subscripts: items of tuples, elements and shapes of core arrays.
#include <algorithm>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

bool is_shape(const SyntaxNode& node) {
  return node.kind == SyntaxKind::kAttribute && node.text == "shape";
}

}  // namespace

// The index `i, j` as one node an axis; none of `...`.
std::vector<const SyntaxNode*> ExpressionInference::index_nodes(const SyntaxNode& index) {
  std::vector<const SyntaxNode*> nodes;
  if (index.text == "ellipsis") return {};
  if (index.kind != SyntaxKind::kTuple) return {&index};
  for (const SyntaxNode& item : index.children("elts")) nodes.push_back(&item);
  return nodes;
}

Value ExpressionInference::item(const Value& tuple, std::size_t index,
                                const SyntaxNode& node) const {
  Value value;
  value.node = &node;
  value.type = tuple.type.items[index];
  if (tuple.expression.kind == ExpressionKind::kTuple) {
    value.expression = tuple.expression.operands[index];
    return value;
  }
  value.expression =
      Expression{ExpressionKind::kTupleItem, storage(value.type), place(node), {tuple.expression}};
  value.expression.index = static_cast<int>(index);
  return value;
}

std::optional<Int128> ExpressionInference::constant_index(const SyntaxNode& node) {
  const Value value = infer(node);
  const auto* integer = constant_integer(value);
  return integer ? std::optional<Int128>(*integer) : std::nullopt;
}

Value ExpressionInference::infer_subscript(const SyntaxNode& node) {
  const SyntaxNode& owner = *node.child("value");
  if (is_shape(owner) && dotted(owner).empty()) {
    const Value array = infer(*owner.child("value"));
    if (!array.type.is_known()) return {};
    if (array.type.is_array()) {
      return shape_item(*owner.child("value"), array_in_local(array), node);
    }
  }
  const Value value = infer(owner);
  if (!value.type.is_known()) return {};
  if (value.type.is_tuple()) return tuple_item(value, node);
  if (value.type.is_array()) {
    return is_part(value, node) ? array_part(value, node) : array_element(value, node);
  }
  return error(place(node), text(owner) + " is " + with_article(value.type) + ", not an array",
               owner.kind == SyntaxKind::kSubscript ? "" : array_hint(value.type));
}

// Where an array comes from that is a number here.
std::string ExpressionInference::array_hint(const InferredType& type) const {
  const std::string array = describe(type) + "[:]";
  return kernel_.is_device_kernel() ? "pass an array, " + array
                                    : "arrays are operands of npp.guvectorize, declared " + array;
}

Value ExpressionInference::tuple_item(const Value& tuple, const SyntaxNode& node) {
  const SyntaxNode& slice = *node.child("slice");
  if (slice.kind == SyntaxKind::kSlice) {
    const std::string name = inner_text(*node.child("value"));
    return error(place(node), "a slice of a tuple in a kernel",
                 "name its items: " + name + "[0], " + name + "[1]");
  }
  const Value index = infer(slice);
  if (!index.type.is_known()) return {};
  if (!index.type.is_scalar() || !base::is_integer(index.type.dtype)) {
    report_index_type(index, slice);
    return {};
  }
  if (!index.constant) return tuple_item_at_run_time(tuple, index, node);
  const auto size = static_cast<Int128>(tuple.type.items.size());
  const auto* integer = std::get_if<Int128>(&*index.constant);
  if (!integer || *integer >= size || *integer < -size) {
    return error(place(slice), "index " + text(slice) + " is outside " +
                                   inner_text(*node.child("value")) + ", " + describe(tuple.type));
  }
  const Int128 position = *integer < 0 ? *integer + size : *integer;
  return item(tuple, static_cast<std::size_t>(position), node);
}

// Items of one type, chosen by comparing the index with each position; the last for all others.
Value ExpressionInference::tuple_item_at_run_time(const Value& tuple, const Value& index,
                                                  const SyntaxNode& node) {
  const std::vector<InferredType>& types = tuple.type.items;
  const bool is_uniform = !types.empty() && types.front().is_scalar() &&
                          std::all_of(types.begin(), types.end(), [&](const InferredType& type) {
                            return type == types.front();
                          });
  if (!is_uniform) {
    return error(place(*index.node), "a tuple of different types needs a constant index",
                 "use if / elif, or " + spelling("numpy_plugin", "local_array"));
  }
  const Value source = reusable(tuple);
  const Value position = reusable(index);
  const auto size = static_cast<std::int64_t>(types.size());
  const InferredType index_type = InferredType::scalar(DType::kInt64);
  const auto is_at = [&](std::int64_t number) {
    Expression constant = constant_expression(DType::kInt64, number, place(node));
    return call(Operation::kEqual, DType::kBool,
                {convert(position, index_type), std::move(constant)}, place(node));
  };
  Value result = item(source, types.size() - 1, node);
  for (std::int64_t i = size - 1; i-- > 0;) {
    Expression decides{ExpressionKind::kOr,
                       ValueType::scalar(DType::kBool),
                       place(node),
                       {is_at(i), is_at(i - size)}};
    Value chosen = item(source, static_cast<std::size_t>(i), node);
    result.expression = Expression{
        ExpressionKind::kSelect,
        storage(result.type),
        place(node),
        {std::move(decides), std::move(chosen.expression), std::move(result.expression)}};
  }
  return result;
}

Value ExpressionInference::array_size(int array, int axis, const SyntaxNode& node) const {
  Value value;
  value.node = &node;
  value.type = InferredType::weak(DType::kInt64);
  value.expression =
      Expression{ExpressionKind::kArraySize, ValueType::scalar(DType::kInt64), place(node), {}};
  value.expression.index = array;
  value.expression.axis = axis;
  return value;
}

Value ExpressionInference::shape_item(const SyntaxNode& array_node, const Value& array,
                                      const SyntaxNode& node) {
  const SyntaxNode& slice = *node.child("slice");
  const std::string first = text(array_node) + ".shape[0]";
  const bool is_unknown = slice.kind == SyntaxKind::kName && find_variable(slice.text) < 0 &&
                          find_binding(slice) == nullptr && !error_names_.contains(slice.text);
  if (is_unknown) return report_unknown(slice, first);
  const std::size_t n_errors = findings_.errors.size();
  const auto number = constant_index(slice);
  if (findings_.errors.size() > n_errors) return {};
  const int n_dimensions = array.type.n_dimensions;
  if (!number) {
    return error(place(slice), "an index of shape must be a constant", first);
  }
  const Int128 axis = *number < 0 ? *number + n_dimensions : *number;
  if (axis >= 0 && axis < n_dimensions) {
    return array_size(array.expression.index, static_cast<int>(axis), node);
  }
  std::string shapes;
  for (int i = 0; i < n_dimensions; ++i) {
    shapes += (i == 0                  ? ""
               : i + 1 == n_dimensions ? " and "
                                       : ", ") +
              ("shape[" + std::to_string(i)) + "]";
  }
  return error(place(slice), text(array_node) + " has " + base::counted(n_dimensions, "dimension") +
                                 ": " + shapes);
}

Value ExpressionInference::array_attribute(const Value& array, const SyntaxNode& node) {
  const int n_dimensions = array.type.n_dimensions;
  if (node.text == "ndim") return constant(Int128{n_dimensions}, node);
  if (node.text == "shape") {
    std::vector<Value> sizes;
    for (int axis = 0; axis < n_dimensions; ++axis) {
      sizes.push_back(array_size(array.expression.index, axis, node));
    }
    return tuple_of(sizes, node);
  }
  if (node.text == "size") {
    Value value = array_size(array.expression.index, 0, node);
    for (int axis = 1; axis < n_dimensions; ++axis) {
      Value size = array_size(array.expression.index, axis, node);
      value.expression =
          call(Operation::kMultiply, DType::kInt64,
               {std::move(value.expression), std::move(size.expression)}, place(node));
    }
    return value;
  }
  const bool adds = node.text == "sum" || node.text == "mean" || node.text == "dot";
  const char* kind = kernel_.is_device_kernel() ? "an array" : "a core array";
  return error(place(node), kind + (" has no '" + node.text) + "'; it has shape, ndim and size",
               adds ? "add in a loop" : "");
}

// One index, checked against the size where that is known.
std::optional<Expression> ExpressionInference::index(const Value& array, int axis,
                                                     const SyntaxNode& node) {
  const auto value = integer_index(node);
  if (!value) return std::nullopt;
  const auto* number = constant_integer(*value);
  const std::int64_t size = array.type.size(axis);
  if (number && size >= 0 && (*number >= size || *number < -size)) {
    error(place(node), "index " + to_text(*number) + " is outside '" + text(*array.node) +
                           "', which has size " + std::to_string(size));
    return std::nullopt;
  }
  return convert(*value, InferredType::scalar(DType::kInt64));
}

std::optional<Value> ExpressionInference::integer_index(const SyntaxNode& node) {
  const Value value = infer(node);
  if (!value.type.is_known()) return std::nullopt;
  if (value.type.is_scalar() && base::is_integer(value.type.dtype)) return value;
  report_index_type(value, node);
  return std::nullopt;
}

// What makes an index of a number that is none.
std::string ExpressionInference::index_hint(const Value& value, const SyntaxNode& node) const {
  if (!value.type.is_scalar() || base::is_complex(value.type.dtype) || value.constant) return "";
  const auto is_whole = [](const Expression& operand, const SyntaxNode& part) {
    if (operand.kind == ExpressionKind::kCast) {
      return base::is_integer(operand.operands.front().type.dtype);
    }
    const auto* number = std::get_if<Number>(&part.constant);
    return number != nullptr && std::holds_alternative<Integer>(*number);
  };
  const std::vector<Expression>& operands = value.expression.operands;
  if (node.kind == SyntaxKind::kBinOp && node.op == SyntaxKind::kDiv && operands.size() == 2 &&
      is_whole(operands[0], *node.child("left")) && is_whole(operands[1], *node.child("right"))) {
    return inner_text(*node.child("left")) + " // " + inner_text(*node.child("right"));
  }
  return "int(" + text(node) + ")";
}

void ExpressionInference::report_index_type(const Value& value, const SyntaxNode& node) {
  const std::string message = "an index must be an integer, ";
  const int variable = node.kind == SyntaxKind::kName ? find_variable(node.text) : -1;
  if (variable < 0 || !value.type.is_scalar()) {
    error(place(node), message + "found " + describe(value.type), index_hint(value, node));
    return;
  }
  std::vector<Note> notes;
  std::string hint = "int(" + node.text + ")";
  const std::vector<Assignment>& assignments =
      variables_[static_cast<std::size_t>(variable)].assignments;
  for (const Assignment& assignment : assignments) {
    if (assignment.type.dtype != value.type.dtype) continue;
    notes.push_back({node.text + " is " + describe(value.type) + " here", assignment.target});
    if (assignment.value) hint = node.text + " = int(" + text(*assignment.value) + ")";
    break;
  }
  error(place(node), message + node.text + " is " + describe(value.type), hint, notes);
  variables_[static_cast<std::size_t>(variable)].has_error = true;
}

std::optional<std::vector<Expression>> ExpressionInference::indices(const Value& array,
                                                                    const SyntaxNode& node) {
  const std::vector<const SyntaxNode*> nodes = index_nodes(*node.child("slice"));
  const auto n_dimensions = static_cast<std::size_t>(array.type.n_dimensions);
  const std::string name = text(*array.node);
  if (const SyntaxNode* slice = find_slice(nodes)) {
    const Place where = nodes.size() == 1 && slice == nodes.front() ? place(node) : place(*slice);
    error(where, "a slice is not a number", "one element at a time: " + name + "[i]");
    return std::nullopt;
  }
  if (!check_index_count(array, nodes.size(), node)) return std::nullopt;
  if (nodes.size() < n_dimensions) {
    report_row(node, n_dimensions);
    return std::nullopt;
  }
  return indices(array, nodes);
}

// One index a dimension.
std::optional<std::vector<Expression>> ExpressionInference::indices(
    const Value& array, const std::vector<const SyntaxNode*>& nodes) {
  const auto n_dimensions = static_cast<std::size_t>(array.type.n_dimensions);
  std::vector<Expression> result;
  for (std::size_t axis = 0; axis < n_dimensions; ++axis) {
    auto expression = index(array, static_cast<int>(axis), *nodes[axis]);
    if (expression) result.push_back(std::move(*expression));
  }
  if (result.size() < n_dimensions) return std::nullopt;
  return result;
}

bool ExpressionInference::check_index_count(const Value& array, std::size_t n_given,
                                            const SyntaxNode& node) {
  if (n_given <= static_cast<std::size_t>(array.type.n_dimensions)) return true;
  report_index_count(array, n_given, node);
  return false;
}

void ExpressionInference::report_index_count(const Value& array, std::size_t n_given,
                                             const SyntaxNode& node) {
  error(place(node), text(*array.node) + " has " +
                         base::counted(array.type.n_dimensions, "dimension") + ", " +
                         base::counted(n_given, "index", "indices") + " given");
}

// A subscript with too few indices for a number.
void ExpressionInference::report_row(const SyntaxNode& node, std::size_t n_dimensions) {
  const std::size_t n_given = index_nodes(*node.child("slice")).size();
  const std::string name = text(*node.child("value"));
  std::string full = text(node);
  full.pop_back();
  for (std::size_t i = n_given; i < n_dimensions; ++i) {
    full += ", " + std::string(1, static_cast<char>('i' + i % 16));
  }
  const std::string what = n_dimensions - n_given == 1 ? "a row of '" : "a part of '";
  error(place(node),
        text(node) + " is " + what + name + "', not a number: " + name + " has " +
            base::counted(n_dimensions, "dimension"),
        full + "]");
}

const SyntaxNode* ExpressionInference::find_slice(
    const std::vector<const SyntaxNode*>& nodes) const {
  const auto found = std::find_if(nodes.begin(), nodes.end(), [](const SyntaxNode* node) {
    return node->kind == SyntaxKind::kSlice || node->text == "ellipsis";
  });
  return found == nodes.end() ? nullptr : *found;
}

Value ExpressionInference::array_element(const Value& array, const SyntaxNode& node) {
  auto positions = indices(array, node);
  if (!positions) return {};
  const int owner = element_owner(array, *positions);
  Value value;
  value.type = InferredType::scalar(array.type.dtype);
  value.expression = Expression{ExpressionKind::kLoad, ValueType::scalar(array.type.dtype),
                                place(node), std::move(*positions)};
  value.expression.index = owner;
  Origin origin;
  origin.is_declared = true;
  value.origin = std::make_shared<const Origin>(std::move(origin));
  return orders_loads_ ? reusable(std::move(value)) : value;
}

}  // namespace numpy_plugin::declare
