#include "numpy_plugin/infer/statements/infer_statements.hpp"

#include <algorithm>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_arrays.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"
#include "numpy_plugin/infer/expressions/records.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

std::size_t n_values(const InferredType& type) { return type.is_tuple() ? type.items.size() : 1; }

const SyntaxNode* last_assigned(const std::vector<SyntaxNode>& body) {
  if (body.empty() || body.back().kind != SyntaxKind::kAssign) return nullptr;
  const SyntaxNode* target = body.back().child("targets");
  return target->kind == SyntaxKind::kName ? target : nullptr;
}

std::string promised(const FunctionContext& context) {
  if (!context.task.signature || context.task.signature->outputs.empty()) return "a result";
  std::string result;
  for (const OperandType& output : context.task.signature->outputs) {
    result += (result.empty() ? "" : ", ") + std::string(base::name(output.dtype));
  }
  return result;
}

// The output that a generalized kernel should assign instead of returning.
std::string returned_hint(FunctionContext& context, const SyntaxNode& value_node) {
  const std::string& output = context.syntax.parameters.back().text;
  const Value value = infer(context, value_node);
  if (value_node.kind == SyntaxKind::kName && value_node.text == output) {
    return "leave the 'return' out";
  }
  if (value.type.is_tuple()) return "";
  return output + (value.type.is_array() ? "[:] = " : "[0] = ") + text(context, value_node);
}

Value reusable_tuple(FunctionContext& context, const Value& value) {
  return value.expression.kind == ExpressionKind::kTuple ? value : reusable(context, value);
}

// Each part of the value cast to the type declared in the signature.
Expression declared_result(FunctionContext& context, const Value& value) {
  const std::vector<DType>& dtypes = *context.task.results;
  if (!value.type.is_tuple()) {
    context.results.now = InferredType::scalar(dtypes.front());
    return result_cast(context, value, dtypes.front(), "returned");
  }
  const Value source = reusable_tuple(context, value);
  InferredType type = InferredType::tuple({});
  Expression result{ExpressionKind::kTuple, {}, value.expression.place, {}};
  for (std::size_t i = 0; i < dtypes.size(); ++i) {
    Value part = item(context, source, i, *value.node);
    const std::vector<SyntaxNode>& nodes = value.node->children("elts");
    if (i < nodes.size()) part.node = &nodes[i];
    type.items.push_back(InferredType::scalar(dtypes[i]));
    result.operands.push_back(result_cast(context, part, dtypes[i], "returned"));
  }
  result.type = storage(type);
  context.results.now = type;
  return result;
}

// The size of a returned array whose size elsewhere is another one: unknown, but for a constant
// beside the size of an argument. The store of the array that has the constant checks that they are
// equal, which a size of 1 would pass in any case.
std::int64_t common_size(std::int64_t size, std::int64_t other) {
  const bool is_one_known = (size < -1 && other > 1) || (other < -1 && size > 1);
  if (size == other) return size;
  return is_one_known ? std::min(size, other) : -1;
}

// Notes an array that a device function returns.
void note_made(FunctionContext& context, const InferredType& type) {
  if (context.task.signature || !type.is_array() || type.is_record) return;
  std::optional<InferredType>& made = context.results.made;
  const bool is_first = !made;
  if (is_first) made = type;
  if (made->dtype != type.dtype || made->n_dimensions != type.n_dimensions) made->sizes = {};
  for (int axis = 0; !is_first && axis < static_cast<int>(made->sizes.size()); ++axis)
    made->sizes[static_cast<std::size_t>(axis)] = common_size(made->size(axis), type.size(axis));
}

bool check_result_count(FunctionContext& context, const SyntaxNode& node, const Value& value) {
  const std::size_t count = n_values(value.type);
  const auto is_array = [](const InferredType& type) { return type.is_array(); };
  if (value.type.is_array() || std::ranges::any_of(value.type.items, is_array)) {
    note_made(context, value.type);
    if (!context.task.signature || !report_part(context, value)) {
      error(context, node, "an array cannot be returned",
            "make it an array argument, which the function writes and returns");
    }
    return false;
  }
  if (!context.results.first_return) context.results.n_returned = count;
  if (context.results.first_return && count != context.results.n_returned) {
    error(context, node,
          format("{} returned here and {} elsewhere", base::counted(count, "value"),
                 context.results.n_returned),
          "",
          {{base::counted(context.results.n_returned, "value") + " here",
            *context.results.first_return}});
    return false;
  }
  if (context.task.signature && value.type.is_tuple() && count == 1) {
    error(context, node, format("a tuple of 1 returned, {} declared", promised(context)),
          "leave the comma out, or return its item");
    return false;
  }
  if (!context.task.results || count == context.task.results->size()) return true;
  const std::size_t n_declared = context.task.results->size();
  std::string hint;
  if (n_declared > 1) hint = format("return a tuple of {}", n_declared);
  if (count > n_declared) {
    TypeSignature wider = *context.task.signature;
    while (wider.outputs.size() < count) wider.outputs.push_back(wider.outputs.back());
    hint = format("declare \"{}\"", wider.text());
  }
  error(context, node,
        format("{} returned, the signature has {}", base::counted(count, "value"),
               base::counted(n_declared, "result")),
        hint);
  return false;
}

// The result's type without a signature: the common type of all returned values.
void add_result(FunctionContext& context, const SyntaxNode& node, const Value& value) {
  if (!context.results.now) {
    context.results.now = value.type;
  } else if (const auto type = unify(*context.results.now, value.type)) {
    context.results.now = *type;
  } else if (context.results.now->is_scalar() && value.type.is_scalar()) {
    context.results.now = promote(*context.results.now, value.type);
  } else {
    error(context, node,
          format("the values returned differ: {} here and {} elsewhere", describe(value.type),
                 describe(*context.results.now)));
    return;
  }
  // A ufunc's loop has one dtype per result.
  if (!context.task.signature) return;
  context.results.now->is_weak = false;
  for (InferredType& part : context.results.now->items) part.is_weak = false;
}

bool is_constant(const Expression& expression, std::int64_t number) {
  return expression.kind == ExpressionKind::kConstant &&
         detail<ConstantValue>(expression) == ConstantValue(number);
}

// The bound of a[:stop], the first elements of an array; null for other values.
const Expression* stop_of_first_part(const Value& value) {
  const Expression& view = value.expression;
  if (view.kind != ExpressionKind::kView) return nullptr;
  const std::vector<Expression>& bounds = view.operands[1].operands;
  const bool are_others_whole =
      std::all_of(view.operands.begin() + 2, view.operands.end(), [](const Expression& item) {
        return item.kind == ExpressionKind::kSlice && item.operands.empty();
      });
  const bool is_slice = view.operands[1].kind == ExpressionKind::kSlice;
  const bool is_first = is_slice && are_others_whole && bounds.size() == 3 &&
                        is_constant(bounds[0], 0) && is_constant(bounds[2], 1);
  return is_first ? &bounds[1] : nullptr;
}

// The array parameter that a device function returns, itself or the first elements of; -1 for other
// values.
int returned_parameter(const FunctionContext& context, const Value& value) {
  const bool is_device_function = !context.task.signature && !context.task.results;
  if (!is_device_function || !value.type.is_array()) return -1;
  const bool is_part = stop_of_first_part(value) != nullptr;
  const Expression& array = is_part ? value.expression.operands.front() : value.expression;
  const int local = named_local(array).value_or(-1);
  return local < static_cast<int>(context.task.arguments.size()) ? local : -1;
}

// Whether a value is the array that the function returns elsewhere, or no value is an array.
bool check_returned_parameter(FunctionContext& context, const SyntaxNode& node, int parameter,
                              bool is_part) {
  const bool is_same = parameter == context.results.parameter &&
                       (parameter < 0 || is_part == context.results.now.has_value());
  if (!context.results.first_return || is_same) return true;
  error(context, node, format("'{}' and another value are returned", text(context, node)),
        "return one array everywhere", {{"returned here", *context.results.first_return}});
  return false;
}

void return_value(FunctionContext& context, const SyntaxNode& node, const SyntaxNode& value_node) {
  Value value = infer(context, value_node);
  if (value.type.is_record && !value.type.is_records()) value = record_copy(context, value);
  const int parameter = returned_parameter(context, value);
  const Expression* const stop = parameter >= 0 ? stop_of_first_part(value) : nullptr;
  if (!value.type.is_known() ||
      !check_returned_parameter(context, value_node, parameter, stop != nullptr) ||
      (parameter < 0 && !check_result_count(context, value_node, value))) {
    context.results.has_error = true;
    return;
  }
  context.results.parameter = parameter;
  if (!context.results.first_return) context.results.first_return = place(context, value_node);
  Statement statement{StatementKind::kReturn, place(context, node), 0, {}, {}, {}, {}, {}};
  if (context.task.results) {
    statement.value = declared_result(context, value);
  } else if (stop != nullptr) {
    context.results.now = InferredType::scalar(DType::kInt64);
    statement.value = *stop;
  } else if (parameter < 0) {
    add_result(context, value_node, value);
    statement.value = convert(context, value, context.results.before.value_or(value.type));
  }
  add_statement(context, std::move(statement));
}

}  // namespace

void return_statement(FunctionContext& context, const SyntaxNode& node) {
  const SyntaxNode* value_node = node.child("value");
  const bool returns_none = value_node && value_node->text == "NoneType";
  if (context.task.is_generalized() && value_node && !returns_none) {
    const SyntaxNode& output = context.syntax.parameters.back();
    error(context, node,
          format("a guvectorize kernel returns nothing; results go into '{}'", output.text),
          returned_hint(context, *value_node));
  } else if (context.task.is_device_kernel && value_node && !returns_none) {
    error(context, node, "a device kernel returns nothing", "write into an array argument");
  } else if (context.task.is_generalized() || context.task.is_device_kernel) {
    add_statement(context, {StatementKind::kReturn, place(context, node), 0, {}, {}, {}, {}, {}});
  } else if (!value_node && context.task.signature) {
    error(context, node, "'return' without a value, the signature declares " + promised(context));
    context.results.has_error = true;
  } else if (returns_none && context.task.signature) {
    error(context, *value_node, "None returned, the signature declares " + promised(context));
    context.results.has_error = true;
  } else if (!value_node || (returns_none && !context.task.signature)) {
    context.results.bare_return = place(context, node);
    add_statement(context, {StatementKind::kReturn, place(context, node), 0, {}, {}, {}, {}, {}});
  } else {
    return_value(context, node, *value_node);
  }
  context.flow.stop({"the function returns here", place(context, node)});
}

void check_end_of_body(FunctionContext& context) {
  if (context.results.bare_return && context.results.first_return) {
    error(context, *context.results.bare_return,
          "'return' without a value, the function returns one elsewhere", "",
          {{"returned here", *context.results.first_return}});
    return;
  }
  const bool returns_nothing = context.task.is_generalized() || context.task.is_device_kernel;
  if (!context.flow.is_reachable() || returns_nothing || context.results.has_error) return;
  const std::string name = shown_function(context);
  const SyntaxNode& last = context.syntax.body.back();
  if (context.results.first_return && last.kind == SyntaxKind::kIf &&
      last.children("orelse").empty()) {
    error(context, *last.child("test"), name + " returns nothing when this is false",
          "add a 'return' after the 'if'");
    return;
  }
  if (context.results.first_return) {
    error(context, first_line_place(context, last), name + " returns nothing after this",
          "add a 'return' at the end");
    return;
  }
  if (!context.task.signature) return;  // reported at the call
  SourceSpan where = context.syntax.name_place;
  where.source += context.source_base;
  const SyntaxNode* result =
      last.kind == SyntaxKind::kExpr ? last.child("value") : last_assigned(context.syntax.body);
  if (result && result->kind == SyntaxKind::kConstant) result = nullptr;  // a docstring
  error(context, where,
        format("{} returns nothing, the signature declares {}", name, promised(context)),
        result ? format("add 'return {}'", text(context, *result)) : "");
}

void check_outputs_written(FunctionContext& context) {
  if (!context.task.is_generalized() || !context.findings.errors.empty()) return;
  for (std::size_t i = context.task.n_inputs; i < context.task.arguments.size(); ++i) {
    if (context.arrays.written.contains(static_cast<int>(i))) continue;
    const std::string& name = context.syntax.parameters[i].text;
    const SyntaxNode* result = last_assigned(context.syntax.body);
    error(context, context.syntax.parameters[i], format("'{}' is never written", name),
          format("{}[0] = {}", name, result ? result->text : "..."));
  }
}

}  // namespace numpy_plugin::declare
