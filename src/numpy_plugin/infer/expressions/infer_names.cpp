// Names: which are local variables, and what those hold where they are read.
#include <algorithm>
#include <tuple>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"

namespace numpy_plugin::declare {
namespace {

// "math.sqrt" for the word "sqrt", else a name that is nearly the word.
std::string suggestion(const std::string& word, const std::vector<std::string>& known_names) {
  for (const std::string& name : known_names) {
    if (name.ends_with("." + word)) return name;
  }
  // Any letter is one edit away from any other.
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

}  // namespace

int ExpressionInference::find_variable(std::string_view name) const {
  const auto found = variable_indices_.find(name);
  return found == variable_indices_.end() ? -1 : found->second;
}

// "math.sqrt" for a chain of attributes that starts at a name from outside; empty for others.
std::string ExpressionInference::dotted(const SyntaxNode& node) const {
  if (node.kind == SyntaxKind::kName) {
    const bool is_local = find_variable(node.text) >= 0 || error_names_.contains(node.text);
    return is_local ? "" : node.text;
  }
  if (node.kind != SyntaxKind::kAttribute) return "";
  const std::string before = dotted(*node.child("value"));
  return before.empty() ? "" : before + "." + node.text;
}

Value ExpressionInference::infer_name(const SyntaxNode& node) {
  const int variable = find_variable(node.text);
  if (variable >= 0) return read_variable(node, variable);
  if (error_names_.contains(node.text)) return {};
  if (const Binding* binding = find_binding(node)) return value_of(*binding, node);
  return report_unknown(node);
}

Value ExpressionInference::read_variable(const SyntaxNode& node, int variable) {
  const Variable& entry = variables_[static_cast<std::size_t>(variable)];
  if (!flow_.is_assigned(variable)) return report_unassigned(node, variable);
  if (entry.has_error) return {};
  const std::optional<InferredType>& type = entry.before ? entry.before : entry.now;
  if (!type || !type->is_known()) return {};
  Value value;
  value.node = &node;
  value.type = *type;
  value.origin = entry.origin;
  value.expression = Expression{ExpressionKind::kLocal, storage(*type), place(node), {}};
  value.expression.index = local_of(variable);
  return value;
}

Value ExpressionInference::report_unassigned(const SyntaxNode& node, int variable) {
  const std::string& name = node.text;
  const Flow before = flow_;
  flow_.assign(variable);  // said once
  variables_[static_cast<std::size_t>(variable)].has_error = true;
  const auto outer = syntax_.bindings.find(name);
  if (outer != syntax_.bindings.end()) {
    return error(
        place(node), "'" + name + "' is used before it has a value",
        "the assignment makes " + name + " a local name; use another name",
        defined_here(outer->second, "the module's " + name + " is not changed by a kernel"));
  }
  const Reason* reason = before.reason(variable);
  if (!before.is_perhaps_assigned(variable)) {
    std::vector<Note> notes;
    if (const SyntaxNode* first = first_target(syntax_.body, name)) {
      notes.push_back({name + " gets its first value here", place(*first)});
    }
    return error(place(node), "'" + name + "' is used before it has a value", "", notes);
  }
  const std::string message = "'" + name + "' may have no value here";
  if (!reason) return error(place(node), message);
  if (reason->kind == Reason::Kind::kZeroTrips) {
    return error(place(node), message, "write " + name + " = 0 before the loop",
                 {{"the loop may run zero times", reason->place}});
  }
  const bool is_when_true = reason->kind == Reason::Kind::kOnlyWhenTrue;
  return error(place(node), message, "assign " + name + " before the 'if', or add an 'else'",
               {{name + " is assigned only when this " + (is_when_true ? "holds" : "does not hold"),
                 reason->place}});
}

// Said once, at the first use in the source: the value of an assignment is looked at before its
// target.
Value ExpressionInference::report_unknown(const SyntaxNode& node, const std::string& otherwise) {
  const std::string message = "unknown name '" + node.text + "'";
  const Place where = place(node);
  if (!reported_names_.insert(node.text).second) {
    for (Diagnostic& found : findings_.errors) {
      const bool is_earlier = std::tie(where.source, where.line, where.column) <
                              std::tie(found.place.source, found.place.line, found.place.column);
      if (found.message == message && is_earlier) found.place = where;
    }
    return {};
  }
  std::vector<std::string> candidates;
  for (const Variable& variable : variables_) candidates.push_back(variable.name);
  candidates.insert(candidates.end(), syntax_.known_names.begin(), syntax_.known_names.end());
  const std::string near = suggestion(node.text, candidates);
  return error(where, message, near.empty() ? otherwise : "did you mean '" + near + "'?");
}

std::string ExpressionInference::shown_function() const {
  return syntax_.name == "<lambda>" ? "the lambda" : syntax_.name;
}

std::optional<InferredType> ExpressionInference::final_type(int variable) const {
  const Variable& entry = variables_[static_cast<std::size_t>(variable)];
  return entry.before ? entry.before : entry.now;
}

int ExpressionInference::local_of(int variable) const {
  const auto found = std::find(widened_.begin(), widened_.end(), variable);
  if (found == widened_.end()) return variable;
  return static_cast<int>(variables_.size() + static_cast<std::size_t>(found - widened_.begin()));
}

}  // namespace numpy_plugin::declare
