#include "numpy_plugin/infer/expressions/infer_expressions.hpp"

#include <cctype>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/syntax/functions.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

// The definition with math's functions replacing NumPy's, so that results are plain numbers; empty
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

ConstantValue typed_constant(const Binding& binding) {
  if (const auto* is_true = std::get_if<bool>(&binding.number)) return std::int64_t{*is_true};
  return convert(*plain_number(binding.number), binding.dtype).value;
}

SourceSpan binding_place(const FunctionContext& context, const Binding& binding) {
  SourceSpan result = binding.defined_at;
  result.source += context.source_base;
  return result;
}

// The expression assigned to a module's name: "np.sqrt(2 * np.pi)"; empty where unknown.
std::string definition_text(const FunctionContext& context, const Binding& binding) {
  const auto index = static_cast<std::size_t>(binding.defined_at.source);
  if (binding.defined_at.line == 0 || index == 0) return "";
  const std::string& line = context.syntax.other_sources[index - 1].lines.front();
  const std::size_t equals = line.find('=');
  return equals == std::string::npos ? "" : std::string(base::strip(line.substr(equals + 1)));
}

Value number_value(FunctionContext& context, const Binding& binding, const SyntaxNode& node) {
  const auto number = plain_number(binding.number);
  if (binding.kind == Binding::Kind::kNumber && number) return constant(context, *number, node);
  Value value;
  value.node = &node;
  value.type = InferredType::scalar(number ? binding.dtype : DType::kBool);
  value.expression =
      constant_expression(value.type.dtype, typed_constant(binding), place(context, node));
  if (binding.kind == Binding::Kind::kTypedNumber) {
    const std::string dtype(base::name(binding.dtype));
    const std::string name = text(context, node);
    Origin origin;
    origin.place = place(context, node);
    origin.message = format("{} is a numpy {} and makes the result {}", name, dtype, dtype);
    origin.hint = name + " = np.{}(...)";
    const std::string plain = plain_spelling(definition_text(context, binding));
    if (!plain.empty()) origin.hint += ", or " + plain;
    origin.notes = defined_here(context, binding, "defined here");
    value.origin = std::make_shared<const Origin>(std::move(origin));
  }
  return value;
}

Value tuple_value(FunctionContext& context, const Binding& binding, const SyntaxNode& node) {
  std::vector<Value> items;
  for (const Binding& item : binding.items) {
    items.push_back(value_of(context, item, node));
    if (!items.back().type.is_known()) return {};
    items.back().expression = convert(context, items.back(), items.back().type);
  }
  return with_names(tuple_of(context, items, node), binding.name);
}

// The error, and its hint on a second line.
Value report_refused(FunctionContext& context, const Binding& binding, const SyntaxNode& node) {
  const std::size_t end = binding.name.find('\n');
  return error(context, node, binding.name.substr(0, end),
               end == std::string::npos ? "" : binding.name.substr(end + 1));
}

Value infer_thread_value(FunctionContext& context, const Binding& binding, const SyntaxNode& node) {
  const SyntaxNode* owner = node.child("value");
  const bool is_part = owner && binding.name.find('.') != std::string::npos;
  const SyntaxNode& shown = is_part ? *owner : node;
  if (!check_in_device_kernel(context, text(context, shown), place(context, shown))) return {};
  const auto function = find_thread_function(binding.name);
  NPP_ASSERT(function, binding.name);
  return thread_value(context, *function, node);
}

}  // namespace

const Binding* find_binding(const FunctionContext& context, const SyntaxNode& node) {
  const std::string name = dotted(context, node);
  const auto found =
      name.empty() ? context.syntax.bindings.end() : context.syntax.bindings.find(name);
  return found == context.syntax.bindings.end() ? nullptr : &found->second;
}

const Binding* find_root_binding(const FunctionContext& context, const SyntaxNode& node) {
  const SyntaxNode* root = &node;
  while (root->kind == SyntaxKind::kAttribute) root = root->child("value");
  return root->kind == SyntaxKind::kName ? find_binding(context, *root) : nullptr;
}

std::string spelling(const FunctionContext& context, std::string_view module,
                     std::string_view function) {
  for (const auto& [name, binding] : context.syntax.bindings) {
    if (binding.kind == Binding::Kind::kModule && binding.name == module) {
      return format("{}.{}", name, function);
    }
  }
  const std::string_view usual = module == "numpy"          ? "np"
                                 : module == "numpy_plugin" ? "npp"
                                                            : module;
  return format("{}.{}", usual, function);
}

std::vector<Note> defined_here(const FunctionContext& context, const Binding& binding,
                               std::string message) {
  if (binding.defined_at.line == 0) return {};
  return {{std::move(message), binding_place(context, binding)}};
}

Value value_of(FunctionContext& context, const Binding& binding, const SyntaxNode& node) {
  const std::string name = text(context, node);
  const std::string quoted = format("'{}'", name);
  switch (binding.kind) {
    case Binding::Kind::kNumber:
    case Binding::Kind::kTypedNumber:
      return number_value(context, binding, node);
    case Binding::Kind::kTuple:
      return tuple_value(context, binding, node);
    case Binding::Kind::kArray:
      return constant_array(context, binding.array, text(context, node), node);
    case Binding::Kind::kNone:
      return none(context, node);
    case Binding::Kind::kThreadValue:
      return infer_thread_value(context, binding, node);
    case Binding::Kind::kLargeArray:
      return error(
          context, node,
          format("{} has {} bytes; at most 65536 are built into a kernel", quoted, binding.name),
          "pass it as an operand of a guvectorize kernel",
          defined_here(context, binding, "defined here"));
    case Binding::Kind::kUnset:
      return error(context, node, quoted + " has no value yet",
                   format("assign it before {} is declared", shown_function(context)),
                   defined_here(context, binding, "assigned here"));
    case Binding::Kind::kModule:
      if (binding.name.starts_with("cuda.")) {
        if (!check_in_device_kernel(context, name, place(context, node))) return {};
        return error(context, node, name + " has three components", name + ".x");
      }
      return error(context, node, name + " is a module, not a number");
    case Binding::Kind::kException:
      return error(context, node, name + " is an exception, not a number", "raise it");
    case Binding::Kind::kDType:
    case Binding::Kind::kOtherDType:
      return error(context, node, name + " is a type, not a number");
    case Binding::Kind::kFunction:
    case Binding::Kind::kDeviceFunction:
    case Binding::Kind::kUfunc:
    case Binding::Kind::kExternal:
    case Binding::Kind::kPlainFunction:
      return error(context, node, name + " is a function, not a number",
                   format("call it: {}(...)", name));
    case Binding::Kind::kRefused:
      return report_refused(context, binding, node);
    case Binding::Kind::kOther:
      break;
  }
  return report_other(context, binding, node);
}

Value constant_array(FunctionContext& context, const std::shared_ptr<const ConstantArray>& array,
                     const std::string& name, const SyntaxNode& node) {
  Value value;
  value.type = InferredType::array(array->dtype, static_cast<int>(array->sizes.size()),
                                   /*is_read_only=*/true, array->sizes);
  value.expression =
      Expression{ExpressionKind::kLocal, storage(value.type), place(context, node), {}};
  const auto [position, is_new] = context.arrays.constants.try_emplace(array.get(), 0);
  if (is_new) {
    position->second = context.scope.add_temporary(value.type);
    context.scope.temporaries.back().name = name;
    context.scope.temporaries.back().storage = {ArrayStorage::Kind::kConstant, array->sizes, array};
  }
  value.expression.detail = LocalReference{position->second};
  return value;
}

bool check_in_device_kernel(FunctionContext& context, const std::string& shown,
                            const SourceSpan& where) {
  if (context.kernel.is_device_kernel()) return true;
  error(context, where, shown + " is for cuda.kernel functions",
        "a ufunc kernel sees one element and has no thread");
  return false;
}

Value thread_value(const FunctionContext& context, ThreadFunction function,
                   const SyntaxNode& node) {
  return plain_integer({ExpressionKind::kThread,
                        ValueType::scalar(DType::kInt64),
                        place(context, node),
                        {},
                        function},
                       node);
}

Value report_other(FunctionContext& context, const Binding& binding, const SyntaxNode& node) {
  const std::string message = format("'{}' is {}", text(context, node), binding.name);
  std::vector<Note> notes = defined_here(context, binding, "defined here");
  if (binding.name == "a list") {
    return error(context, node, message, "make it a tuple or np.array([...])", notes);
  }
  if (binding.name == "an Enum member") {
    return error(context, node, message, format("use {}.value", text(context, node)), notes);
  }
  if (binding.name == "an empty array") {
    return error(context, node, message + ", which cannot be built into a kernel",
                 "leave the kernel's use of it out, or pass it as an operand", notes);
  }
  if (binding.name.starts_with("an array of")) {
    return error(context, node, message, "only arrays of numbers can be used");
  }
  return error(context, node, message + "; kernels can use numbers, tuples and arrays", "", notes);
}

}  // namespace numpy_plugin::declare
