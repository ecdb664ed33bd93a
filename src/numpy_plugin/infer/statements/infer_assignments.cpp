#include "numpy_plugin/base/time_type.hpp"
#include "numpy_plugin/infer/statements/infer_statements.hpp"

#include <algorithm>

#include "numpy_plugin/infer/arrays/array_expressions.hpp"
#include "numpy_plugin/infer/calls/infer_calls.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_arrays.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"
#include "numpy_plugin/infer/expressions/infer_operators.hpp"
#include "numpy_plugin/infer/expressions/records.hpp"
#include "numpy_plugin/infer/statements/infer_loops.hpp"
#include "numpy_plugin/syntax/functions.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

bool mentions(const SyntaxNode& node, const std::string& name) {
  if (node.kind == SyntaxKind::kName && node.text == name) return true;
  return std::any_of(node.fields.begin(), node.fields.end(), [&name](const auto& field) {
    return std::any_of(field.second.begin(), field.second.end(),
                       [&name](const SyntaxNode& child) { return mentions(child, name); });
  });
}

bool is_output(const FunctionContext& context, int parameter) {
  return context.task.signature != nullptr &&
         static_cast<std::size_t>(parameter) >= context.task.n_inputs;
}

// Whether an array parameter's name is given to another value by mistake: one that can be written,
// to a value that does not come from it. Otherwise it is another variable from then on.
bool loses_array(const FunctionContext& context, int parameter, const SyntaxNode& target,
                 const Value& value) {
  const auto index = static_cast<std::size_t>(parameter);
  if (parameter < 0 || !context.task.arguments[index].is_array()) return false;
  if (target.version == 0) return true;
  if (is_output(context, parameter)) return !context.arrays.written.contains(parameter);
  return !context.task.arguments[index].is_read_only &&
         !(value.node != nullptr && mentions(*value.node, target.text));
}

// What stores a value in an output.
std::string storing(const FunctionContext& context, const SyntaxNode& target, const Value& value) {
  const std::string part = value.type.is_array() ? "[:] = " : "[0] = ";
  return target.text + part + text(context, *value.node);
}

void report_lost_array(FunctionContext& context, int parameter, const SyntaxNode& target,
                       const Value& value) {
  context.arrays.written.insert(parameter);
  if (!value.type.is_known()) return;
  if (is_output(context, parameter)) {
    error(context, target, format("this rebinds '{}' and writes no result", target.text),
          storing(context, target, value));
  } else {
    error(context, target, format("this rebinds '{}'", target.text), "use another name");
  }
}

void assign_name(FunctionContext& context, const SyntaxNode& target, Value value) {
  if (context.scope.error_names.contains(target.text)) return;
  const int variable = context.scope.find(target);
  const int parameter = context.scope.find_parameter(target.text);
  if (loses_array(context, parameter, target, value)) {
    report_lost_array(context, parameter, target, value);
    context.scope.variable(variable).has_error = true;
    context.flow.assign(variable);
    return;
  }
  const bool is_array =
      parameter >= 0 && context.task.arguments[static_cast<std::size_t>(parameter)].is_array();
  if (is_array && is_output(context, parameter) && value.type.is_known()) {
    warn(context, target,
         format("this rebinds '{}': the result is what was stored before", target.text),
         storing(context, target, value));
  }
  assign_variable(context, variable, target, std::move(value));
}

// A field of a record, or z.real and z.imag of an array.
bool is_stored_attribute(const FunctionContext& context, const SyntaxNode& target) {
  if (target.kind != SyntaxKind::kAttribute) return false;
  const bool is_part = target.text == "real" || target.text == "imag";
  return record_type(context, *target.child("value")) ||
         (is_part && n_dimensions(context, target) > 0);
}

// Every trip creates it anew in the same memory.
bool reads_trip_array(const FunctionContext& context, const Expression& array) {
  if (array.kind == ExpressionKind::kLocal) {
    return context.arrays.made_on_trips.contains(detail<LocalReference>(array).local);
  }
  return std::any_of(
      array.operands.begin(), array.operands.end(),
      [&context](const Expression& operand) { return reads_trip_array(context, operand); });
}

// Whether an array may be a view of an argument, as far as is known.
bool may_be_argument(const FunctionContext& context, const Expression& array) {
  const int root = root_array(array);
  if (root < 0) return true;
  if (static_cast<std::size_t>(root) < context.task.arguments.size()) return true;
  const auto& variables = context.scope.variables;
  if (static_cast<std::size_t>(root) < variables.size()) {
    return variables[static_cast<std::size_t>(root)].may_be_argument;
  }
  return context.scope.storage_of(root).kind == ArrayStorage::Kind::kView;
}

// Whether an array is a part of one that no name holds.
bool is_unnamed(const FunctionContext& context, const Expression& array) {
  return root_array(array) >= static_cast<int>(context.scope.variables.size());
}

// A copy of an unnamed array that the next trip overwrites, for a name that may hold it then.
Value kept_array(FunctionContext& context, int variable, const Value& value) {
  const Variable& entry = context.scope.variable(variable);
  const bool is_kept = !context.kernel.is_device_kernel() && entry.n_targets > 1 &&
                       is_unnamed(context, value.expression) &&
                       reads_trip_array(context, value.expression);
  return is_kept ? copied_array(context, value, *value.node) : value;
}

// Whether an array's name is assigned as a view; an array created here has its own memory.
bool check_second_name(FunctionContext& context, int variable, const Value& value) {
  const Expression& array = value.expression;
  if (array.kind == ExpressionKind::kLocal && named_local(array) == variable) return false;
  mark_written(context, array);
  Variable& entry = context.scope.variable(variable);
  entry.may_be_argument = entry.may_be_argument || may_be_argument(context, array);
  if (!reads_trip_array(context, array)) return true;
  if (is_unnamed(context, array) && entry.n_targets == 1 && !entry.is_checked) {
    context.arrays.made_on_trips.insert(variable);
    return true;
  }
  error(context, *value.node, "an array created in a loop cannot have a second name",
        "create it before the loop");
  context.scope.variable(variable).has_error = true;
  return false;
}

void assign_none(FunctionContext& context, int variable, const SyntaxNode& target) {
  context.flow.assign_none(variable);
  set_value_flag(context, variable, false, place(context, target));
}

// "np.timedelta64(0, 's')"; without a unit, whose unit calls decide, in seconds.
std::string written_time(const FunctionContext& context, DType dtype, const std::string& number) {
  const std::string name(base::name(dtype));
  const std::size_t bracket = name.find('[');
  const std::string unit =
      bracket == std::string::npos ? "s" : name.substr(bracket + 1, name.size() - bracket - 2);
  return format("{}({}, '{}')", spelling(context, "numpy", name.substr(0, bracket)), number, unit);
}

// For an earlier number and a duration: the duration to start with.
std::string time_hint(const FunctionContext& context, const std::string& name, const Value& value,
                      const Assignment& first) {
  const bool is_number = base::is_duration(value.type.dtype) && !base::is_time(first.type.dtype);
  if (!is_number || first.value == nullptr) return "";
  return format("write {} = {} in line {}", name,
                written_time(context, value.type.dtype, text(context, *first.value)),
                first.target.line);
}

// For two scalars without a common type: a cast of one of them.
std::string conflict_hint(const FunctionContext& context, const std::string& name,
                          const SyntaxNode& target, const Value& value, const Assignment& first) {
  const auto written = [&name](const std::string& type, const std::string& text, int line) {
    return format("write {} = {}({}) in line {}", name, type, text, line);
  };
  if (base::is_time(value.type.dtype) || base::is_time(first.type.dtype)) {
    return time_hint(context, name, value, first);
  }
  const bool is_float = base::is_floating(value.type.dtype);
  if (!is_float && base::is_floating(first.type.dtype)) {
    const bool is_written = value.node != nullptr && value.node->kind != SyntaxKind::kAugAssign;
    return is_written ? written("float", text(context, *value.node), place(context, target).line)
                      : "";
  }
  if (first.value == nullptr) return "";
  const std::string type =
      is_float ? "float" : spelling(context, "numpy_plugin", base::name(value.type.dtype));
  return written(type, text(context, *first.value), first.target.line);
}

// The first earlier assignment of a type that has none in common with this one.
const Assignment& conflicting(const Variable& variable, const InferredType& type) {
  const auto other =
      std::find_if(variable.assignments.begin(), variable.assignments.end(),
                   [&type](const Assignment& assignment) { return !unify(assignment.type, type); });
  return other == variable.assignments.end() ? variable.assignments.front() : *other;
}

void report_conflict(FunctionContext& context, Variable& variable, const SyntaxNode& target,
                     const Value& value) {
  const InferredType& type = value.type;
  if (std::exchange(variable.has_error, true)) return;
  const Assignment& first = conflicting(variable, type);
  const std::string& name = variable.name;
  std::string message =
      format("'{}' is {} here and {} elsewhere", name, describe(type), describe(first.type));
  std::string hint;
  if (type.is_scalar() && first.type.is_scalar()) {
    message += "; no type holds both exactly";
    hint = conflict_hint(context, name, target, value, first);
  } else if (type.is_tuple() != first.type.is_tuple()) {
    hint = "give the two values different names";
  }
  error(context, target, message, hint,
        {{format("{} is {} here", name, describe(first.type)), first.target}});
}

// The floating-point type of a variable that 64-bit integers are assigned to, too: NumPy casts them
// by default, although it rounds those beyond 2**53.
std::optional<InferredType> rounding_type(const InferredType& left, const InferredType& right) {
  if (!left.is_scalar() || !right.is_scalar()) return std::nullopt;
  if (base::is_integer(left.dtype) == base::is_integer(right.dtype)) return std::nullopt;
  return promote(left, right);
}

void warn_rounding(FunctionContext& context, Variable& variable, const SyntaxNode& target,
                   const Value& value) {
  const Assignment& first = conflicting(variable, value.type);
  if (std::exchange(variable.is_rounding, true)) return;
  const std::string& name = variable.name;
  const InferredType common = promote(value.type, first.type);
  const char* const loss =
      base::is_time(common.dtype) ? "the number counts its ticks" : "it is exact up to 2**53";
  warn(context, target,
       format("'{}' is {} here and {} elsewhere; as {} {}", name, describe(value.type),
              describe(first.type), describe(common), loss),
       conflict_hint(context, name, target, value, first),
       {{format("{} is {} here", name, describe(first.type)), first.target}});
}

bool is_small_integer(const InferredType& type) {
  return type.is_scalar() && !type.is_weak && base::is_integer(type.dtype) &&
         n_bits(type.dtype) < 64;
}

std::string wrapping_text(const std::string& sum, DType dtype) {
  return format("'{}' adds up in {} and wraps past {}", sum, base::name(dtype),
                to_text(range_of(dtype).high));
}

// A sum that starts with a plain 0 and takes a small integer type.
void warn_small_name(FunctionContext& context, const SyntaxNode& statement, const Variable& entry,
                     const SyntaxNode& addend, DType dtype) {
  const bool starts_weak = !entry.assignments.empty() && entry.assignments.front().type.is_weak;
  if (!starts_weak || !entry.before || entry.before->dtype != dtype) return;
  const Assignment& first = entry.assignments.front();
  std::string hint;
  if (first.value) {
    hint = format("start with {} = np.int64({})", entry.name, text(context, *first.value));
  }
  warn(context, statement, wrapping_text(entry.name, dtype), hint,
       {{format("{} starts as a plain number and takes the type of {}", entry.name,
                text(context, addend)),
         first.target}});
}

// Whether a node may have another value on each trip of the innermost loop.
bool varies(const FunctionContext& context, const SyntaxNode& node) {
  if (node.kind == SyntaxKind::kCall) return true;
  if (node.kind == SyntaxKind::kName) {
    const std::vector<int> changed = changed_by(context, *context.loops.back().loop);
    return std::find(changed.begin(), changed.end(), context.scope.find(node)) != changed.end();
  }
  return std::any_of(node.fields.begin(), node.fields.end(), [&context](const auto& field) {
    return std::any_of(field.second.begin(), field.second.end(),
                       [&context](const auto& child) { return varies(context, child); });
  });
}

// A sum in one element of an array of small integers.
void warn_small_element(FunctionContext& context, const SyntaxNode& statement,
                        const SyntaxNode& target, const SyntaxNode& addend, DType dtype) {
  const SyntaxNode& owner = *target.child("value");
  const int variable = context.scope.find(owner);
  const auto type = variable < 0 ? std::nullopt : context.scope.type_of(variable);
  const bool is_own = type && type->is_array() && type->dtype == dtype;
  if (!is_own || addend.kind == SyntaxKind::kConstant || varies(context, target)) return;
  const bool is_operand =
      context.scope.variable(variable).is_parameter && context.task.signature != nullptr;
  const std::string wide = OperandType{DType::kInt64, type->n_dimensions}.text();
  warn(context, statement, wrapping_text(text(context, target), dtype),
       is_operand ? format("declare {} as {}", owner.text, wide)
                  : "add up in a variable that starts with np.int64(0)");
}

bool mentions(const SyntaxNode& node, std::string_view name) {
  if (node.kind == SyntaxKind::kName) return node.text == name;
  return std::ranges::any_of(node.fields, [name](const auto& field) {
    return std::ranges::any_of(field.second,
                               [name](const SyntaxNode& child) { return mentions(child, name); });
  });
}

// What is added in `total += x`, `total = total * 10 + x` and `a[i] = a[i] + x`; null for others.
const SyntaxNode* addend_of(const FunctionContext& context, const SyntaxNode& statement,
                            const SyntaxNode& target) {
  const SyntaxNode& sum = *statement.child("value");
  if (statement.kind == SyntaxKind::kAugAssign) {
    return statement.op == SyntaxKind::kAdd ? &sum : nullptr;
  }
  if (sum.kind != SyntaxKind::kBinOp || sum.op != SyntaxKind::kAdd) return nullptr;
  const SyntaxNode& left = *sum.child("left");
  const SyntaxNode& right = *sum.child("right");
  if (target.kind != SyntaxKind::kName) {
    return text(context, left) == text(context, target) ? &right : nullptr;
  }
  if (!mentions(sum, target.text)) return nullptr;
  return mentions(right, target.text) ? &left : &right;
}

void warn_small_sum(FunctionContext& context, const SyntaxNode& statement, const Value& value) {
  if (context.loops.empty() || !is_small_integer(value.type)) return;
  const SyntaxNode* target = statement.child("target");
  if (!target) target = statement.child("targets");
  const SyntaxNode* const addend = addend_of(context, statement, *target);
  if (addend == nullptr) return;
  if (target->kind == SyntaxKind::kSubscript) {
    return warn_small_element(context, statement, *target, *addend, value.type.dtype);
  }
  const int variable = context.scope.find(*target);
  if (variable < 0) return;
  warn_small_name(context, statement, context.scope.variable(variable), *addend, value.type.dtype);
}

// The integer that an assignment gives a name, where it is known.
std::optional<Int128> assigned_integer(FunctionContext& context, const Value& value) {
  if (const auto* integer = constant_integer(value)) return *integer;
  const bool is_integer = value.type.is_scalar() && base::is_integer(value.type.dtype);
  return is_integer && value.node != nullptr ? known_integer(context, *value.node) : std::nullopt;
}

}  // namespace

void assign_target(FunctionContext& context, const SyntaxNode& target, Value value) {
  if (target.kind == SyntaxKind::kName) return assign_name(context, target, std::move(value));
  if (is_sequence(target)) return unpack(context, target, std::move(value));
  if (target.kind == SyntaxKind::kSubscript) return store(context, target, std::move(value));
  if (target.kind == SyntaxKind::kStarred) {
    return assign_target(context, *target.child("value"), std::move(value));
  }
  if (is_stored_attribute(context, target)) return store_attribute(context, target, value);
  const bool is_outer =
      target.kind == SyntaxKind::kAttribute && find_root_binding(context, target) != nullptr;
  error(context, target, format("'{}' cannot be assigned in a kernel", text(context, target)),
        is_outer ? "return the value as one more result" : "");
}

void assign_statement(FunctionContext& context, const SyntaxNode& node) {
  if (is_masked_store(context, node)) return store_masked(context, node);
  if (is_selected_store(context, node)) return store_selected(context, node);
  if (is_whole_array_store(context, node)) return store_whole_array(context, node);
  const std::vector<SyntaxNode>& targets = node.children("targets");
  context.statement.only_value = targets.size() == 1 ? node.child("value") : nullptr;
  context.statement.only_target = context.scope.find(targets.front());
  const SyntaxNode& target = targets.front();
  const bool is_element =
      target.kind == SyntaxKind::kSubscript && n_dimensions(context, target) == 0;
  context.statement.number = is_element ? node.child("value") : nullptr;
  const bool is_part = target.kind == SyntaxKind::kSubscript && n_dimensions(context, target) > 0;
  Value value = is_element ? infer(context, *node.child("value"))
                : is_part && is_sequence(*node.child("value"))
                    ? listed_tuple(context, *node.child("value"))
                    : infer_optional(context, *node.child("value"));
  if (targets.size() > 1) value = reusable(context, std::move(value));
  warn_small_sum(context, node, value);
  for (const SyntaxNode& each : targets) assign_target(context, each, value);
}

void annotated_assignment(FunctionContext& context, const SyntaxNode& node) {
  if (node.child("value")) {
    return assign_target(context, *node.child("target"),
                         infer_optional(context, *node.child("value")));
  }
  // A name of no program: the function, one of a generator, assigns it before it reads it.
  const SyntaxNode& target = *node.child("target");
  if (target.text.starts_with('.')) context.flow.assign(context.scope.find(target));
}

void augmented_assignment(FunctionContext& context, const SyntaxNode& node) {
  const SyntaxNode& target = *node.child("target");
  const OperatorInfo* info = find_operator(node.op);
  if (!info) {
    error(context, node, "'@' cannot be used in a kernel",
          "multiply in a loop, or call np.matmul outside");
    return;
  }
  if (target.kind == SyntaxKind::kAttribute && !is_stored_attribute(context, target)) {
    return assign_target(context, target, Value());
  }
  if (is_masked_store(context, node)) return store_masked(context, node);
  if (is_selected_store(context, node)) return store_selected(context, node);
  if (is_whole_array_store(context, node)) return store_whole_array(context, node);
  auto element = target_element(context, target);
  const Value left = element ? element_value(context, *element, target) : infer(context, target);
  const Value right = infer(context, *node.child("value"));
  Value value = binary(context, *info, left, right, node);
  value.node = node.child("value");
  warn_small_sum(context, node, value);
  context.statement.augmented = &node;
  if (element) {
    store(context, std::move(*element), target, value);
  } else {
    assign_target(context, target, std::move(value));
  }
  context.statement.augmented = nullptr;
}

void assign_variable(FunctionContext& context, int variable, const SyntaxNode& target,
                     Value value) {
  if (value.type.is_none()) return assign_none(context, variable, target);
  context.flow.assign(variable);
  set_value_flag(context, variable, true, place(context, target));
  Variable& entry = context.scope.variable(variable);
  if (!value.type.is_known()) {
    entry.has_error = true;
    return;
  }
  if (!unify_variable(context, variable, target, value)) return;
  if (has_counted_size(context, *value.node)) context.arrays.counted.insert(variable);
  if (value.type.is_array()) value = kept_array(context, variable, value);
  if (value.type.is_array() && !check_second_name(context, variable, value)) return;
  if (value.type.is_tuple()) mark_written(context, value.expression);
  if (value.type.is_record && entry.is_assigned_once()) {
    entry.item = with_fields_in_locals(context, value);
    return;
  }
  const InferredType type = *context.scope.type_of(variable);
  const bool decides_type = value.type == type && value.origin;
  if (decides_type && (!entry.origin || value.origin->is_declared)) entry.origin = value.origin;
  Statement statement{StatementKind::kAssign,
                      place(context, target),
                      context.scope.local_of(variable),
                      {},
                      {},
                      {},
                      {},
                      {}};
  statement.value = convert(context, value, type);
  entry.note_least(least_value(context, *statement.value));
  entry.note_number(assigned_integer(context, value));
  add_statement(context, std::move(statement));
}

bool unify_variable(FunctionContext& context, int variable, const SyntaxNode& target,
                    const Value& value) {
  Variable& entry = context.scope.variable(variable);
  const bool is_loop_variable = value.node == &target;
  const Assignment assignment{value.type, place(context, target),
                              is_loop_variable ? nullptr : value.node};
  if (!entry.now) {
    entry.now = value.type;
  } else if (const auto type = unify(*entry.now, value.type)) {
    entry.now = *type;
  } else if (const auto wider = rounding_type(*entry.now, value.type)) {
    warn_rounding(context, entry, target, value);
    entry.now = *wider;
  } else {
    report_conflict(context, entry, target, value);
    return false;
  }
  entry.assignments.push_back(assignment);
  return true;
}

}  // namespace numpy_plugin::declare
