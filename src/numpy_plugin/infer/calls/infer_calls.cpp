#include "numpy_plugin/infer/calls/infer_calls.hpp"

#include <unordered_map>

#include "numpy_plugin/infer/calls/call_arguments.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"
#include "numpy_plugin/signature/signature_parse.hpp"
#include "numpy_plugin/syntax/functions.hpp"
#include "numpy_plugin/system/fork.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

Value call_function(FunctionContext& context, const std::string& name, const SyntaxNode& node) {
  if (const Builtin builtin = find_builtin(name)) return builtin(context, name, node);
  if (const FunctionInfo* info = find_function(name)) {
    return call_table_function(context, *info, node);
  }
  if (name.starts_with("numpy_plugin.time.")) return call_calendar(context, name, node);
  if (name.starts_with("cuda.")) return call_thread_function(context, name, node);
  return report_uncallable(context, name, node);
}

Value call_dtype(FunctionContext& context, DType dtype, const SyntaxNode& node) {
  const auto arguments = scalar_arguments(context, std::string(base::name(dtype)), 1, 1, node);
  if (!arguments) return {};
  return explicit_cast(context, arguments->front(), dtype, node);
}

// `a.dtype.type`, the type of an array's elements.
bool is_type_of_array(const FunctionContext& context, const SyntaxNode& callee) {
  if (callee.kind != SyntaxKind::kAttribute || callee.text != "type") return false;
  const SyntaxNode& dtype = *callee.child("value");
  return dtype.kind == SyntaxKind::kAttribute && dtype.text == "dtype" &&
         dotted(context, dtype).empty();
}

Value call_type_of_array(FunctionContext& context, const SyntaxNode& node) {
  const auto dtype = dtype_argument(context, *node.child("func")->child("value"));
  return dtype ? call_dtype(context, *dtype, node) : Value();
}

Value call_binding(FunctionContext& context, const Binding& binding, const SyntaxNode& node) {
  const SyntaxNode& callee = *node.child("func");
  switch (binding.kind) {
    case Binding::Kind::kFunction:
      return call_function(context, binding.name, node);
    case Binding::Kind::kDType:
      return call_dtype(context, binding.dtype, node);
    case Binding::Kind::kOtherDType:
      return error(context, callee, callee.text + " is not a kernel type", expected_kernel_types());
    case Binding::Kind::kDeviceFunction:
      return call_device_function(context, binding, node);
    case Binding::Kind::kUfunc:
      return call_ufunc(context, binding, node);
    case Binding::Kind::kExternal:
      return call_declared(context, *binding.external, node);
    case Binding::Kind::kPlainFunction: {
      if (callee.text == context.syntax.name) {
        return error(context, node, context.syntax.name + " calls itself", "use a loop");
      }
      const bool is_lambda = binding.name == "<lambda>";
      return error(context, callee,
                   format("'{}' is a plain Python function", text(context, callee)),
                   is_lambda ? text(context, callee) + " = npp.device(lambda ...)"
                             : "put @npp.device above its def",
                   defined_here(context, binding, "defined here"));
    }
    case Binding::Kind::kNumber:
    case Binding::Kind::kTypedNumber:
    case Binding::Kind::kTuple:
    case Binding::Kind::kArray:
    case Binding::Kind::kThreadValue:
      return report_not_a_function(context, infer(context, callee), node);
    case Binding::Kind::kModule:
      if (binding.name.starts_with("cuda.")) return value_of(context, binding, callee);
      return error(context, callee, text(context, callee) + " is a module, not a function");
    case Binding::Kind::kNone:
      return infer(context, callee);
    default:
      return value_of(context, binding, callee);
  }
}

std::unordered_map<std::string_view, Builtin> builtins_by_name() {
  return {
#define NPP_BUILTIN(qualified_name, function) {qualified_name, function},
#include "numpy_plugin/infer/calls/builtins.def"
  };
}

}  // namespace

Value infer_call(FunctionContext& context, const SyntaxNode& node) {
  const SyntaxNode& callee = *node.child("func");
  if (is_array_method(context, callee)) return call_array_method(context, node);
  if (is_type_of_array(context, callee)) return call_type_of_array(context, node);
  if (const Binding* binding = find_binding(context, callee)) {
    return call_binding(context, *binding, node);
  }
  const bool is_outer_name = !dotted(context, callee).empty();
  if (callee.kind == SyntaxKind::kName && is_outer_name) {
    const bool calls_itself = callee.text == context.syntax.name && callee.text != "<lambda>";
    if (calls_itself) {
      return error(context, node, context.syntax.name + " calls itself", "use a loop");
    }
    return report_unknown(context, callee);
  }
  if (callee.kind == SyntaxKind::kAttribute) {
    const Binding* owner = find_binding(context, *callee.child("value"));
    const bool is_unusable = owner && owner->kind == Binding::Kind::kOther;
    return is_unusable ? report_other(context, *owner, *callee.child("value"))
                       : call_method(context, node, callee);
  }
  return report_not_a_function(context, infer(context, callee), node);
}

Builtin find_builtin(std::string_view name) {
  const auto& builtins = system::made_once<builtins_by_name>();
  const auto found = builtins.find(name);
  return found == builtins.end() ? nullptr : found->second;
}

}  // namespace numpy_plugin::declare
