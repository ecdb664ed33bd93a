#include "numpy_plugin/infer/expressions/infer_expressions.hpp"

#include <algorithm>
#include <tuple>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"

namespace numpy_plugin::declare {
namespace {

// "math.sqrt" for the word "sqrt", else a similar name.
std::string suggestion(const std::string& word, const std::vector<std::string>& known_names) {
  for (const std::string& name : known_names) {
    if (name.ends_with("." + word)) return name;
  }
  // Edit distance is meaningless for one-letter names.
  return word.size() == 1 ? "" : base::nearest(word, known_names);
}

const SyntaxNode* first_target(const SyntaxNode& node, const std::string& name) {
  if (node.kind == SyntaxKind::kName && node.text == name) return &node;
  for (const SyntaxNode& item : node.children("elts")) {
    if (const SyntaxNode* found = first_target(item, name)) return found;
  }
  return nullptr;
}

// The first place in the source where a name is assigned.
const SyntaxNode* first_target(const std::vector<SyntaxNode>& statements, const std::string& name) {
  for (const SyntaxNode& statement : statements) {
    if (statement.kind == SyntaxKind::kAnnAssign && !statement.child("value")) continue;
    for (const auto* field : {"targets", "target"}) {
      for (const SyntaxNode& target : statement.children(field)) {
        if (const SyntaxNode* found = first_target(target, name)) return found;
      }
    }
    for (const auto* field : {"body", "orelse"}) {
      if (const SyntaxNode* found = first_target(statement.children(field), name)) return found;
    }
  }
  return nullptr;
}

Value report_unassigned(FunctionContext& context, const SyntaxNode& node, int variable) {
  const std::string& name = node.text;
  context.flow.assign(variable);  // reported once
  context.scope.variable(variable).has_error = true;
  const auto outer = context.syntax.bindings.find(name);
  if (outer != context.syntax.bindings.end()) {
    return error(context, node, format("'{}' is used before it has a value", name),
                 format("the assignment makes {} a local name; use another name", name),
                 defined_here(context, outer->second,
                              format("the module's {} is not changed by a kernel", name)));
  }
  std::vector<Note> notes;
  if (const SyntaxNode* first = first_target(context.syntax.body, name)) {
    notes.push_back({name + " gets its first value here", place(context, *first)});
  }
  return error(context, node, format("'{}' is used before it has a value", name), "", notes);
}

void warn_unassigned(FunctionContext& context, const SyntaxNode& node, const Reason* reason) {
  const std::string& name = node.text;
  const std::string message =
      format("'{}' may have no value here: the call then raises UnboundLocalError", name);
  if (!reason) return warn(context, node, message);
  if (reason->kind == Reason::Kind::kZeroTrips) {
    return warn(context, node, message, format("write {} = 0 before the loop", name),
                {{"the loop may run zero times", reason->place}});
  }
  const bool is_when_true = reason->kind == Reason::Kind::kOnlyWhenTrue;
  warn(context, node, message, format("assign {} before the 'if', or add an 'else'", name),
       {{format("{} is assigned only when this {}", name, is_when_true ? "holds" : "does not hold"),
         reason->place}});
}

// Whether a variable without a value on some paths can be read: a flag says then whether it has
// one.
bool can_be_checked(const FunctionContext& context, int variable) {
  const Variable& entry = context.scope.variable(variable);
  return context.flow.is_perhaps_assigned(variable) && !context.flow.is_perhaps_none(variable) &&
         !entry.item && !entry.has_error;
}

// `if not flag: raise ...`
void raise_without_value(FunctionContext& context, const SyntaxNode& node, int variable,
                         std::string type, std::string message) {
  const SourceSpan where = place(context, node);
  Statement test{StatementKind::kIf, where, 0, {}, {}, {}, {}, {}};
  test.value = call(Operation::kLogicalNot, base::DType::kBool,
                    {value_flag(context, variable, node)}, where);
  test.body.push_back(raised(context, node, std::move(type), std::move(message)));
  add_statement(context, std::move(test));
}

// The next pass has the flag where none knew before that it is needed.
void check_assigned(FunctionContext& context, const SyntaxNode& node, int variable) {
  Variable& entry = context.scope.variable(variable);
  entry.is_checked = true;
  if (context.scope.reported_names.insert(entry.name).second) {
    warn_unassigned(context, node, context.flow.reason(variable));
  }
  if (!entry.flag) return;
  raise_without_value(
      context, node, variable, "UnboundLocalError",
      format("cannot access local variable '{}' where it is not associated with a value",
             entry.name));
}

void check_not_none(FunctionContext& context, const SyntaxNode& node, int variable) {
  Variable& entry = context.scope.variable(variable);
  entry.is_checked = true;
  if (context.scope.reported_names.insert(entry.name).second) {
    warn(context, node, format("'{}' may be None here: the call then raises TypeError", entry.name),
         format("test 'if {} is None' before", entry.name));
  }
  if (!entry.flag) return;
  raise_without_value(context, node, variable, "TypeError", format("'{}' is None", entry.name));
}

Value read_variable(FunctionContext& context, const SyntaxNode& node, int variable) {
  const Variable& entry = context.scope.variable(variable);
  if (!context.flow.is_assigned(variable)) {
    if (!can_be_checked(context, variable)) return report_unassigned(context, node, variable);
    check_assigned(context, node, variable);
  }
  if (entry.has_error) return {};
  if (entry.item) {
    Value value = *entry.item;
    value.node = &node;
    value.expression.place = place(context, node);
    return value;
  }
  if (context.flow.is_none(variable)) return none(context, node);
  if (context.flow.is_perhaps_none(variable)) check_not_none(context, node, variable);
  const std::optional<InferredType>& type = entry.before ? entry.before : entry.now;
  if (!type || !type->is_known()) return {};
  Value value;
  value.node = &node;
  value.type = *type;
  value.origin = entry.origin;
  const LocalReference local{context.scope.local_of(variable)};
  value.expression =
      Expression{ExpressionKind::kLocal, storage(*type), place(context, node), {}, local};
  return value;
}

}  // namespace

Expression value_flag(const FunctionContext& context, int variable, const SyntaxNode& node) {
  return {ExpressionKind::kLocal,
          ValueType::scalar(base::DType::kBool),
          place(context, node),
          {},
          LocalReference{*context.scope.variable(variable).flag}};
}

void set_value_flag(FunctionContext& context, int variable, bool has_value,
                    const SourceSpan& where) {
  const std::optional<int> flag = context.scope.variable(variable).flag;
  if (!flag) return;
  Statement statement{StatementKind::kAssign, where, *flag, {}, {}, {}, {}, {}};
  statement.value = constant_expression(base::DType::kBool, std::int64_t{has_value}, where);
  add_statement(context, std::move(statement));
}

std::string dotted(const FunctionContext& context, const SyntaxNode& node) {
  if (node.kind == SyntaxKind::kName) {
    const bool is_local =
        context.scope.find(node) >= 0 || context.scope.error_names.contains(node.text);
    return is_local ? "" : node.text;
  }
  if (node.kind != SyntaxKind::kAttribute) return "";
  const std::string before = dotted(context, *node.child("value"));
  return before.empty() ? "" : format("{}.{}", before, node.text);
}

Value infer_name(FunctionContext& context, const SyntaxNode& node) {
  const int variable = context.scope.find(node);
  if (variable >= 0) return read_variable(context, node, variable);
  if (context.scope.error_names.contains(node.text)) return {};
  if (const Binding* binding = find_binding(context, node)) {
    return value_of(context, *binding, node);
  }
  return report_unknown(context, node);
}

Value report_unknown(FunctionContext& context, const SyntaxNode& node,
                     const std::string& otherwise) {
  const std::string message = format("unknown name '{}'", node.text);
  const SourceSpan where = place(context, node);
  if (!context.scope.reported_names.insert(node.text).second) {
    for (Diagnostic& found : context.findings.errors) {
      const bool is_earlier = std::tie(where.source, where.line, where.column) <
                              std::tie(found.place.source, found.place.line, found.place.column);
      if (found.message == message && is_earlier) found.place = where;
    }
    return {};
  }
  std::vector<std::string> candidates;
  for (const Variable& variable : context.scope.variables) candidates.push_back(variable.name);
  candidates.insert(candidates.end(), context.syntax.known_names.begin(),
                    context.syntax.known_names.end());
  const std::string near = suggestion(node.text, candidates);
  return error(context, where, message,
               near.empty() ? otherwise : format("did you mean '{}'?", near));
}

std::string shown_function(const FunctionContext& context) {
  return context.syntax.name == "<lambda>" ? "the lambda" : context.syntax.name;
}

}  // namespace numpy_plugin::declare
