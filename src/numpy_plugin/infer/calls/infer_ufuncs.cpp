#include "numpy_plugin/infer/calls/infer_calls.hpp"

#include <algorithm>
#include <utility>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/cpp_body/cpp_body.hpp"
#include "numpy_plugin/infer/calls/call_arguments.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

// Operand types for NumPy's search for a loop: a plain number takes the common type of all
// operands.
std::vector<DType> operand_dtypes(const std::vector<Value>& arguments) {
  InferredType common = arguments.front().type;
  for (const Value& argument : arguments) common = promote(common, argument.type);
  std::vector<DType> dtypes;
  for (const Value& argument : arguments) {
    dtypes.push_back(argument.type.is_weak ? common.dtype : argument.type.dtype);
  }
  return dtypes;
}

bool fits(const TypeSignature& signature, const std::vector<DType>& dtypes) {
  return std::equal(dtypes.begin(), dtypes.end(), signature.inputs.begin(),
                    [](DType dtype, const OperandType& operand) {
                      return can_cast_safely(dtype, operand.dtype);
                    });
}

// Likewise with a plain number for any operand of its kind, or of a wider one.
bool fits_numbers(const TypeSignature& signature, const std::vector<Value>& arguments) {
  return std::equal(arguments.begin(), arguments.end(), signature.inputs.begin(),
                    [](const Value& argument, const OperandType& operand) {
                      const InferredType& type = argument.type;
                      return type.is_weak ? promote(InferredType::scalar(operand.dtype), type) ==
                                                InferredType::scalar(operand.dtype)
                                          : can_cast_safely(type.dtype, operand.dtype);
                    });
}

std::string names_of(const std::vector<DType>& dtypes) {
  std::vector<std::string> names;
  for (const DType dtype : dtypes) names.emplace_back(base::name(dtype));
  return base::join(names, ", ");
}

InferredType result_type(const TypeSignature& signature) {
  if (signature.outputs.size() == 1) return InferredType::scalar(signature.outputs.front().dtype);
  InferredType type = InferredType::tuple({});
  for (const OperandType& output : signature.outputs) {
    type.items.push_back(InferredType::scalar(output.dtype));
  }
  return type;
}

// Null where the body's type placeholders do not fit these types.
const TypeSignature* lazy_signature(FunctionContext& context, const UfuncSyntax& ufunc,
                                    const std::vector<DType>& dtypes, const SyntaxNode& node) {
  if (!ufunc.body) return &context.kernel.keep(promoted_signature(dtypes, 0));
  try {
    return &context.kernel.keep(body_signature(*ufunc.body, dtypes, ufunc.n_outputs));
  } catch (const base::Error& refused) {
    error(context, node, refused.what());
    return nullptr;
  }
}

// Null where no loop accepts these types.
const TypeSignature* choose_signature(FunctionContext& context, const UfuncSyntax& ufunc,
                                      const std::vector<Value>& arguments, const SyntaxNode& node) {
  const std::vector<DType> dtypes = operand_dtypes(arguments);
  if (ufunc.signatures.empty()) {
    return lazy_signature(context, ufunc, dtypes, node);
  }
  auto found = std::ranges::find_if(ufunc.signatures,
                                    [&](const TypeSignature& each) { return fits(each, dtypes); });
  if (found == ufunc.signatures.end()) {
    found = std::ranges::find_if(
        ufunc.signatures, [&](const TypeSignature& each) { return fits_numbers(each, arguments); });
  }
  if (found != ufunc.signatures.end()) return &*found;
  std::vector<std::string> known;
  for (const TypeSignature& each : ufunc.signatures) known.push_back(each.text());
  const std::string shown = text(context, *node.child("func"));
  error(context, node, format("'{}' has no loop for ({})", shown, names_of(dtypes)),
        format("it has {}; cast the arguments", base::join(known, ", ")));
  return nullptr;
}

// The call with each argument cast to its operand's type.
Value cast_and_call(FunctionContext& context, Expression call, const TypeSignature& signature,
                    const InferredType& type, const std::vector<Value>& arguments,
                    const SyntaxNode& node) {
  std::vector<const Value*> pointers;
  const std::size_t n_errors = context.findings.errors.size();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const InferredType wanted = InferredType::scalar(signature.inputs[i].dtype);
    call.operands.push_back(convert(context, arguments[i], wanted));
    pointers.push_back(&arguments[i]);
  }
  if (context.findings.errors.size() > n_errors) return {};
  Value value;
  value.type = type;
  value.expression = std::move(call);
  if (!type.is_scalar()) return value;
  Origin origin;
  origin.place = place(context, node);
  origin.message = format("{} is {}", text(context, node), describe(type));
  return with_origin(std::move(value), pointers, std::move(origin));
}

Value call_ufunc_function(FunctionContext& context, const UfuncSyntax& ufunc,
                          const TypeSignature& signature, const std::vector<Value>& arguments,
                          const SyntaxNode& node) {
  if (!check_depth(context, node)) return {};
  const FunctionTask task = kernel_task(*ufunc.function, signature, nullptr);
  const std::size_t index = context.kernel.device_function(task, place(context, node));
  const TypedFunction& callee = context.kernel.typed(index);
  std::vector<DType> dtypes;
  for (const OperandType& input : signature.inputs) dtypes.push_back(input.dtype);
  if (!propagate_findings(context, callee, names_of(dtypes), node)) return {};
  Expression call{ExpressionKind::kCallFunction,
                  storage(callee.result),
                  place(context, node),
                  {},
                  DeviceFunctionCall{static_cast<int>(index)}};
  Value value = cast_and_call(context, std::move(call), signature, callee.result, arguments, node);
  return value.type.is_known() ? called_once(context, callee, std::move(value)) : value;
}

Value call_external(FunctionContext& context, ExternalFunction function,
                    const std::vector<Value>& arguments, const SyntaxNode& node) {
  const TypeSignature signature = function.signature;
  const InferredType type = result_type(signature);
  const auto index = context.kernel.external_function(std::move(function));
  Expression call{ExpressionKind::kCallExternal,
                  storage(type),
                  place(context, node),
                  {},
                  ExternalFunctionCall{static_cast<int>(index)}};
  return cast_and_call(context, std::move(call), signature, type, arguments, node);
}

}  // namespace

Value call_ufunc(FunctionContext& context, const Binding& binding, const SyntaxNode& node) {
  const UfuncSyntax& ufunc = *binding.ufunc;
  const std::string shown = text(context, *node.child("func"));
  if (shown == context.syntax.name) {
    return error(context, node, shown + " calls itself", "use a loop");
  }
  if (!ufunc.layout.empty()) {
    const std::size_t n_given = node.children("args").size() + node.children("keywords").size();
    if (ufunc.function && n_given == ufunc.n_inputs + ufunc.n_outputs)
      return call_core_function(context, ufunc, node);
    return error(
        context, *node.child("func"),
        format("'{}' works on core arrays {} and has no value in a kernel", shown, ufunc.layout),
        ufunc.function ? "pass its outputs, too: arrays that it stores to"
                       : "put @npp.device above a function of numbers and call that");
  }
  const int n_inputs = static_cast<int>(ufunc.n_inputs);
  const auto arguments = scalar_arguments(context, shown, n_inputs, n_inputs, node);
  if (!arguments) return {};
  const TypeSignature* signature = choose_signature(context, ufunc, *arguments, node);
  if (!signature) return {};
  if (ufunc.function) return call_ufunc_function(context, ufunc, *signature, *arguments, node);
  ExternalFunction function;
  function.name = ufunc.name;
  function.signature = *signature;
  function.body = std::get<CppKernel>(type_cpp_kernel(*ufunc.body, *signature, {}).body);
  function.preamble = ufunc.preamble;
  function.linked = ufunc.linked;
  return call_external(context, std::move(function), *arguments, node);
}

Value call_declared(FunctionContext& context, const ExternalFunction& function,
                    const SyntaxNode& node) {
  const int n_inputs = static_cast<int>(function.signature.inputs.size());
  auto arguments = scalar_arguments(context, function.name, n_inputs, n_inputs, node);
  if (!arguments) return {};
  const std::size_t n_errors = context.findings.errors.size();
  for (std::size_t i = 0; i < arguments->size(); ++i) {
    Value& argument = (*arguments)[i];
    const DType wanted = function.signature.inputs[i].dtype;
    argument.expression = result_cast(context, argument, wanted, "passed");
    argument.type = InferredType::scalar(wanted);
    argument.constant.reset();
  }
  if (context.findings.errors.size() > n_errors) return {};
  return call_external(context, function, *arguments, node);
}

}  // namespace numpy_plugin::declare
