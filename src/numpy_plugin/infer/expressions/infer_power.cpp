#include "numpy_plugin/infer/expressions/infer_operators.hpp"

#include <cmath>
#include <cstdlib>

#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/syntax/functions.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

bool is_negative(const PlainNumber& number) {
  return !std::holds_alternative<std::complex<double>>(number) && to_double(number) < 0;
}

// NumPy's array operator has fast paths that the ufunc lacks: the ufunc computes complex powers and
// float16's square roots by pow, whose roots of -inf and -0.0 differ.
bool has_fast_path(const OperatorInfo& info, DType dtype, double exponent) {
  const bool is_operators_own =
      base::is_complex(dtype) || (dtype == DType::kFloat16 && exponent == 0.5);
  return !info.is_ufunc || !is_operators_own;
}

// The operator uses np.square, which has no loop for booleans: their other powers are int64.
bool is_square_of_boolean(const Value& left, const Value& right) {
  const bool is_two = right.constant && right.type.is_weak && right.type.dtype == DType::kInt64 &&
                      to_double(*right.constant) == 2.0;
  return is_two && !left.constant && left.type.dtype == DType::kBool;
}

Value report_negative_power(FunctionContext& context, const Value& left, const Value& right) {
  const std::string base = inner_text(context, *left.node);
  const std::string exponent = text(context, *right.node);
  const bool is_reciprocal = to_double(*right.constant) == -1.0;
  const std::string power = format("float({}) ** {}", text(context, *left.node), exponent);
  return error(context, *right.node, "an integer to a negative power",
               is_reciprocal ? format("1 / {}, or {}", base, power) : power);
}

// Exponents whose powers are products within the bound of `pow`, 4 ulp: four roundings at most.
bool has_product(DType dtype, double exponent) {
  const bool is_short = exponent == -2 || exponent == 3 || exponent == 4 || exponent == 5;
  return base::is_floating(dtype) && !base::is_half(dtype) && is_short;
}

Expression product(const Expression& factor, int exponent) {
  if (exponent == 1) return factor;
  const DType dtype = factor.type.dtype;
  if (exponent % 2 == 0)
    return call(Operation::kSquare, dtype, {product(factor, exponent / 2)}, factor.place);
  return call(Operation::kMultiply, dtype, {product(factor, exponent - 1), factor}, factor.place);
}

// For a negative exponent that of the reciprocal, which overflows only where the power does.
Expression power_as_product(FunctionContext& context, const Value& base, const InferredType& type,
                            int exponent, const SyntaxNode& node) {
  Value factor;
  factor.node = &node;
  factor.type = type;
  factor.expression = convert(context, base, type);
  if (exponent < 0) {
    factor.expression = call(Operation::kReciprocal, type.dtype, {std::move(factor.expression)},
                             place(context, node));
  }
  return product(reusable(context, std::move(factor)).expression, std::abs(exponent));
}

// NumPy's fast paths, and products; an unknown value for other exponents.
Value power_by_constant(FunctionContext& context, const Value& base, const Value& right,
                        const InferredType& type, const SyntaxNode& node) {
  const double exponent = to_double(*right.constant);
  Value value;
  value.type = type;
  const DType dtype = type.dtype;
  const bool is_inexact = base::is_floating(dtype) || base::is_complex(dtype);
  Expression operand = convert(context, base, type);
  if (exponent == 2.0) {
    value.expression = call(Operation::kSquare, dtype, {std::move(operand)}, place(context, node));
  } else if (exponent == 1.0) {
    value.expression =
        call(Operation::kPositive, dtype, {std::move(operand)}, place(context, node));
  } else if (exponent == 0.0) {
    value.expression =
        constant_expression(dtype, declare::convert(Int128{1}, dtype).value, place(context, node));
  } else if (exponent == -1.0 && is_inexact) {
    value.expression =
        call(Operation::kReciprocal, dtype, {std::move(operand)}, place(context, node));
  } else if (exponent == 0.5 && is_inexact) {
    value.expression = call(Operation::kSqrt, dtype, {std::move(operand)}, place(context, node));
  } else if (has_product(dtype, exponent)) {
    value.expression = power_as_product(context, base, type, static_cast<int>(exponent), node);
  } else {
    return {};
  }
  Origin origin;
  origin.place = place(context, node);
  origin.message = format("{} ** {} is {}", describe(base.type), text(context, *right.node),
                          describe(value.type));
  return with_origin(std::move(value), {&base}, std::move(origin));
}

// The exponent in a local, after a test that raises NumPy's error for a negative one.
Value checked_exponent(FunctionContext& context, Value exponent, const SyntaxNode& node) {
  exponent = in_local(context, std::move(exponent));
  const SourceSpan where = place(context, node);
  const DType dtype = exponent.type.dtype;
  Expression zero = constant_expression(dtype, declare::convert(Int128{0}, dtype).value, where);
  Statement test{StatementKind::kIf, where, 0, {}, {}, {}, {}, {}};
  test.value = call(Operation::kLess, DType::kBool, {exponent.expression, std::move(zero)}, where);
  test.body.push_back(
      raised(context, node, "ValueError", "Integers to negative integer powers are not allowed."));
  add_statement(context, std::move(test));
  return exponent;
}

}  // namespace

Value power(FunctionContext& context, const OperatorInfo& info, const Value& left,
            const Value& right, const SyntaxNode& node) {
  InferredType type = operator_type(info, left, right);
  if (!info.is_ufunc && is_square_of_boolean(left, right)) {
    type = InferredType::scalar(DType::kInt8);
  }
  const bool is_integer = base::is_integer(type.dtype);
  const bool is_real_constant =
      right.constant && !std::holds_alternative<std::complex<double>>(*right.constant);
  if (is_integer && right.constant && is_negative(*right.constant)) {
    if (!left.type.is_weak) return report_negative_power(context, left, right);
    type = InferredType::weak(DType::kFloat64);  // as in Python: 2 ** -1 is 0.5
  }
  if (is_real_constant && has_fast_path(info, type.dtype, to_double(*right.constant))) {
    const Value result = power_by_constant(context, left, right, type, node);
    if (result.type.is_known()) return result;
  }
  const bool may_be_negative =
      is_integer && !right.constant && !least_value(context, right.expression);
  return operate(context, info, type, left,
                 may_be_negative ? checked_exponent(context, right, node) : right, node);
}

}  // namespace numpy_plugin::declare
