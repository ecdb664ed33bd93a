#include "numpy_plugin/infer/calls/infer_calls.hpp"

#include "numpy_plugin/infer/calls/call_arguments.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"
#include "numpy_plugin/infer/expressions/infer_operators.hpp"
#include "numpy_plugin/syntax/functions.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

struct PairFunction {
  std::string_view name;
  TypingRule rule;
  Operation first;
  Operation second;
};

constexpr PairFunction kPairFunctions[] = {
    {"cmath.polar", TypingRule::kComplexMath, Operation::kAbsolute, Operation::kPhase},
    {"math.frexp", TypingRule::kMath, Operation::kFrexpMantissa, Operation::kFrexpExponent},
    {"math.modf", TypingRule::kMath, Operation::kFraction, Operation::kTrunc},
    {"numpy.frexp", TypingRule::kRealFloating, Operation::kFrexpMantissa,
     Operation::kFrexpExponent},
    {"numpy.modf", TypingRule::kRealFloating, Operation::kFraction, Operation::kTrunc},
};

const PairFunction& pair_function(std::string_view name) {
  for (const PairFunction& row : kPairFunctions) {
    if (row.name == name) return row;
  }
  NPP_ASSERT(false, std::string(name));
}

FunctionInfo row_of(std::string_view name, Operation operation, TypingRule rule) {
  const std::size_t dot = name.rfind('.');
  return {name.substr(0, dot), name.substr(dot + 1), operation, rule};
}

// An integer in its own type; plain numbers and bools as int64.
Expression whole_operand(FunctionContext& context, const Value& value) {
  const bool is_typed = !value.type.is_weak && value.type.dtype != DType::kBool;
  return is_typed ? value.expression : convert(context, value, InferredType::scalar(DType::kInt64));
}

struct BesselFunction {
  std::string_view name;
  Operation whole;
  Operation real;  // the same as `whole` where only integers are orders
};

constexpr BesselFunction kBesselFunctions[] = {
    {"scipy.special.jv", Operation::kBesselJn, Operation::kBesselJv},
    {"scipy.special.yv", Operation::kBesselYn, Operation::kBesselYv},
    {"scipy.special.yn", Operation::kBesselYn, Operation::kBesselYn},
};

const BesselFunction& bessel_function(std::string_view name) {
  for (const BesselFunction& row : kBesselFunctions) {
    if (row.name == name) return row;
  }
  NPP_ASSERT(false, std::string(name));
}

}  // namespace

// A function of two numbers, folded from the left.
Value builtin_fold(FunctionContext& context, const std::string& name, const SyntaxNode& node) {
  const auto arguments = scalar_arguments(context, name, 2, kAnyNumber, node);
  const FunctionInfo& row = *find_function(name);
  if (!arguments || !check_argument_kinds(context, row, *arguments, node)) return {};
  return math_function(context, row, *arguments, node);
}

Value builtin_pair(FunctionContext& context, const std::string& name, const SyntaxNode& node) {
  const auto arguments = scalar_arguments(context, name, 1, 1, node);
  if (!arguments) return {};
  const PairFunction& pair = pair_function(name);
  const Value number = reusable(context, arguments->front());
  std::vector<Value> results;
  for (const Operation operation : {pair.first, pair.second}) {
    const FunctionInfo row = row_of(name, operation, pair.rule);
    if (results.empty() && !check_argument_kinds(context, row, {number}, node)) return {};
    results.push_back(pair.rule == TypingRule::kMath
                          ? math_function(context, row, {number}, node)
                          : numpy_function(context, row, {number}, node));
  }
  if (name == "math.frexp") {
    results[1].type = InferredType::scalar(DType::kInt64);
    results[1].expression = cast(std::move(results[1].expression), DType::kInt64);
  }
  return tuple_of(context, results, node);
}

// The result type depends only on the number; the exponent is any integer.
Value builtin_ldexp(FunctionContext& context, const std::string& name, const SyntaxNode& node) {
  const auto arguments = scalar_arguments(context, name, 2, 2, node);
  if (!arguments || !check_whole_arguments(context, {(*arguments)[1]}, node)) return {};
  const bool is_math = name.starts_with("math.");
  const FunctionInfo row =
      row_of(name, Operation::kLdexp, is_math ? TypingRule::kMath : TypingRule::kRealFloating);
  const std::vector<Value> number = {(*arguments)[0]};
  if (!check_argument_kinds(context, row, number, node)) return {};
  Value value = is_math ? math_function(context, row, number, node)
                        : numpy_function(context, row, number, node);
  if (!value.type.is_known()) return {};
  value.expression.operands.push_back(whole_operand(context, (*arguments)[1]));
  return value;
}

// A Bessel function; the type of an integer order does not matter to that of the result.
Value builtin_order(FunctionContext& context, const std::string& name, const SyntaxNode& node) {
  const auto arguments = scalar_arguments(context, name, 2, 2, node);
  if (!arguments) return {};
  const BesselFunction& function = bessel_function(name);
  const bool is_whole = is_integer_or_bool((*arguments)[0].type.dtype);
  if (!is_whole && function.real != function.whole) {
    const FunctionInfo row = row_of(name, function.real, TypingRule::kSpecial);
    if (!check_argument_kinds(context, row, *arguments, node)) return {};
    return numpy_function(context, row, *arguments, node);
  }
  if (!check_whole_arguments(context, {(*arguments)[0]}, node)) return {};
  const FunctionInfo row = row_of(name, function.whole, TypingRule::kSpecial);
  const std::vector<Value> number = {(*arguments)[1]};
  if (!check_argument_kinds(context, row, number, node)) return {};
  Value value = numpy_function(context, row, number, node);
  if (!value.type.is_known()) return {};
  std::vector<Expression>& operands = value.expression.operands;
  operands.insert(operands.begin(), whole_operand(context, (*arguments)[0]));
  return value;
}

// lambertw(z) and lambertw(z, k): complex, as SciPy's.
Value builtin_lambertw(FunctionContext& context, const std::string& name, const SyntaxNode& node) {
  const auto arguments = scalar_arguments(context, name, 1, 2, node, {"k"});
  if (!arguments) return {};
  Value branch = arguments->size() == 2 ? (*arguments)[1] : constant(context, Int128{0}, node);
  if (const SyntaxNode* const given = find_keyword(node, "k")) branch = infer(context, *given);
  if (!branch.type.is_known() || !check_whole_arguments(context, {branch}, node)) return {};
  const FunctionInfo row = row_of(name, Operation::kLambertW, TypingRule::kComplexMath);
  Value value = numpy_function(context, row, {(*arguments)[0]}, node);
  if (!value.type.is_known()) return {};
  value.expression.operands.push_back(whole_operand(context, branch));
  return value;
}

// Riemann's zeta function of one number, Hurwitz's of two.
Value builtin_zeta(FunctionContext& context, const std::string& name, const SyntaxNode& node) {
  const auto arguments = scalar_arguments(context, name, 1, 2, node);
  if (!arguments) return {};
  const Operation operation =
      arguments->size() == 1 ? Operation::kRiemannZeta : Operation::kHurwitzZeta;
  const FunctionInfo row = row_of(name, operation, TypingRule::kSpecial);
  if (!check_argument_kinds(context, row, *arguments, node)) return {};
  return numpy_function(context, row, *arguments, node);
}

// isclose(a, b): in float64 for Python's modules, in the arguments' type for NumPy.
Value builtin_close(FunctionContext& context, const std::string& name, const SyntaxNode& node) {
  const bool is_numpy = name == "numpy.isclose";
  const std::vector<std::string> keywords = is_numpy
                                                ? std::vector<std::string>{"rtol", "atol"}
                                                : std::vector<std::string>{"rel_tol", "abs_tol"};
  const auto arguments = scalar_arguments(context, name, 2, 2, node, keywords);
  if (!arguments) return {};
  const FunctionInfo row =
      row_of(name, Operation::kIsClose,
             name.starts_with("math.") ? TypingRule::kMath : TypingRule::kNumber);
  if (!check_argument_kinds(context, row, *arguments, node)) return {};
  InferredType type = promote((*arguments)[0].type, (*arguments)[1].type);
  if (type.is_weak || is_integer_or_bool(type.dtype))
    type.dtype = promote(type.dtype, DType::kFloat64);
  if (!is_numpy) type.dtype = promote(type.dtype, DType::kFloat64);
  type.is_weak = false;
  const InferredType real = InferredType::scalar(real_dtype(type.dtype));
  std::vector<Expression> operands;
  for (const Value& argument : *arguments) operands.push_back(convert(context, argument, type));
  for (const std::string& keyword : keywords) {
    const double usual = keyword == "rtol"      ? 1e-5
                         : keyword == "atol"    ? 1e-8
                         : keyword == "rel_tol" ? 1e-9
                                                : 0.0;
    const Value tolerance = keyword_number(context, keyword, usual, node);
    if (!tolerance.type.is_known()) return {};
    operands.push_back(convert(context, tolerance, real));
  }
  Value value;
  value.type = InferredType::scalar(DType::kBool);
  value.expression = call(is_numpy ? Operation::kIsNear : Operation::kIsClose, DType::kBool,
                          std::move(operands), place(context, node));
  return value;
}

Value keyword_number(FunctionContext& context, const std::string& keyword, double usual,
                     const SyntaxNode& node) {
  const SyntaxNode* given = find_keyword(node, keyword);
  if (!given) return constant(context, usual, node);
  const Value value = infer(context, *given);
  if (!value.type.is_known()) return {};
  if (value.type.is_scalar() && !base::is_complex(value.type.dtype)) return value;
  return error(context, *given,
               format("{} needs a real number, {} is {}", keyword, text(context, *given),
                      describe(value.type)));
}

// The angle of a complex number; 0 or pi for a real one.
Value builtin_angle(FunctionContext& context, const std::string& name, const SyntaxNode& node) {
  const auto arguments = scalar_arguments(context, name, 1, 1, node);
  if (!arguments) return {};
  const Value& number = arguments->front();
  if (base::is_complex(number.type.dtype)) {
    return numpy_function(context, row_of(name, Operation::kPhase, TypingRule::kNumpyMath),
                          {number}, node);
  }
  return numpy_function(context, row_of(name, Operation::kAtan2, TypingRule::kRealFloating),
                        {constant(context, Int128{0}, node), number}, node);
}

// math.log(x) and math.log(x, base), and those of cmath.
Value builtin_logarithm(FunctionContext& context, const std::string& name, const SyntaxNode& node) {
  const auto arguments = scalar_arguments(context, name, 1, 2, node);
  if (!arguments) return {};
  const bool is_math = name == "math.log";
  const FunctionInfo row =
      row_of(name, Operation::kLog, is_math ? TypingRule::kMath : TypingRule::kComplexMath);
  if (!check_argument_kinds(context, row, *arguments, node)) return {};
  std::vector<Value> logarithms;
  for (const Value& argument : *arguments) {
    logarithms.push_back(is_math ? math_function(context, row, {argument}, node)
                                 : numpy_function(context, row, {argument}, node));
    logarithms.back().node = &node;
  }
  if (logarithms.size() == 1) return logarithms.front();
  return binary(context, *find_operator(SyntaxKind::kDiv), logarithms[0], logarithms[1], node);
}

}  // namespace numpy_plugin::declare
