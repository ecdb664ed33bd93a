#include "numpy_plugin/infer/statements/infer_statements.hpp"

#include <algorithm>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/infer/arrays/element_loop.hpp"
#include "numpy_plugin/infer/calls/infer_calls.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_arrays.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"
#include "numpy_plugin/infer/expressions/records.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

void note_stored(FunctionContext& context, int array, const InferredType& type) {
  const auto [stored, is_first] = context.arrays.stored.try_emplace(array, type);
  if (!is_first) stored->second = promote(stored->second, type);
}

// Whether a local is its array's only name: an operand, or an array created here.
bool is_only_array(const FunctionContext& context, int local) {
  if (local < 0) return false;
  if (static_cast<std::size_t>(local) < context.task.arguments.size()) {
    return context.task.signature != nullptr;
  }
  return context.scope.storage_of(local).kind != ArrayStorage::Kind::kView;
}

// Whether a variable holds arrays created here only, and the other local is an argument.
bool is_apart(const FunctionContext& context, int variable, int other) {
  const auto is_argument = [&context](int local) {
    return static_cast<std::size_t>(local) < context.task.arguments.size();
  };
  if (variable < 0 || other < 0 || !is_argument(other) || is_argument(variable)) return false;
  const auto& variables = context.scope.variables;
  return static_cast<std::size_t>(variable) < variables.size() &&
         !variables[static_cast<std::size_t>(variable)].may_be_argument;
}

// False where imaginary parts would be lost.
bool check_stored_kind(FunctionContext& context, const Value& part, const Value& value) {
  const DType from = value.type.dtype;
  const DType to = part.type.dtype;
  const std::string message = kind_change_text(from, to, "stored");
  const bool is_subscript = part.node->kind == SyntaxKind::kSubscript;
  const SyntaxNode& owner = is_subscript ? *part.node->child("value") : *part.node;
  const std::string hint = format("store one element at a time, with a cast: {} = ...",
                                  element_text(text(context, owner), part.type.n_dimensions));
  if (drops_imaginary_part(to, from)) {
    error(context, *value.node, message, hint);
    return false;
  }
  if (changes_kind(to, from)) warn(context, *value.node, message, hint);
  return true;
}

bool check_stored_array(FunctionContext& context, const Value& part, const Value& value) {
  const SourceSpan where = place(context, *value.node);
  const std::string shown = text(context, *value.node);
  if (!value.type.is_array()) {
    error(context, where,
          format("{} takes a number or an array, found {}", text(context, *part.node),
                 describe(value.type)));
    return false;
  }
  const int n_missing = part.type.n_dimensions - value.type.n_dimensions;
  if (n_missing < 0) {
    error(context, where,
          format("{} is {}, {} is {}", shown, with_article(value.type), text(context, *part.node),
                 with_article(part.type)));
    return false;
  }
  for (int axis = n_missing; axis < part.type.n_dimensions; ++axis) {
    const std::int64_t size = part.type.size(axis);
    const std::int64_t found = value.type.size(axis - n_missing);
    if (size < 0 || found < 0 || found == size || found == 1) continue;
    error(context, where,
          format("{} has size {} where {} has size {}", shown, found, text(context, *part.node),
                 size));
    return false;
  }
  return context.task.seeks_outputs || check_stored_kind(context, part, value);
}

std::string shape_text(const std::vector<std::string>& sizes) {
  return format("({}{})", base::join(sizes, ","), sizes.size() == 1 ? "," : "");
}

// Compares constant sizes of an array with those of a part in a local that only the call knows.
void raise_where_it_differs(FunctionContext& context, const Value& part, const Value& items) {
  const int n_missing = part.type.n_dimensions - items.type.n_dimensions;
  std::vector<Expression> sizes;
  std::vector<std::string> shape, into;
  for (int axis = 0; axis < part.type.n_dimensions; ++axis) {
    sizes.push_back(
        array_size(context, *read_local(part.expression), axis, *items.node).expression);
    into.push_back("{}");
    if (axis >= n_missing) shape.push_back(std::to_string(items.type.size(axis - n_missing)));
  }
  if (sizes.size() > kMaxMessageValues) into.assign(1, "{}");
  for (int axis = n_missing; axis < part.type.n_dimensions; ++axis) {
    const std::int64_t n = items.type.size(axis - n_missing);
    if (part.type.size(axis) >= 0 || n == 1 || n < 0) continue;
    const Expression& size = sizes[static_cast<std::size_t>(axis)];
    Expression differs =
        call(Operation::kNotEqual, DType::kBool, {size, int64_constant(n, size.place)}, size.place);
    raise_where(context, std::move(differs),
                format("could not broadcast input array from shape {} into shape {}",
                       shape_text(shape), shape_text(into)),
                into.size() == sizes.size() ? sizes : std::vector{size}, *items.node);
  }
}

// Whether it is the place of an array that a device function returns.
bool is_returned(const SyntaxNode& target) {
  const SyntaxNode* const array = target.child("value");
  return array != nullptr && array->text == kReturnedArray;
}

// `part` is the view of the elements.
void store_elements(FunctionContext& context, Value part, const SyntaxNode& target, Value value) {
  const bool is_written_out = value.type.is_tuple() && !value.type.is_record;
  if (is_written_out) value = array_of_items(context, value);
  if (!part.type.is_known() || !value.type.is_known()) return;
  part.node = &target;
  const int root = root_array(part.expression);
  Expression result{ExpressionKind::kFillElements, {}, place(context, target), {part.expression}};
  if (value.type.is_scalar()) {
    result.operands.push_back(stored_number(context, value, root, part.type.dtype));
  } else {
    if (!check_stored_array(context, part, value)) return;
    if (is_written_out || is_returned(target)) {
      part = array_in_local(context, std::move(part));
      raise_where_it_differs(context, part, value);
      result.operands = {part.expression};
    }
    note_stored(context, root, InferredType::scalar(value.type.dtype));
    const bool shares = may_share_elements(context, part, value);
    result.kind = shares ? ExpressionKind::kMoveElements : ExpressionKind::kCopyElements;
    result.operands.push_back(value.expression);
  }
  evaluate(context, std::move(result));
}

// False where the array cannot be written.
bool begin_store(FunctionContext& context, const Value& array, const SyntaxNode& target) {
  mark_written(context, array.expression);
  if (!is_own_array(context, array.expression)) context.has_effects = true;
  if (array.type.is_read_only) report_read_only(context, array, target);
  return !array.type.is_read_only;
}

Element element_at(FunctionContext& context, const Value& array,
                   std::vector<Expression> positions) {
  Element element{array, element_owner(context, array, positions), std::move(positions)};
  return element;
}

void store_number(FunctionContext& context, Element element, const SyntaxNode& target,
                  const Value& value) {
  const Value& array = element.array;
  if (!value.type.is_scalar()) {
    if (report_part(context, value)) return;
    const std::string owner = text(context, *array.node);
    const std::string place =
        array.type.n_dimensions > 0 ? format("an element of '{}'", owner) : owner;
    error(context, *value.node,
          format("{} is {}, found {}", place, with_article(InferredType::scalar(array.type.dtype)),
                 describe(value.type)));
    return;
  }
  Statement statement{
      StatementKind::kStore, place(context, target), element.owner, {}, {}, {}, {}, {}};
  statement.indices = std::move(element.positions);
  statement.value = stored_number(context, value, element.owner, array.type.dtype);
  add_statement(context, std::move(statement));
}

// Whether an index calls a function: it is evaluated once then, for speed, and because a C function
// may have an effect.
bool calls_function(const Expression& expression) {
  return expression.kind == ExpressionKind::kCallFunction ||
         expression.kind == ExpressionKind::kCallExternal ||
         std::any_of(expression.operands.begin(), expression.operands.end(), calls_function);
}

// The index in a local if it calls a function.
void keep_index(FunctionContext& context, Expression& index, const SyntaxNode& node) {
  if (!calls_function(index)) return;
  Value value;
  value.node = &node;
  value.type = InferredType::scalar(DType::kInt64);
  value.expression = std::move(index);
  index = in_local(context, std::move(value)).expression;
}

void store_record(FunctionContext& context, const Value& record, const SyntaxNode& target,
                  const Value& value);

void store_field(FunctionContext& context, const Value& field, const SyntaxNode& target,
                 const Value& value) {
  if (field.type.is_tuple()) return store_record(context, field, target, value);
  if (field.type.is_scalar()) {
    error(context, target,
          format("'{}' belongs to a copy of a record and cannot be written", text(context, target)),
          "assign it to a variable first");
    return;
  }
  if (!begin_store(context, field, target)) return;
  if (field.type.n_dimensions > 0) return store_elements(context, field, target, value);
  if (value.type.is_known()) store_number(context, element_at(context, field, {}), target, value);
}

void store_record(FunctionContext& context, const Value& record, const SyntaxNode& target,
                  const Value& value) {
  if (!value.type.is_known()) return;
  const InferredType& type = record.type;
  const bool fits = value.type.is_tuple() && value.type.items.size() == type.items.size() &&
                    type.n_dimensions == 0 && value.type.n_dimensions == 0;
  if (!fits) {
    error(context, *value.node,
          format("{} is {} with {}, found {}", text(context, target), describe(type),
                 base::counted(type.items.size(), "field"), describe(value.type)),
          type.n_dimensions == 0 ? "assign its fields, or a tuple of their values"
                                 : "assign one record at a time, in a loop");
    return;
  }
  // All are read before the first is stored: the records may be the same.
  std::vector<Value> values;
  for (std::size_t i = 0; i < type.items.size(); ++i) {
    Value field = item_value(context, value, i, *value.node);
    values.push_back(field.type.is_scalar() ? in_local(context, std::move(field)) : field);
  }
  for (std::size_t i = 0; i < type.items.size(); ++i) {
    Value field = item(context, record, i, target);
    store_field(context, field, target, values[i]);
  }
}

}  // namespace

Expression stored_number(FunctionContext& context, const Value& value, int array, DType dtype) {
  note_stored(context, array, value.type);
  return context.task.seeks_outputs ? cast(value.expression, dtype)
                                    : result_cast(context, value, dtype, "stored");
}

bool may_share_elements(const FunctionContext& context, const Value& target, const Value& source) {
  if (source.type.is_read_only || source.type.dtype != target.type.dtype) return false;
  const int from = root_array(source.expression);
  const int to = root_array(target.expression);
  if (is_apart(context, from, to) || is_apart(context, to, from)) return false;
  return from == to || !is_only_array(context, from) || !is_only_array(context, to);
}

// Room for the items of a tuple, or of a list.
std::string room_hint(FunctionContext& context, const InferredType& tuple) {
  InferredType common = tuple.items.empty() ? InferredType() : tuple.items.front();
  for (const InferredType& type : tuple.items) {
    if (!type.is_scalar()) return "";
    common = promote(common, type);
  }
  if (!common.is_known()) return "";
  return format("{}({}, {}) has room for {} numbers",
                spelling(context, "numpy_plugin", "local_array"), tuple.items.size(),
                spelling(context, "numpy_plugin", base::name(common.dtype)), tuple.items.size());
}

void store(FunctionContext& context, const SyntaxNode& target, Value value) {
  const SyntaxNode& owner = *target.child("value");
  const Value array = infer(context, owner);
  if (!array.type.is_known()) return;
  if (array.type.is_records()) {
    const Value part = record_part(context, array, target);
    return part.type.is_known() ? store_record(context, part, target, value) : void();
  }
  if (!array.type.is_array()) {
    error(context, target,
          format("{} is {}, whose items cannot be assigned", text(context, owner),
                 with_article(array.type)),
          array.type.is_scalar()  ? array_hint(context, array.type)
          : array.type.is_tuple() ? room_hint(context, array.type)
                                  : "");
    return;
  }
  if (!begin_store(context, array, target)) return;
  if (is_part(context, array, target)) {
    return store_elements(context, array_part(context, array, target), target, value);
  }
  auto positions = indices(context, array, target);
  if (!positions || !value.type.is_known()) return;
  store_number(context, element_at(context, array, std::move(*positions)), target, value);
}

std::optional<Element> target_element(FunctionContext& context, const SyntaxNode& target) {
  const bool is_field = target.kind == SyntaxKind::kAttribute;
  if (!is_field && target.kind != SyntaxKind::kSubscript) return std::nullopt;
  Value array = infer(context, *target.child("value"));
  if (is_field && array.type.is_record) array = record_field(context, array, target.text, target);
  if (!array.type.is_array()) return std::nullopt;
  if (is_field ? array.type.n_dimensions > 0 : is_part(context, array, target)) return std::nullopt;
  auto positions = is_field ? std::vector<Expression>() : indices(context, array, target);
  if (!positions) return std::nullopt;
  Element element = element_at(context, array, std::move(*positions));
  for (Expression& index : element.positions) keep_index(context, index, target);
  return element;
}

Value element_value(FunctionContext& context, const Element& element, const SyntaxNode& target) {
  Value value =
      array_load(context, element.array.type.dtype, element.owner, element.positions, target);
  return context.statement.orders_loads ? reusable(context, std::move(value)) : value;
}

void store(FunctionContext& context, Element element, const SyntaxNode& target,
           const Value& value) {
  if (!begin_store(context, element.array, target) || !value.type.is_known()) return;
  store_number(context, std::move(element), target, value);
}

void store_attribute(FunctionContext& context, const SyntaxNode& target, const Value& value) {
  const Value record = infer(context, *target.child("value"));
  if (!record.type.is_known()) return;
  if (record.type.is_array() && target.text == "imag" && !base::is_complex(record.type.dtype)) {
    error(context, target,
          text(context, *target.child("value")) + " does not have imaginary part to set");
    return;
  }
  const Value field = record.type.is_array() ? infer(context, target)
                                             : record_field(context, record, target.text, target);
  if (field.type.is_known()) store_field(context, field, target, value);
}

}  // namespace numpy_plugin::declare
