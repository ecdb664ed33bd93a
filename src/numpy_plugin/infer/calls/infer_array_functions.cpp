// NumPy's functions that select or test: where, nan_to_num, logical_and, real, imag.
#include <algorithm>
#include <limits>

#include "numpy_plugin/infer/arrays/array_expressions.hpp"
#include "numpy_plugin/infer/calls/call_arguments.hpp"
#include "numpy_plugin/infer/calls/infer_calls.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"
#include "numpy_plugin/infer/expressions/infer_operators.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

double largest_of(DType dtype) {
  if (dtype == DType::kFloat16) return 65504;
  if (dtype == DType::kBFloat16) return 0x1.fep127;
  return dtype == DType::kFloat32 ? std::numeric_limits<float>::max()
                                  : std::numeric_limits<double>::max();
}

// Replaces nan and infinities in a number by the given values.
Value finite_number(FunctionContext& context, const Value& number,
                    const std::vector<std::optional<Value>>& given, const SyntaxNode& node) {
  constexpr Operation kTests[] = {Operation::kIsNan, Operation::kIsPosInf, Operation::kIsNegInf};
  const double largest = largest_of(number.type.dtype);
  const double usual[] = {0.0, largest, -largest};
  Value result = number;
  for (std::size_t i = 0; i < 3; ++i) {
    Value other = given[i].value_or(constant(context, usual[i], node));
    other.expression = convert(context, other, number.type);
    other.type = number.type;
    other.constant.reset();
    result =
        select(context, call(kTests[i], DType::kBool, {number.expression}, place(context, node)),
               other, result, node);
    result.node = &node;
  }
  result.origin = number.origin;
  return result;
}

}  // namespace

Value builtin_where(FunctionContext& context, const std::string& name, const SyntaxNode& node) {
  if (is_nonzero_call(context, node)) return builtin_nonzero(context, name, node);
  const auto arguments = scalar_arguments(context, name, 3, 3, node);
  if (!arguments) return {};
  const Value& decides = (*arguments)[0];
  return select(context, truth(context, decides, *decides.node), (*arguments)[1], (*arguments)[2],
                node);
}

Value builtin_nan_to_num(FunctionContext& context, const std::string& name,
                         const SyntaxNode& node) {
  const std::vector<std::string> keywords = {"nan", "posinf", "neginf"};
  const auto arguments = scalar_arguments(context, name, 1, 1, node, keywords);
  if (!arguments) return {};
  Value number = arguments->front();
  std::vector<std::optional<Value>> given(3);
  for (const SyntaxNode& keyword : node.children("keywords")) {
    const auto at = std::find(keywords.begin(), keywords.end(), keyword.text) - keywords.begin();
    given[static_cast<std::size_t>(at)] = keyword_number(context, keyword.text, 0, node);
    if (!given[static_cast<std::size_t>(at)]->type.is_known()) return {};
  }
  if (!base::is_floating(number.type.dtype) && !base::is_complex(number.type.dtype)) return number;
  number = reusable(context, numpy_scalar(context, std::move(number)));
  if (!base::is_complex(number.type.dtype)) return finite_number(context, number, given, node);
  std::vector<Expression> parts;
  for (const Operation operation : {Operation::kReal, Operation::kImag}) {
    const Value part = reusable(context, complex_part(context, operation, number, node));
    parts.push_back(finite_number(context, part, given, node).expression);
  }
  number.expression =
      call(Operation::kMakeComplex, number.type.dtype, std::move(parts), place(context, node));
  return number;
}

Value builtin_logical(FunctionContext& context, const std::string& name, const SyntaxNode& node) {
  const bool is_not = name == "numpy.logical_not" || name == "operator.not_";
  const int n_arguments = is_not ? 1 : 2;
  const auto arguments = scalar_arguments(context, name, n_arguments, n_arguments, node);
  if (!arguments) return {};
  std::vector<Expression> operands;
  for (const Value& argument : *arguments) {
    operands.push_back(truth(context, argument, *argument.node));
  }
  const Operation operation = is_not                        ? Operation::kLogicalNot
                              : name == "numpy.logical_or"  ? Operation::kBitwiseOr
                              : name == "numpy.logical_xor" ? Operation::kBitwiseXor
                                                            : Operation::kBitwiseAnd;
  Value value;
  value.type = InferredType::scalar(DType::kBool);
  value.expression = call(operation, DType::kBool, std::move(operands), place(context, node));
  return value;
}

Value builtin_part(FunctionContext& context, const std::string& name, const SyntaxNode& node) {
  const auto arguments = scalar_arguments(context, name, 1, 1, node);
  if (!arguments) return {};
  const Operation part = name == "numpy.real" ? Operation::kReal : Operation::kImag;
  return complex_part(context, part, arguments->front(), node);
}

}  // namespace numpy_plugin::declare
