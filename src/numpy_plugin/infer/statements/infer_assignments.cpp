// Assignments: names, tuples, elements of core arrays; the one type a variable has.
#include <algorithm>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/infer/statements/infer.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

bool is_sequence(const SyntaxNode& node) {
  return node.kind == SyntaxKind::kTuple || node.kind == SyntaxKind::kList;
}

// The variables a target assigns.
void collect_names(const SyntaxNode& target, std::vector<std::string>& names) {
  if (target.kind == SyntaxKind::kName) names.push_back(target.text);
  for (const SyntaxNode& item : target.children("elts")) collect_names(item, names);
}

}  // namespace

void FunctionInference::assign_statement(const SyntaxNode& node) {
  const std::vector<SyntaxNode>& targets = node.children("targets");
  only_value_ = targets.size() == 1 ? node.child("value") : nullptr;
  only_target_ =
      targets.front().kind == SyntaxKind::kName ? find_variable(targets.front().text) : -1;
  part_store_ = has_slice(targets.front()) ? &node : nullptr;
  Value value = infer(*node.child("value"));
  part_store_ = nullptr;
  if (targets.size() > 1) value = reusable(std::move(value));
  warn_small_sum(node, value);
  for (const SyntaxNode& target : targets) assign(target, value);
}

void FunctionInference::annotated_assignment(const SyntaxNode& node) {
  if (node.child("value")) assign(*node.child("target"), infer(*node.child("value")));
}

void FunctionInference::augmented_assignment(const SyntaxNode& node) {
  const SyntaxNode& target = *node.child("target");
  const OperatorInfo* info = find_operator(node.op);
  if (!info) {
    error(place(node), "'@' cannot be used in a kernel",
          "multiply in a loop, or call np.matmul outside");
    return;
  }
  if (target.kind == SyntaxKind::kAttribute) return assign(target, Value());
  const Value left = infer(target);
  part_store_ = has_slice(target) ? &node : nullptr;
  const Value right = infer(*node.child("value"));
  Value value = binary(*info, left, right, node);
  part_store_ = nullptr;
  value.node = node.child("value");
  warn_small_sum(node, value);
  assign(target, std::move(value));
}

void FunctionInference::assign(const SyntaxNode& target, Value value) {
  if (target.kind == SyntaxKind::kName) return assign_name(target, std::move(value));
  if (is_sequence(target)) return assign_tuple(target, std::move(value));
  if (target.kind == SyntaxKind::kSubscript) return store(target, std::move(value));
  if (target.kind == SyntaxKind::kStarred) {
    error(place(target), "'*' in an assignment cannot be used in a kernel",
          "name every value: a, b, c = ...");
    return assign(*target.child("value"), Value());
  }
  const bool is_outer =
      target.kind == SyntaxKind::kAttribute && find_root_binding(target) != nullptr;
  error(place(target), "'" + text(target) + "' cannot be assigned in a kernel",
        is_outer ? "return the value as one more result" : "");
}

void FunctionInference::assign_name(const SyntaxNode& target, Value value) {
  if (error_names_.contains(target.text)) return;
  const int variable = find_variable(target.text);
  const bool is_array = variables_[static_cast<std::size_t>(variable)].is_parameter &&
                        task_.arguments[static_cast<std::size_t>(variable)].is_array();
  if (is_array) {
    written_arrays_.insert(variable);
    if (!value.type.is_known()) return;
    const bool is_output = static_cast<std::size_t>(variable) >= task_.n_inputs;
    const std::string part = value.type.is_array() ? "[:] = " : "[0] = ";
    error(place(target),
          "this gives the name '" + target.text + "' to another value" +
              (is_output ? " and writes no result" : ""),
          is_output ? target.text + part + text(*value.node) : "use another name");
    variables_[static_cast<std::size_t>(variable)].has_error = true;
    return;
  }
  assign_variable(variable, target, std::move(value));
}

void FunctionInference::assign_variable(int variable, const SyntaxNode& target, Value value) {
  flow_.assign(variable);
  Variable& entry = variables_[static_cast<std::size_t>(variable)];
  if (!value.type.is_known()) {
    entry.has_error = true;
    return;
  }
  if (!unify_variable(variable, target, value)) return;
  if (value.type.is_array() && !check_second_name(variable, value)) return;
  const InferredType type = *final_type(variable);
  const bool decides_type = value.type == type && value.origin;
  if (decides_type && (!entry.origin || value.origin->is_declared)) entry.origin = value.origin;
  Statement statement{
      StatementKind::kAssign, place(target), local_of(variable), {}, {}, {}, {}, {}};
  statement.value = convert(value, type);
  emit(std::move(statement));
}

// Whether an array's name is assigned as a view; an array that is made here has its place already.
bool FunctionInference::check_second_name(int variable, const Value& value) {
  const Expression& array = value.expression;
  if (array.kind == ExpressionKind::kLocal && array.index == variable) return false;
  mark_written(array);
  if (!reads_trip_array(array)) return true;
  error(place(*value.node), "an array that is made in a loop has one name only",
        "make it before the loop");
  variables_[static_cast<std::size_t>(variable)].has_error = true;
  return false;
}

// Each trip makes it anew in the same place.
bool FunctionInference::reads_trip_array(const Expression& array) const {
  if (array.kind == ExpressionKind::kLocal) return trip_arrays_.contains(array.index);
  return std::any_of(array.operands.begin(), array.operands.end(),
                     [this](const Expression& operand) { return reads_trip_array(operand); });
}

bool FunctionInference::unify_variable(int variable, const SyntaxNode& target, const Value& value) {
  Variable& entry = variables_[static_cast<std::size_t>(variable)];
  const bool is_loop_variable = value.node == &target;
  const Assignment assignment{value.type, place(target), is_loop_variable ? nullptr : value.node};
  if (!entry.now) {
    entry.now = value.type;
  } else if (const auto type = unify(*entry.now, value.type)) {
    entry.now = *type;
  } else {
    report_conflict(entry, target, value);
    return false;
  }
  entry.assignments.push_back(assignment);
  return true;
}

// Two scalars that no type holds both of: one of them cast, so that one does.
std::string FunctionInference::conflict_hint(const std::string& name, const SyntaxNode& target,
                                             const Value& value, const Assignment& first) const {
  const auto written = [&name](const std::string& type, const std::string& text, int line) {
    return "write " + name + " = " + type + "(" + text + ") in line " + std::to_string(line);
  };
  const bool is_float = base::is_floating(value.type.dtype);
  if (!is_float && base::is_floating(first.type.dtype)) {
    const bool is_written = value.node != nullptr && value.node->kind != SyntaxKind::kAugAssign;
    return is_written ? written("float", text(*value.node), place(target).line) : "";
  }
  if (first.value == nullptr) return "";
  const std::string type =
      is_float ? "float" : spelling("numpy_plugin", base::name(value.type.dtype));
  return written(type, text(*first.value), first.target.line);
}

void FunctionInference::report_conflict(Variable& variable, const SyntaxNode& target,
                                        const Value& value) {
  const InferredType& type = value.type;
  const bool already_reported = std::exchange(variable.has_error, true);
  if (already_reported) return;
  const auto other =
      std::find_if(variable.assignments.begin(), variable.assignments.end(),
                   [&type](const Assignment& assignment) { return !unify(assignment.type, type); });
  const Assignment& first =
      other == variable.assignments.end() ? variable.assignments.front() : *other;
  const std::string& name = variable.name;
  std::string message =
      "'" + name + "' is " + describe(type) + " here and " + describe(first.type) + " elsewhere";
  std::string hint;
  if (type.is_scalar() && first.type.is_scalar()) {
    message += "; no type holds both exactly";
    hint = conflict_hint(name, target, value, first);
  } else if (type.is_tuple() != first.type.is_tuple()) {
    hint = "give the two values different names";
  }
  error(place(target), message, hint,
        {{name + " is " + describe(first.type) + " here", first.target}});
}

void FunctionInference::assign_tuple(const SyntaxNode& target, Value value) {
  const std::vector<SyntaxNode>& targets = target.children("elts");
  const bool has_star = std::any_of(
      targets.begin(), targets.end(),
      [](const SyntaxNode& item_target) { return item_target.kind == SyntaxKind::kStarred; });
  if (has_star) value = Value();
  if (!value.type.is_known()) {
    for (const SyntaxNode& item_target : targets) assign(item_target, Value());
    return;
  }
  if (!value.type.is_tuple() || value.type.items.size() != targets.size()) {
    report_unpacking(target, value);
    for (const SyntaxNode& item_target : targets) assign(item_target, Value());
    return;
  }
  const bool is_written_out = value.expression.kind == ExpressionKind::kTuple;
  if (!is_written_out) value = reusable(std::move(value));
  std::vector<Value> items;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    Value part = item(value, i, *value.node);
    const bool has_nodes = is_sequence(*value.node) && value.node->children("elts").size() > i;
    if (has_nodes) part.node = &value.node->children("elts")[i];
    if (is_written_out && reads_assigned(part.expression, targets, i)) {
      part = reusable(std::move(part), true);
    }
    items.push_back(std::move(part));
  }
  for (std::size_t i = 0; i < targets.size(); ++i) assign(targets[i], std::move(items[i]));
}

void FunctionInference::report_unpacking(const SyntaxNode& target, const Value& value) {
  const std::size_t n_names = target.children("elts").size();
  if (!value.type.is_tuple()) {
    error(place(*value.node),
          std::to_string(n_names) + " names for 1 value, " + with_article(value.type));
    return;
  }
  std::vector<Note> notes;
  if (value.node->kind == SyntaxKind::kCall) {
    const Binding* binding = find_binding(*value.node->child("func"));
    if (binding && binding->function) notes = returned_note(*binding->function, value);
  }
  error(place(target),
        std::to_string(n_names) + " names for " + base::counted(value.type.items.size(), "value"),
        "", notes);
}

// Where a device function returns its tuple.
std::vector<Note> FunctionInference::returned_note(const FunctionSyntax& function,
                                                   const Value& value) const {
  const Expression& expression = value.expression;
  if (expression.kind != ExpressionKind::kCallFunction) return {};
  const TypedFunction& callee = kernel_.typed(static_cast<std::size_t>(expression.index));
  return {{function.name + " returns " + std::to_string(value.type.items.size()) + " values",
           callee.first_return}};
}

// Whether an item of a tuple is read after an earlier target of the same statement has changed it.
bool FunctionInference::reads_assigned(const Expression& expression,
                                       const std::vector<SyntaxNode>& targets,
                                       std::size_t n_earlier) const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < n_earlier; ++i) {
    if (targets[i].kind == SyntaxKind::kSubscript) return true;
    collect_names(targets[i], names);
  }
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    const int variable = find_variable(name);
    return variable >= 0 && reads_local(expression, local_of(variable));
  });
}

bool FunctionInference::reads_local(const Expression& expression, int local) const {
  const bool names_local = expression.kind == ExpressionKind::kLocal ||
                           expression.kind == ExpressionKind::kLoad ||
                           expression.kind == ExpressionKind::kArraySize;
  if (names_local && expression.index == local) return true;
  return std::any_of(expression.operands.begin(), expression.operands.end(),
                     [&](const Expression& operand) { return reads_local(operand, local); });
}

// A sum that starts with a plain 0 and takes a small integer type.
void FunctionInference::warn_small_sum(const SyntaxNode& statement, const Value& value) {
  const SyntaxNode* target = statement.child("target");
  if (!target) target = statement.child("targets");
  const SyntaxNode& sum = *statement.child("value");
  const bool is_sum = statement.kind == SyntaxKind::kAugAssign
                          ? statement.op == SyntaxKind::kAdd
                          : sum.kind == SyntaxKind::kBinOp && sum.op == SyntaxKind::kAdd &&
                                text(*sum.child("left")) == text(*target);
  const int variable = target->kind == SyntaxKind::kName ? find_variable(target->text) : -1;
  if (!is_sum || variable < 0 || loops_.empty() || !value.type.is_known()) return;
  const DType dtype = value.type.dtype;
  const Variable& entry = variables_[static_cast<std::size_t>(variable)];
  const bool is_small = value.type.is_scalar() && !value.type.is_weak && base::is_integer(dtype) &&
                        n_bits(dtype) < 64;
  const bool starts_weak = !entry.assignments.empty() && entry.assignments.front().type.is_weak;
  if (!is_small || !starts_weak || !entry.before || entry.before->dtype != dtype) return;
  const SyntaxNode& addend = statement.kind == SyntaxKind::kAugAssign ? sum : *sum.child("right");
  const Assignment& first = entry.assignments.front();
  std::string hint;
  if (first.value) hint = "start with " + entry.name + " = np.int64(" + text(*first.value) + ")";
  warn(place(statement),
       "'" + entry.name + "' adds up in " + std::string(base::name(dtype)) + " and wraps past " +
           to_text(range_of(dtype).high),
       hint,
       {{entry.name + " starts as a plain number and takes the type of " + text(addend),
         first.target}});
}

}  // namespace numpy_plugin::declare
