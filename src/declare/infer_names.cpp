// Names: local variables, and what the names from outside the function stand for.
#include <algorithm>
#include <cctype>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/declare/infer.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

// "math.sqrt" for the word "sqrt", else a name that is nearly the word.
std::string suggestion(const std::string& word, const std::vector<std::string>& known_names) {
  for (const std::string& name : known_names) {
    if (name.ends_with("." + word)) return name;
  }
  // Any letter is one edit away from any other.
  return word.size() == 1 ? "" : base::nearest(word, known_names);
}

// The definition with math's functions in place of NumPy's, whose results are plain numbers; empty
// where math lacks one of them.
std::string plain_spelling(std::string definition) {
  const std::string prefix = "np.";
  bool has_replaced = false;
  for (std::size_t at = definition.find(prefix); at != std::string::npos;
       at = definition.find(prefix, at)) {
    std::size_t end = at + prefix.size();
    while (end < definition.size() && (std::isalnum(definition[end]) || definition[end] == '_')) {
      ++end;
    }
    const std::string name = definition.substr(at + prefix.size(), end - at - prefix.size());
    if (name != "pi" && name != "e" && !find_function("math." + name)) return "";
    definition.replace(at, prefix.size(), "math.");
    has_replaced = true;
  }
  return has_replaced ? definition : "";
}

const SyntaxNode* first_target(const SyntaxNode& node, const std::string& name) {
  if (node.kind == "Name" && node.text == name) return &node;
  for (const SyntaxNode& item : node.children("elts")) {
    if (const SyntaxNode* found = first_target(item, name)) return found;
  }
  return nullptr;
}

// The first place in the source where a name is assigned.
const SyntaxNode* first_target(const std::vector<SyntaxNode>& statements, const std::string& name) {
  for (const SyntaxNode& statement : statements) {
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

ConstantValue typed_constant(const Binding& binding) {
  if (const auto* is_true = std::get_if<bool>(&binding.number)) return std::int64_t{*is_true};
  return convert(*plain_number(binding.number), binding.dtype).value;
}

}  // namespace

int FunctionInference::find_variable(std::string_view name) const {
  const auto found = variable_indices_.find(name);
  return found == variable_indices_.end() ? -1 : found->second;
}

// "math.sqrt" for a chain of attributes that starts at a name from outside; empty for others.
std::string FunctionInference::dotted(const SyntaxNode& node) const {
  if (node.kind == "Name") {
    const bool is_local = find_variable(node.text) >= 0 || error_names_.contains(node.text);
    return is_local ? "" : node.text;
  }
  if (node.kind != "Attribute") return "";
  const std::string before = dotted(*node.child("value"));
  return before.empty() ? "" : before + "." + node.text;
}

const Binding* FunctionInference::find_binding(const SyntaxNode& node) const {
  const std::string name = dotted(node);
  const auto found = name.empty() ? syntax_.bindings.end() : syntax_.bindings.find(name);
  return found == syntax_.bindings.end() ? nullptr : &found->second;
}

const Binding* FunctionInference::find_root_binding(const SyntaxNode& node) const {
  const SyntaxNode* root = &node;
  while (root->kind == "Attribute") root = root->child("value");
  return root->kind == "Name" ? find_binding(*root) : nullptr;
}

// How the person writes a function of a module: "np.sqrt" where numpy was imported as np.
std::string FunctionInference::spelling(std::string_view module, std::string_view function) const {
  for (const auto& [name, binding] : syntax_.bindings) {
    if (binding.kind == Binding::Kind::kModule && binding.name == module) {
      return name + "." + std::string(function);
    }
  }
  return (module == "numpy" ? "np" : std::string(module)) + "." + std::string(function);
}

Place FunctionInference::binding_place(const Binding& binding) const {
  Place result = binding.defined_at;
  result.source += source_base_;
  return result;
}

std::vector<Note> FunctionInference::defined_here(const Binding& binding,
                                                  std::string message) const {
  if (binding.defined_at.line == 0) return {};
  return {{std::move(message), binding_place(binding)}};
}

Value FunctionInference::infer_name(const SyntaxNode& node) {
  const int variable = find_variable(node.text);
  if (variable >= 0) return read_variable(node, variable);
  if (error_names_.contains(node.text)) return {};
  if (const Binding* binding = find_binding(node)) return value_of(*binding, node);
  return report_unknown(node);
}

Value FunctionInference::read_variable(const SyntaxNode& node, int variable) {
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

Value FunctionInference::report_unassigned(const SyntaxNode& node, int variable) {
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

Value FunctionInference::report_unknown(const SyntaxNode& node) {
  if (!reported_names_.insert(node.text).second) return {};
  std::vector<std::string> candidates;
  for (const Variable& variable : variables_) candidates.push_back(variable.name);
  candidates.insert(candidates.end(), syntax_.known_names.begin(), syntax_.known_names.end());
  const std::string near = suggestion(node.text, candidates);
  return error(place(node), "unknown name '" + node.text + "'",
               near.empty() ? "assign it first, make it an argument, or define it at module level"
                            : "did you mean '" + near + "'?");
}

// What a module's name is assigned from: "np.sqrt(2 * np.pi)"; empty where it is not known.
std::string FunctionInference::definition_text(const Binding& binding) const {
  const auto index = static_cast<std::size_t>(binding.defined_at.source);
  if (binding.defined_at.line == 0 || index == 0) return "";
  const std::string& line = syntax_.other_sources[index - 1].lines.front();
  const std::size_t equals = line.find('=');
  return equals == std::string::npos ? "" : std::string(base::strip(line.substr(equals + 1)));
}

Value FunctionInference::number_value(const Binding& binding, const SyntaxNode& node) {
  const auto number = plain_number(binding.number);
  if (binding.kind == Binding::Kind::kNumber && number) return constant(*number, node);
  Value value;
  value.node = &node;
  value.type = InferredType::scalar(number ? binding.dtype : DType::kBool);
  value.expression = constant_expression(value.type.dtype, typed_constant(binding), place(node));
  if (binding.kind == Binding::Kind::kTypedNumber) {
    const std::string dtype(base::name(binding.dtype));
    const std::string name = text(node);
    Origin origin;
    origin.place = place(node);
    origin.message = name + " is a numpy " + dtype + " and makes the result " + dtype;
    origin.hint = name + " = np.{}(...)";
    const std::string plain = plain_spelling(definition_text(binding));
    if (!plain.empty()) origin.hint += ", or " + plain;
    origin.notes = defined_here(binding, "defined here");
    value.origin = std::make_shared<const Origin>(std::move(origin));
  }
  return value;
}

Value FunctionInference::tuple_value(const Binding& binding, const SyntaxNode& node) {
  Value value;
  value.node = &node;
  value.type = InferredType::tuple({});
  value.expression = Expression{ExpressionKind::kTuple, {}, place(node), {}};
  for (const Binding& item : binding.items) {
    const Value item_value = value_of(item, node);
    if (!item_value.type.is_known()) return {};
    value.type.items.push_back(item_value.type);
    value.expression.operands.push_back(convert(item_value, item_value.type));
  }
  value.expression.type = storage(value.type);
  return value;
}

Value FunctionInference::value_of(const Binding& binding, const SyntaxNode& node) {
  const std::string name = text(node);
  const std::string quoted = "'" + name + "'";
  switch (binding.kind) {
    case Binding::Kind::kNumber:
    case Binding::Kind::kTypedNumber:
      return number_value(binding, node);
    case Binding::Kind::kTuple:
      return tuple_value(binding, node);
    case Binding::Kind::kArray:
      return constant_array(binding, node);
    case Binding::Kind::kThreadValue:
      return infer_thread_value(binding, node);
    case Binding::Kind::kLargeArray:
      return error(
          place(node),
          quoted + " has " + binding.name + " bytes; at most 65536 are built into a kernel",
          "pass it as an operand of a guvectorize kernel", defined_here(binding, "defined here"));
    case Binding::Kind::kUnset:
      return error(place(node), quoted + " has no value yet",
                   "assign it before " + shown_function() + " is declared",
                   defined_here(binding, "assigned here"));
    case Binding::Kind::kModule:
      return error(place(node), name + " is a module, not a number");
    case Binding::Kind::kException:
      return error(place(node), name + " is an exception, not a number", "raise it");
    case Binding::Kind::kDType:
    case Binding::Kind::kOtherDType:
      return error(place(node), name + " is a type, not a number");
    case Binding::Kind::kFunction:
    case Binding::Kind::kDeviceFunction:
    case Binding::Kind::kUfunc:
    case Binding::Kind::kExternal:
    case Binding::Kind::kPlainFunction:
      return error(place(node), name + " is a function, not a number",
                   "call it: " + name + "(...)");
    case Binding::Kind::kOther:
      break;
  }
  return report_other(binding, node);
}

// A module's name that holds what a kernel can't read.
Value FunctionInference::report_other(const Binding& binding, const SyntaxNode& node) {
  const std::string message = "'" + text(node) + "' is " + binding.name;
  std::vector<Note> notes = defined_here(binding, "defined here");
  if (binding.name == "a list") {
    return error(place(node), message, "make it a tuple or np.array([...])", notes);
  }
  if (binding.name == "None") {
    return error(place(node), message, "set it before " + shown_function() + " is declared", notes);
  }
  if (binding.name == "an empty array") return error(place(node), message, "", notes);
  if (binding.name.starts_with("an array of")) {
    return error(place(node), message, "only arrays of numbers can be used");
  }
  return error(place(node), message + "; a kernel reads numbers, tuples and arrays", "", notes);
}

std::string FunctionInference::shown_function() const {
  return syntax_.name == "<lambda>" ? "the lambda" : syntax_.name;
}

}  // namespace numpy_plugin::declare
