// NumPy's functions that choose or test: where, logical_and, real, imag.
#include "numpy_plugin/declare/infer.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

}  // namespace

Value FunctionInference::builtin_where(const std::string& name, const SyntaxNode& node) {
  const auto arguments = scalar_arguments(name, 3, 3, node);
  if (!arguments) return {};
  const Value& decides = (*arguments)[0];
  return select(truth(decides, *decides.node), (*arguments)[1], (*arguments)[2], node);
}

Value FunctionInference::builtin_logical(const std::string& name, const SyntaxNode& node) {
  const bool is_not = name == "numpy.logical_not";
  const int n_arguments = is_not ? 1 : 2;
  const auto arguments = scalar_arguments(name, n_arguments, n_arguments, node);
  if (!arguments) return {};
  std::vector<Expression> operands;
  for (const Value& argument : *arguments) operands.push_back(truth(argument, *argument.node));
  const Operation operation = is_not                        ? Operation::kLogicalNot
                              : name == "numpy.logical_or"  ? Operation::kBitwiseOr
                              : name == "numpy.logical_xor" ? Operation::kBitwiseXor
                                                            : Operation::kBitwiseAnd;
  Value value;
  value.type = InferredType::scalar(DType::kBool);
  value.expression = call(operation, DType::kBool, std::move(operands), place(node));
  return value;
}

Value FunctionInference::builtin_part(const std::string& name, const SyntaxNode& node) {
  const auto arguments = scalar_arguments(name, 1, 1, node);
  if (!arguments) return {};
  const Operation part = name == "numpy.real" ? Operation::kReal : Operation::kImag;
  return complex_part(part, arguments->front(), node);
}

}  // namespace numpy_plugin::declare
