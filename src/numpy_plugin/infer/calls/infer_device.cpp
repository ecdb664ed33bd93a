#include "numpy_plugin/infer/calls/infer_calls.hpp"

#include <algorithm>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/infer/calls/call_arguments.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_arrays.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"

namespace numpy_plugin::declare {
namespace {

// Limit of nested statements and expressions during a call: an 8 MiB stack has room for four times
// as many.
constexpr int kMostOpenNodes = 800;

// Types of arguments with which a function may call itself in turn.
constexpr std::ptrdiff_t kMostOpenTypes = 4;

constexpr std::size_t kMostNotes = 8;  // the first calls of the path

const std::string kCircle = "device functions are recursive: ";

std::vector<Note> definition_note(const FunctionContext& context, const FunctionSyntax& function) {
  SourceSpan where = function.name_place;
  where.source += context.kernel.source_base(function);
  return {{"defined here", where}};
}

void report_unknown_keyword(FunctionContext& context, const FunctionSyntax& callee,
                            const SyntaxNode& keyword, const std::vector<std::string>& names,
                            const std::vector<const SyntaxNode*>& bound) {
  std::vector<std::string> free_names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!bound[i]) free_names.push_back(names[i]);
  }
  std::string near = base::nearest(keyword.text, free_names);
  if (near.empty() && free_names.size() == 1) near = free_names.front();
  error(context, keyword, format("{} has no argument '{}'", callee.name, keyword.text),
        near.empty() ? "" : format("did you mean '{}'?", near), definition_note(context, callee));
}

std::optional<std::vector<const SyntaxNode*>> bind_arguments(FunctionContext& context,
                                                             const Binding& binding,
                                                             const SyntaxNode& node) {
  const FunctionSyntax& callee = *binding.function;
  const std::size_t n_parameters = callee.parameters.size();
  std::vector<const SyntaxNode*> bound(n_parameters, nullptr);
  const std::vector<SyntaxNode>& arguments = node.children("args");
  for (std::size_t i = 0; i < arguments.size() && i < n_parameters; ++i) bound[i] = &arguments[i];
  std::vector<std::string> names;
  for (const SyntaxNode& parameter : callee.parameters) names.push_back(parameter.text);
  const auto n_outer = static_cast<std::ptrdiff_t>(callee.n_outer);
  bool has_error = false;
  std::size_t n_given = arguments.size();
  for (const SyntaxNode& keyword : node.children("keywords")) {
    ++n_given;
    const auto found = std::find(names.begin() + n_outer, names.end(), keyword.text);
    if (found == names.end()) {
      report_unknown_keyword(context, callee, keyword, names, bound);
      has_error = true;
      continue;
    }
    const SyntaxNode*& place_of = bound[static_cast<std::size_t>(found - names.begin())];
    if (place_of != nullptr) {
      error(context, keyword, format("'{}' of {} is given twice", keyword.text, callee.name), "",
            definition_note(context, callee));
      has_error = true;
    }
    place_of = keyword.child("value");
  }
  if (has_error) return std::nullopt;
  const std::size_t n_required = n_parameters - callee.defaults.size();
  const auto end_of_required = bound.begin() + static_cast<std::ptrdiff_t>(n_required);
  const auto missing = std::find(bound.begin(), end_of_required, nullptr);
  if (n_given <= n_parameters && missing == end_of_required) return bound;
  const std::size_t n_most = n_parameters - callee.n_outer;
  const std::size_t n_least = n_required - callee.n_outer;
  const std::string most = std::to_string(n_most);
  std::string message =
      format("{} takes {} {}, {} given", callee.name,
             n_least == n_most
                 ? most
                 : std::to_string(n_least) + (n_most == n_least + 1 ? " or " : " to ") + most,
             n_most == 1 ? "argument" : "arguments", n_given - callee.n_outer);
  if (missing != end_of_required) {
    message +=
        format(": '{}' is missing", names[static_cast<std::size_t>(missing - bound.begin())]);
  }
  error(context, node, message, "", definition_note(context, callee));
  return std::nullopt;
}

bool is_of(const OpenFunction& open, const FunctionSyntax& function) {
  return open.task->syntax == &function && open.task->signature == nullptr;
}

// Whether a call is one of the function that is being typed, with arguments of its types.
bool calls_itself(const FunctionContext& context, const FunctionTask& task) {
  return is_of(context.kernel.open_functions().back(), *task.syntax) &&
         context.task.arguments == task.arguments;
}

// Functions that call one another, or themselves with ever other types, have no number of levels.
bool check_recursion(FunctionContext& context, const FunctionTask& task, const SyntaxNode& node) {
  const std::vector<OpenFunction>& open = context.kernel.open_functions();
  const auto first = std::find_if(open.begin(), open.end(), [&task](const OpenFunction& entry) {
    return is_of(entry, *task.syntax);
  });
  if (first == open.end() || calls_itself(context, task)) return true;
  if (std::all_of(first, open.end(),
                  [&task](const OpenFunction& entry) { return is_of(entry, *task.syntax); })) {
    const bool is_open = std::any_of(first, open.end(), [&task](const OpenFunction& entry) {
      return entry.task->arguments == task.arguments;
    });
    if (!is_open && open.end() - first < kMostOpenTypes) return true;
    error(context, node, context.syntax.name + " calls itself with arguments of other types",
          "use a loop, or convert the arguments to the types of the parameters");
    return false;
  }
  std::string names = task.syntax->name;
  std::vector<Note> notes;
  for (auto caller = first, callee = std::next(first); callee != open.end(); ++caller, ++callee) {
    names += ", " + callee->task->syntax->name;
    notes.push_back(
        {format("{} calls {} here", caller->task->syntax->name, callee->task->syntax->name),
         callee->called_at});
  }
  error(context, node, kCircle + names + ", " + task.syntax->name, "use a loop", notes);
  return false;
}

// A plain integer takes the type of others, until a pass over the function has found its result.
InferredType result_so_far(const FunctionContext& context) {
  if (context.results.before) return *context.results.before;
  return context.results.now.value_or(InferredType::weak(base::DType::kInt64));
}

// The value of a call of the function itself, of which nothing is known but its types.
Value value_of_itself(FunctionContext& context, Expression call, const SyntaxNode& node) {
  const auto is_array = [](const InferredType& type) { return type.is_array(); };
  TypedFunction callee;
  callee.has_effects = std::ranges::any_of(context.task.arguments, is_array);
  callee.may_raise = true;
  context.too_deep = raised(context, node, "RecursionError",
                            format("maximum recursion depth exceeded: {} levels of {}", kMostLevels,
                                   context.syntax.name));
  context.has_effects = context.has_effects || callee.has_effects;
  context.may_raise = true;
  const bool is_discarded = context.statement.discarded == &node;
  const bool has_result = !is_discarded || context.results.before || context.results.now;
  Value value;
  value.node = &node;
  if (has_result) value.type = result_so_far(context);
  if (has_result) call.type = storage(value.type);
  value.expression = std::move(call);
  if (!is_discarded) return called_once(context, callee, std::move(value));
  evaluate(context, value.expression);
  return value;
}

// Whether a call fails only since it writes inputs of the kernel, which has copies of them then.
bool changes_inputs(FunctionContext& context, FunctionTask task,
                    const std::vector<Value>& arguments, const SyntaxNode& node) {
  if (!context.task.is_generalized()) return false;
  for (InferredType& type : task.arguments) type.is_read_only = false;
  const SourceSpan where = place(context, node);
  const std::size_t index = context.kernel.device_function(task, where);
  if (!context.kernel.typed(index).findings.errors.empty()) return false;
  bool copies = false;
  for (const Value& argument : arguments) {
    const bool is_read_only = argument.type.is_array() && argument.type.is_read_only;
    copies |= is_read_only && copies_inputs(context, argument, where);
  }
  return copies;
}

// As many of an array's first elements as a call returns.
Value first_part(FunctionContext& context, Value array, Expression call) {
  Value number;
  number.type = InferredType::scalar(base::DType::kInt64);
  call.type = storage(number.type);
  number.expression = std::move(call);
  const SourceSpan where = place(context, *array.node);
  const auto constant = [&where](std::int64_t value) { return int64_constant(value, where); };
  Expression stop = in_local(context, std::move(number)).expression;
  Expression view{ExpressionKind::kView, storage(array.type), where, {array.expression}};
  view.operands.push_back(
      {ExpressionKind::kSlice, {}, where, {constant(0), std::move(stop), constant(1)}});
  for (int axis = 1; axis < array.type.n_dimensions; ++axis) {
    view.operands.push_back({ExpressionKind::kSlice, {}, where, {}});
  }
  if (!array.type.sizes.empty()) array.type.sizes.front() = -1;
  array.expression = std::move(view);
  return array;
}

}  // namespace

Value call_with_values(FunctionContext& context, const FunctionSyntax& function,
                       const std::vector<Value>& arguments, const SyntaxNode& node) {
  FunctionTask task;
  task.syntax = &function;
  std::vector<const Value*> pointers;
  std::string described;
  Expression expression{ExpressionKind::kCallFunction, {}, place(context, node), {}};
  for (const Value& argument : arguments) {
    task.arguments.push_back(argument.type);
    task.arguments.back().sizes.clear();
    mark_written(context, argument.expression);
    pointers.push_back(&argument);
    expression.operands.push_back(convert(context, argument, argument.type));
    described += (described.empty() ? "" : ", ") + describe(argument.type);
  }
  if (!check_recursion(context, task, node)) return {};
  if (calls_itself(context, task)) {
    expression.detail = DeviceFunctionCall{kItself};
    return value_of_itself(context, std::move(expression), node);
  }
  const std::size_t index = context.kernel.device_function(task, place(context, node));
  const TypedFunction& callee = context.kernel.typed(index);
  if (!callee.findings.errors.empty() && changes_inputs(context, task, arguments, node)) return {};
  if (callee.made) {
    if (const auto array = call_for_array(context, function, arguments, node)) return *array;
  }
  if (is_library_function(function) && !callee.findings.errors.empty()) {
    const std::string& reason = callee.findings.errors.front().message;
    if (is_library_function(context.syntax)) return error(context, node, reason);
    const bool has_arrays =
        std::any_of(arguments.begin(), arguments.end(),
                    [](const Value& argument) { return argument.type.is_array(); });
    return error(context, node,
                 format("{} cannot be called with {}: {}", text(context, node), described, reason),
                 has_arrays ? "" : "guvectorize declares functions of arrays");
  }
  if (!propagate_findings(context, callee, described, node)) return {};
  expression.detail = DeviceFunctionCall{static_cast<int>(index)};
  context.has_effects = context.has_effects || callee.has_effects;
  context.may_raise = context.may_raise || callee.may_raise;
  if (callee.returned_parameter >= 0) {
    Value array = arguments[static_cast<std::size_t>(callee.returned_parameter)];
    array.node = &node;
    if (callee.has_result) return first_part(context, std::move(array), std::move(expression));
    if (callee.has_effects || callee.may_raise) evaluate(context, std::move(expression));
    return array;
  }
  if (!callee.has_result && context.statement.discarded != &node) {
    return error(context, node, function.name + " returns nothing", "",
                 definition_note(context, function));
  }
  Value value;
  value.type = callee.result;
  expression.type = storage(callee.result);
  value.expression = std::move(expression);
  if (context.statement.discarded == &node) {
    evaluate(context, value.expression);
  } else {
    value = called_once(context, callee, std::move(value));
  }
  if (!value.type.is_scalar()) return value;
  Origin origin;
  origin.place = place(context, node);
  origin.message = format("{} is {}", text(context, node), describe(value.type));
  return with_origin(std::move(value), pointers, std::move(origin));
}

namespace {

// Unknown after an error.
std::optional<std::vector<Value>> device_arguments(FunctionContext& context, const Binding& binding,
                                                   const SyntaxNode& node) {
  if (!check_starred_arguments(context, node)) return {};
  const auto bound = bind_arguments(context, binding, node);
  if (!bound || !check_depth(context, node)) return {};
  std::vector<Value> arguments;
  bool has_error = false;
  const std::vector<Binding>& defaults = binding.function->defaults;
  const std::size_t n_required = bound->size() - defaults.size();
  for (std::size_t i = 0; i < bound->size(); ++i) {
    const SyntaxNode* argument = (*bound)[i];
    arguments.push_back(argument ? infer_optional(context, *argument)
                                 : value_of(context, defaults[i - n_required], node));
    has_error |= !arguments.back().type.is_known();
  }
  if (has_error) return {};
  return arguments;
}

// Whether a call of a generalized ufunc's kernel has an array of its core dimensions for each
// operand; results that are numbers are stored in arrays.
bool check_core_ranks(FunctionContext& context, const UfuncSyntax& ufunc,
                      const std::vector<Value>& arguments, const SyntaxNode& node) {
  const CoreSignature layout = parse_core_signature(ufunc.layout, true);
  for (std::size_t i = 0; i < arguments.size() && i < layout.operands.size(); ++i) {
    const std::size_t n_core = layout.operands[i].size();
    const bool is_number = n_core == 0 && i < layout.n_inputs;
    const InferredType& type = arguments[i].type;
    const auto expected = is_number ? 0 : static_cast<int>(std::max<std::size_t>(n_core, 1));
    if ((type.is_array() ? type.n_dimensions : 0) == expected) continue;
    error(context, node,
          format("{} of {} is {}; a kernel passes one core array {}",
                 ufunc.function->parameters[i].text, ufunc.name, describe(type),
                 layout.operand_text(i)),
          "call it in a loop over the others", definition_note(context, *ufunc.function));
    return false;
  }
  return true;
}

}  // namespace

bool check_depth(FunctionContext& context, const SyntaxNode& node) {
  if (context.kernel.n_open_nodes() <= kMostOpenNodes) return true;
  const std::size_t n_calls = context.kernel.open_functions().size();
  error(context, node, format("a call inside {} others is nested too deeply", n_calls),
        "use fewer nested calls, with shorter expressions");
  return false;
}

Value call_device_function(FunctionContext& context, const Binding& binding,
                           const SyntaxNode& node) {
  const auto arguments = device_arguments(context, binding, node);
  return arguments ? call_with_values(context, *binding.function, *arguments, node) : Value();
}

Value call_core_function(FunctionContext& context, const UfuncSyntax& ufunc,
                         const SyntaxNode& node) {
  Binding binding;
  binding.function = ufunc.function;
  const auto arguments = device_arguments(context, binding, node);
  if (!arguments || !check_core_ranks(context, ufunc, *arguments, node)) return {};
  return call_with_values(context, *ufunc.function, *arguments, node);
}

bool propagate_findings(FunctionContext& context, const TypedFunction& callee,
                        const std::string& types, const SyntaxNode& node) {
  const Note called{"called from here with " + types, place(context, node)};
  for (Diagnostic diagnostic : callee.findings.errors) {
    const bool is_known =
        std::any_of(context.findings.errors.begin(), context.findings.errors.end(),
                    [&](const Diagnostic& known) { return known.place == diagnostic.place; });
    if (is_known) continue;  // an earlier call was recorded already
    // A recursion error shows its own calls.
    const bool shows_calls = diagnostic.message.starts_with(kCircle);
    // The function of a generator or a list is at its call.
    const std::string& name = callee.function.name;
    const bool is_called = !shows_calls && name != "<genexpr>" && name != "<listcomp>";
    if (is_called && diagnostic.notes.size() < kMostNotes) diagnostic.notes.push_back(called);
    context.findings.errors.push_back(std::move(diagnostic));
  }
  for (const Diagnostic& diagnostic : callee.findings.warnings) {
    context.findings.warnings.push_back(diagnostic);
  }
  return callee.findings.errors.empty();
}

}  // namespace numpy_plugin::declare
