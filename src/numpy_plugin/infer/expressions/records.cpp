#include "numpy_plugin/infer/expressions/records.hpp"

#include <algorithm>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_arrays.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

// An array of some field: it has the records' dimensions first.
Value any_field(const FunctionContext& context, const Value& record, const SyntaxNode& node) {
  Value field = item(context, record, 0, node);
  while (field.type.is_tuple()) field = item(context, field, 0, node);
  field.node = record.node;
  return field;
}

// The view of an array that has the first of its indices and slices from another one.
Value like_part(FunctionContext& context, const Value& array, const Value& part,
                std::size_t n_given, const SyntaxNode& node) {
  Value value;
  value.node = &node;
  value.type = InferredType::array(array.type.dtype, 0, array.type.is_read_only);
  value.expression =
      Expression{ExpressionKind::kView, {}, place(context, node), {array.expression}};
  std::vector<Expression>& operands = value.expression.operands;
  for (int axis = 0; axis < array.type.n_dimensions; ++axis) {
    const bool is_given = static_cast<std::size_t>(axis) < n_given;
    operands.push_back(is_given ? part.expression.operands[static_cast<std::size_t>(axis) + 1]
                                : Expression{ExpressionKind::kSlice, {}, place(context, node), {}});
    if (operands.back().kind != ExpressionKind::kSlice) continue;
    const bool is_all = operands.back().operands.empty();
    value.type.sizes.push_back(is_all ? array.type.size(axis) : -1);
  }
  value.type.n_dimensions = static_cast<int>(value.type.sizes.size());
  value.expression.type = storage(value.type);
  return value;
}

// Indices that each field uses are evaluated once.
void reuse_indices(FunctionContext& context, Value& part, const SyntaxNode& node) {
  for (std::size_t i = 1; i < part.expression.operands.size(); ++i) {
    Expression& operand = part.expression.operands[i];
    if (operand.kind == ExpressionKind::kSlice) continue;
    Value index;
    index.node = &node;
    index.type = InferredType::scalar(DType::kInt64);
    index.expression = std::move(operand);
    operand = reusable(context, std::move(index)).expression;
  }
}

Value parts_of_fields(FunctionContext& context, const Value& records, const Value& part,
                      std::size_t n_given, const SyntaxNode& node) {
  const auto first = part.expression.operands.begin() + 1;
  const auto n_removed =
      std::count_if(first, first + static_cast<std::ptrdiff_t>(n_given),
                    [](const Expression& item) { return item.kind != ExpressionKind::kSlice; });
  return with_fields(
      context, records, records.type.n_dimensions - static_cast<int>(n_removed), node,
      [&](const Value& array) { return like_part(context, array, part, n_given, node); });
}

// The number in an array without dimensions; other values as they are.
Value number_of(FunctionContext& context, const Value& field, const SyntaxNode& node) {
  if (!field.type.is_array() || field.type.n_dimensions > 0) return field;
  std::vector<Expression> positions;
  const int owner = element_owner(context, field, positions);
  Value value = array_load(context, field.type.dtype, owner, std::move(positions), node);
  return context.statement.orders_loads ? reusable(context, std::move(value)) : value;
}

std::string fields_hint(const InferredType& record) {
  std::string fields;
  for (const std::string& name : record.names) fields += (fields.empty() ? "" : ", ") + name;
  return "its fields are " + fields;
}

}  // namespace

Value with_fields(const FunctionContext& context, const Value& record, int n_dimensions,
                  const SyntaxNode& node, const std::function<Value(const Value&)>& change) {
  std::vector<Value> fields;
  for (std::size_t i = 0; i < record.type.items.size(); ++i) {
    const Value field = item(context, record, i, node);
    fields.push_back(field.type.is_tuple() ? with_fields(context, field, n_dimensions, node, change)
                                           : change(field));
  }
  Value result = tuple_of(context, fields, node);
  if (!result.type.is_known()) return {};
  result.type.names = record.type.names;
  result.type.is_record = true;
  result.type.n_dimensions = n_dimensions;
  return result;
}

Value record_field(FunctionContext& context, const Value& record, const std::string& name,
                   const SyntaxNode& node) {
  const std::vector<std::string>& names = record.type.names;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    return error(context, node, format("{} has no '{}'", describe(record.type), name),
                 fields_hint(record.type));
  }
  return item(context, record, static_cast<std::size_t>(found - names.begin()), node);
}

Value item_value(FunctionContext& context, const Value& tuple, std::size_t index,
                 const SyntaxNode& node) {
  return number_of(context, item(context, tuple, index, node), node);
}

Value record_copy(FunctionContext& context, const Value& record) {
  return with_fields(context, record, 0, *record.node,
                     [&](const Value& field) { return number_of(context, field, *record.node); });
}

Value with_fields_in_locals(FunctionContext& context, const Value& record) {
  return with_fields(context, record, record.type.n_dimensions, *record.node,
                     [&](const Value& field) {
                       return field.type.is_array() ? array_in_local(context, field) : field;
                     });
}

Value record_field_value(FunctionContext& context, const Value& record, const std::string& name,
                         const SyntaxNode& node) {
  return number_of(context, record_field(context, record, name, node), node);
}

Value record_part(FunctionContext& context, const Value& records, const SyntaxNode& node) {
  const std::size_t n_given = index_nodes(context, *node.child("slice"), 0).size();
  const auto n_dimensions = static_cast<std::size_t>(records.type.n_dimensions);
  if (n_given > n_dimensions) {
    return error(context, node,
                 format("{} has {}, {} given", text(context, *node.child("value")),
                        base::counted(n_dimensions, "dimension"),
                        base::counted(n_given, "index", "indices")));
  }
  Value part = array_part(context, any_field(context, records, node), node);
  if (!part.type.is_known()) return {};
  reuse_indices(context, part, node);
  return parts_of_fields(context, records, part, n_given, node);
}

Value record_at(FunctionContext& context, const Value& records, const Expression& position,
                const SyntaxNode& node) {
  Value part;
  part.expression = Expression{ExpressionKind::kView, {}, place(context, node), {}};
  part.expression.operands = {any_field(context, records, node).expression, position};
  reuse_indices(context, part, node);
  return parts_of_fields(context, records, part, 1, node);
}

Value record_attribute(FunctionContext& context, const Value& record, const SyntaxNode& node) {
  const std::vector<std::string>& names = record.type.names;
  const bool is_field = std::find(names.begin(), names.end(), node.text) != names.end();
  const bool is_size = node.text == "ndim" || node.text == "shape" || node.text == "size";
  if (is_field || !is_size || !record.type.is_records()) {
    return record_field_value(context, record, node.text, node);
  }
  Value field = array_in_local(context, any_field(context, record, node));
  field.type.n_dimensions = record.type.n_dimensions;
  return array_attribute(context, field, node);
}

Value record_count(FunctionContext& context, const Value& records, const SyntaxNode& node) {
  return array_size(context, local_array(context, any_field(context, records, node)), 0, node);
}

}  // namespace numpy_plugin::declare
