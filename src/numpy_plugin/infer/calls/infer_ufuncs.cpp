// Calls of other ufuncs of this package and of functions defined elsewhere. A kernel in Python is
// typed as a device function is, a C++ body becomes a function of the same translation unit. The
// loop is the one NumPy would take.
#include <algorithm>
#include <utility>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/cpp_body/cpp_body.hpp"
#include "numpy_plugin/infer/calls/infer_calls.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

// What NumPy looks for a loop with: a plain number takes the type of all operands together.
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

}  // namespace

Value CallInference::call_ufunc(const Binding& binding, const SyntaxNode& node) {
  const UfuncSyntax& ufunc = *binding.ufunc;
  const std::string shown = text(*node.child("func"));
  if (shown == syntax_.name) return error(place(node), shown + " calls itself", "use a loop");
  if (!ufunc.layout.empty()) {
    return error(place(*node.child("func")),
                 "'" + shown + "' works on core arrays " + ufunc.layout +
                     " and cannot be called in a kernel",
                 "put @npp.device above a function of numbers and call that");
  }
  const int n_inputs = static_cast<int>(ufunc.n_inputs);
  const auto arguments = scalar_arguments(shown, n_inputs, n_inputs, node);
  if (!arguments) return {};
  const std::vector<DType> dtypes = operand_dtypes(*arguments);
  const TypeSignature* signature = choose_signature(ufunc, dtypes, node);
  if (!signature) return {};
  if (ufunc.function) return call_ufunc_function(ufunc, *signature, *arguments, node);
  ExternalFunction function;
  function.name = ufunc.name;
  function.signature = *signature;
  function.body = std::get<CppKernel>(type_cpp_kernel(*ufunc.body, *signature, {}).body);
  function.preamble = ufunc.preamble;
  function.linked = ufunc.linked;
  return call_external(std::move(function), *arguments, node);
}

// Null where there is no loop for these types.
const TypeSignature* CallInference::choose_signature(const UfuncSyntax& ufunc,
                                                     const std::vector<DType>& dtypes,
                                                     const SyntaxNode& node) {
  if (ufunc.signatures.empty()) {
    return &kernel_.keep(promoted_signature(dtypes, ufunc.body ? ufunc.n_outputs : 0));
  }
  const auto found =
      std::find_if(ufunc.signatures.begin(), ufunc.signatures.end(),
                   [&dtypes](const TypeSignature& each) { return fits(each, dtypes); });
  if (found != ufunc.signatures.end()) return &*found;
  std::vector<std::string> known;
  for (const TypeSignature& each : ufunc.signatures) known.push_back(each.text());
  const std::string shown = text(*node.child("func"));
  error(place(node), "'" + shown + "' has no loop for (" + names_of(dtypes) + ")",
        "it has " + base::join(known, ", ") + "; cast the arguments");
  return nullptr;
}

Value CallInference::call_ufunc_function(const UfuncSyntax& ufunc, const TypeSignature& signature,
                                         const std::vector<Value>& arguments,
                                         const SyntaxNode& node) {
  if (!check_depth(node)) return {};
  const FunctionTask task = kernel_task(*ufunc.function, signature, {});
  const std::size_t index = kernel_.device_function(task, place(node));
  const TypedFunction& callee = kernel_.typed(index);
  std::vector<DType> dtypes;
  for (const OperandType& input : signature.inputs) dtypes.push_back(input.dtype);
  if (!take_findings(callee, names_of(dtypes), node)) return {};
  Expression call{ExpressionKind::kCallFunction, storage(callee.result), place(node), {}};
  call.index = static_cast<int>(index);
  return cast_and_call(std::move(call), signature, callee.result, arguments, node);
}

Value CallInference::call_external(ExternalFunction function, const std::vector<Value>& arguments,
                                   const SyntaxNode& node) {
  const TypeSignature signature = function.signature;
  const InferredType type = result_type(signature);
  Expression call{ExpressionKind::kCallExternal, storage(type), place(node), {}};
  call.index = static_cast<int>(kernel_.external_function(std::move(function)));
  return cast_and_call(std::move(call), signature, type, arguments, node);
}

// A function defined elsewhere: its arguments are cast as results are to their declared types.
Value CallInference::call_declared(const ExternalFunction& function, const SyntaxNode& node) {
  const int n_inputs = static_cast<int>(function.signature.inputs.size());
  auto arguments = scalar_arguments(function.name, n_inputs, n_inputs, node);
  if (!arguments) return {};
  const std::size_t n_errors = findings_.errors.size();
  for (std::size_t i = 0; i < arguments->size(); ++i) {
    Value& argument = (*arguments)[i];
    const DType wanted = function.signature.inputs[i].dtype;
    argument.expression = result_cast(argument, wanted, "passed");
    argument.type = InferredType::scalar(wanted);
    argument.constant.reset();
  }
  if (findings_.errors.size() > n_errors) return {};
  return call_external(function, *arguments, node);
}

// The call with each argument as the type of its operand.
Value CallInference::cast_and_call(Expression call, const TypeSignature& signature,
                                   const InferredType& type, const std::vector<Value>& arguments,
                                   const SyntaxNode& node) {
  std::vector<const Value*> pointers;
  const std::size_t n_errors = findings_.errors.size();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const InferredType wanted = InferredType::scalar(signature.inputs[i].dtype);
    call.operands.push_back(convert(arguments[i], wanted));
    pointers.push_back(&arguments[i]);
  }
  if (findings_.errors.size() > n_errors) return {};
  Value value;
  value.type = type;
  value.expression = std::move(call);
  if (!type.is_scalar()) return value;
  Origin origin;
  origin.place = place(node);
  origin.message = text(node) + " is " + describe(type);
  return with_origin(std::move(value), pointers, std::move(origin));
}

}  // namespace numpy_plugin::declare
