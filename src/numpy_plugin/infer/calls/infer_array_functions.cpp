// NumPy's functions that choose or test: where, nan_to_num, logical_and, real, imag.
#include <algorithm>
#include <limits>

#include "numpy_plugin/infer/calls/infer_calls.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

double largest_of(DType dtype) {
  if (dtype == DType::kFloat16) return 65504;
  if (dtype == DType::kBFloat16) return 0x1.fep127;
  return dtype == DType::kFloat32 ? std::numeric_limits<float>::max()
                                  : std::numeric_limits<double>::max();
}

}  // namespace

Value CallInference::builtin_where(const std::string& name, const SyntaxNode& node) {
  const auto arguments = scalar_arguments(name, 3, 3, node);
  if (!arguments) return {};
  const Value& decides = (*arguments)[0];
  return select(truth(decides, *decides.node), (*arguments)[1], (*arguments)[2], node);
}

// The number without nan and infinities, each replaced by what is given for it.
Value CallInference::finite_number(const Value& number,
                                   const std::vector<std::optional<Value>>& given,
                                   const SyntaxNode& node) {
  constexpr Operation kTests[] = {Operation::kIsNan, Operation::kIsPosInf, Operation::kIsNegInf};
  const double largest = largest_of(number.type.dtype);
  const double usual[] = {0.0, largest, -largest};
  Value result = number;
  for (std::size_t i = 0; i < 3; ++i) {
    Value other = given[i].value_or(constant(usual[i], node));
    other.expression = convert(other, number.type);
    other.type = number.type;
    other.constant.reset();
    result = select(call(kTests[i], DType::kBool, {number.expression}, place(node)), other, result,
                    node);
    result.node = &node;
  }
  result.origin = number.origin;
  return result;
}

Value CallInference::builtin_nan_to_num(const std::string& name, const SyntaxNode& node) {
  const std::vector<std::string> keywords = {"nan", "posinf", "neginf"};
  const auto arguments = scalar_arguments(name, 1, 1, node, keywords);
  if (!arguments) return {};
  Value number = arguments->front();
  std::vector<std::optional<Value>> given(3);
  for (const SyntaxNode& keyword : node.children("keywords")) {
    const auto at = std::find(keywords.begin(), keywords.end(), keyword.text) - keywords.begin();
    given[static_cast<std::size_t>(at)] = keyword_number(keyword.text, 0, node);
    if (!given[static_cast<std::size_t>(at)]->type.is_known()) return {};
  }
  if (!base::is_floating(number.type.dtype) && !base::is_complex(number.type.dtype)) return number;
  number = reusable(numpy_scalar(std::move(number)));
  if (!base::is_complex(number.type.dtype)) return finite_number(number, given, node);
  std::vector<Expression> parts;
  for (const Operation operation : {Operation::kReal, Operation::kImag}) {
    const Value part = reusable(complex_part(operation, number, node));
    parts.push_back(finite_number(part, given, node).expression);
  }
  number.expression =
      call(Operation::kMakeComplex, number.type.dtype, std::move(parts), place(node));
  return number;
}

Value CallInference::builtin_logical(const std::string& name, const SyntaxNode& node) {
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

Value CallInference::builtin_part(const std::string& name, const SyntaxNode& node) {
  const auto arguments = scalar_arguments(name, 1, 1, node);
  if (!arguments) return {};
  const Operation part = name == "numpy.real" ? Operation::kReal : Operation::kImag;
  return complex_part(part, arguments->front(), node);
}

}  // namespace numpy_plugin::declare
