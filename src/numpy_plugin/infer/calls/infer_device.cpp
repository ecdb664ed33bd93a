// Calls of device functions: arguments bound to parameters, one typed function for each combination
// of argument types.
#include <algorithm>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/infer/calls/infer_calls.hpp"

namespace numpy_plugin::declare {
namespace {

// Statements and expressions that may stand open where a function is called: an 8 MiB stack has
// room for four times as many.
constexpr int kMostOpenNodes = 800;

constexpr std::size_t kMostNotes = 8;  // the first calls on the way there

const std::string kCircle = "device functions call each other in a circle: ";

}  // namespace

std::vector<Note> CallInference::definition_note(const FunctionSyntax& function) const {
  Place where = function.name_place;
  where.source += kernel_.source_base(function);
  return {{"defined here", where}};
}

std::optional<std::vector<const SyntaxNode*>> CallInference::bind_arguments(
    const Binding& binding, const SyntaxNode& node) {
  const FunctionSyntax& callee = *binding.function;
  const std::size_t n_parameters = callee.parameters.size();
  std::vector<const SyntaxNode*> bound(n_parameters, nullptr);
  const std::vector<SyntaxNode>& arguments = node.children("args");
  for (std::size_t i = 0; i < arguments.size() && i < n_parameters; ++i) bound[i] = &arguments[i];
  std::vector<std::string> names;
  for (const SyntaxNode& parameter : callee.parameters) names.push_back(parameter.text);
  bool has_error = false;
  std::size_t n_given = arguments.size();
  for (const SyntaxNode& keyword : node.children("keywords")) {
    ++n_given;
    const auto found = std::find(names.begin(), names.end(), keyword.text);
    if (found == names.end()) {
      report_unknown_keyword(callee, keyword, names, bound);
      has_error = true;
      continue;
    }
    const SyntaxNode*& place_of = bound[static_cast<std::size_t>(found - names.begin())];
    if (place_of != nullptr) {
      error(place(keyword), "'" + keyword.text + "' of " + callee.name + " is given twice", "",
            definition_note(callee));
      has_error = true;
    }
    place_of = keyword.child("value");
  }
  if (has_error) return std::nullopt;
  const std::size_t n_required = n_parameters - callee.defaults.size();
  const auto end_of_required = bound.begin() + static_cast<std::ptrdiff_t>(n_required);
  const auto missing = std::find(bound.begin(), end_of_required, nullptr);
  if (n_given <= n_parameters && missing == end_of_required) return bound;
  const std::string most = std::to_string(n_parameters);
  std::string message =
      callee.name + " takes " +
      (n_required == n_parameters ? most
                                  : std::to_string(n_required) +
                                        (n_parameters == n_required + 1 ? " or " : " to ") + most) +
      (n_parameters == 1 ? " argument, " : " arguments, ") + std::to_string(n_given) + " given";
  if (missing != end_of_required) {
    message += ": '" + names[static_cast<std::size_t>(missing - bound.begin())] + "' is missing";
  }
  error(place(node), message, "", definition_note(callee));
  return std::nullopt;
}

void CallInference::report_unknown_keyword(const FunctionSyntax& callee, const SyntaxNode& keyword,
                                           const std::vector<std::string>& names,
                                           const std::vector<const SyntaxNode*>& bound) {
  std::vector<std::string> free_names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!bound[i]) free_names.push_back(names[i]);
  }
  std::string near = base::nearest(keyword.text, free_names);
  if (near.empty() && free_names.size() == 1) near = free_names.front();
  error(place(keyword), callee.name + " has no argument '" + keyword.text + "'",
        near.empty() ? "" : "did you mean '" + near + "'?", definition_note(callee));
}

bool CallInference::check_depth(const SyntaxNode& node) {
  if (kernel_.n_open_nodes() <= kMostOpenNodes) return true;
  const std::size_t n_calls = kernel_.open_functions().size();
  error(place(node), "a call inside " + std::to_string(n_calls) + " others is nested too deep",
        "let fewer functions call one another, with shorter expressions");
  return false;
}

bool CallInference::check_recursion(const Binding& binding, const SyntaxNode& node) {
  const std::vector<OpenFunction>& open = kernel_.open_functions();
  const auto first = std::find_if(open.begin(), open.end(), [&binding](const OpenFunction& entry) {
    return entry.syntax == binding.function.get();
  });
  if (first == open.end()) return true;
  if (std::next(first) == open.end()) {
    error(place(node), syntax_.name + " calls itself", "use a loop");
    return false;
  }
  std::string names = first->syntax->name;
  std::vector<Note> notes;
  for (auto caller = first, callee = std::next(first); callee != open.end(); ++caller, ++callee) {
    names += ", " + callee->syntax->name;
    notes.push_back(
        {caller->syntax->name + " calls " + callee->syntax->name + " here", callee->called_at});
  }
  error(place(node), kCircle + names + ", " + binding.function->name, "use a loop", notes);
  return false;
}

Value CallInference::call_device_function(const Binding& binding, const SyntaxNode& node) {
  if (!check_starred_arguments(node)) return {};
  const auto bound = bind_arguments(binding, node);
  if (!bound || !check_recursion(binding, node) || !check_depth(node)) return {};
  std::vector<Value> arguments;
  bool has_error = false;
  const std::vector<Binding>& defaults = binding.function->defaults;
  const std::size_t n_required = bound->size() - defaults.size();
  for (std::size_t i = 0; i < bound->size(); ++i) {
    const SyntaxNode* argument = (*bound)[i];
    arguments.push_back(argument ? infer(*argument) : value_of(defaults[i - n_required], node));
    has_error |= !arguments.back().type.is_known();
  }
  return has_error ? Value() : call_typed(*binding.function, arguments, node);
}

Value CallInference::call_typed(const FunctionSyntax& function, const std::vector<Value>& arguments,
                                const SyntaxNode& node) {
  FunctionTask task;
  task.syntax = &function;
  std::vector<const Value*> pointers;
  std::string described;
  Expression expression{ExpressionKind::kCallFunction, {}, place(node), {}};
  for (const Value& argument : arguments) {
    task.arguments.push_back(argument.type);
    task.arguments.back().sizes.clear();
    mark_written(argument.expression);
    pointers.push_back(&argument);
    expression.operands.push_back(convert(argument, argument.type));
    described += (described.empty() ? "" : ", ") + describe(argument.type);
  }
  const std::size_t index = kernel_.device_function(task, place(node));
  const TypedFunction& callee = kernel_.typed(index);
  if (!take_findings(callee, described, node)) return {};
  expression.index = static_cast<int>(index);
  has_effects_ = has_effects_ || callee.has_effects;
  if (!callee.has_result && discarded_ != &node) {
    return error(place(node), function.name + " returns nothing", "", definition_note(function));
  }
  Value value;
  value.type = callee.result;
  expression.type = storage(callee.result);
  value.expression = std::move(expression);
  if (discarded_ == &node) {
    evaluate(value.expression);
  } else if (callee.has_effects) {
    value = once(std::move(value), node);
  } else if (may_raise(function)) {
    // C++ evaluates arguments in any order: what raises first is settled here.
    value = reusable(std::move(value));
  }
  if (!value.type.is_scalar()) return value;
  Origin origin;
  origin.place = place(node);
  origin.message = text(node) + " is " + describe(value.type);
  return with_origin(std::move(value), pointers, std::move(origin));
}

// What is wrong in the callee, with the call that leads there; false where there are errors.
bool CallInference::take_findings(const TypedFunction& callee, const std::string& types,
                                  const SyntaxNode& node) {
  const Note called{"called from here with " + types, place(node)};
  for (Diagnostic diagnostic : callee.findings.errors) {
    const bool is_known =
        std::any_of(findings_.errors.begin(), findings_.errors.end(),
                    [&](const Diagnostic& known) { return known.place == diagnostic.place; });
    if (is_known) continue;  // an earlier call has led there
    // A circle shows its own calls.
    const bool shows_calls = diagnostic.message.starts_with(kCircle);
    if (!shows_calls && diagnostic.notes.size() < kMostNotes) diagnostic.notes.push_back(called);
    findings_.errors.push_back(std::move(diagnostic));
  }
  for (const Diagnostic& diagnostic : callee.findings.warnings) {
    findings_.warnings.push_back(diagnostic);
  }
  return callee.findings.errors.empty();
}

}  // namespace numpy_plugin::declare
