#include "numpy_plugin/infer/calls/infer_calls.hpp"

#include <algorithm>

#include "numpy_plugin/infer/calls/call_arguments.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"
#include "numpy_plugin/infer/expressions/infer_operators.hpp"
#include "numpy_plugin/infer/expressions/infer_times.hpp"
#include "numpy_plugin/syntax/functions.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

InferredType common_type(const std::vector<Value>& arguments) {
  InferredType type = arguments.front().type;
  for (const Value& argument : arguments) type = promote(type, argument.type);
  return type;
}

// The floating-point type in which NumPy computes for this dtype.
DType numpy_floating(DType dtype) {
  return is_integer_or_bool(dtype) ? promote(dtype, DType::kFloat16) : dtype;
}

// NumPy searches for the first of its loops that every argument can be cast to.
DType loop_floating(const std::vector<Value>& arguments) {
  DType dtype = numpy_floating(common_type(arguments).dtype);
  const bool has_weak = std::any_of(arguments.begin(), arguments.end(),
                                    [](const Value& argument) { return argument.type.is_weak; });
  if (has_weak) return dtype;
  const bool has_bfloat16 =
      std::any_of(arguments.begin(), arguments.end(),
                  [](const Value& argument) { return argument.type.dtype == DType::kBFloat16; });
  const auto as_floating = [has_bfloat16](const Value& argument) {
    const DType own = argument.type.dtype;
    // bfloat16 accepts one-byte integers unchanged; with float16 the result would be float32.
    return has_bfloat16 && n_bits(own) == 8 ? own : numpy_floating(own);
  };
  dtype = as_floating(arguments.front());
  for (const Value& argument : arguments) dtype = promote(dtype, as_floating(argument));
  return dtype;
}

// The type in which NumPy computes.
InferredType numpy_type(const FunctionInfo& row, const std::vector<Value>& arguments) {
  InferredType type = common_type(arguments);
  switch (row.rule) {
    case TypingRule::kFloating:
    case TypingRule::kRealFloating:
    case TypingRule::kTest:
      type.dtype = loop_floating(arguments);
      break;
    case TypingRule::kComplexMath: {
      const bool is_exact = is_integer_or_bool(type.dtype);
      type.dtype = is_exact ? DType::kComplex128 : complex_dtype(real_dtype(type.dtype));
      break;
    }
    case TypingRule::kNumpyMath:
      if (is_integer_or_bool(type.dtype)) type.dtype = DType::kFloat64;
      break;
    case TypingRule::kSpecial:
      type.dtype =
          is_integer_or_bool(type.dtype) ? DType::kFloat64 : promote(type.dtype, DType::kFloat32);
      break;
    case TypingRule::kFloatPower:
      type.dtype = base::is_complex(type.dtype) ? DType::kComplex128 : DType::kFloat64;
      break;
    case TypingRule::kInteger:
    case TypingRule::kWhole:
    case TypingRule::kNumber:
      if (type.dtype == DType::kBool && row.operation != Operation::kAbsolute) {
        type.dtype = DType::kInt8;
      }
      break;
    default:
      break;
  }
  return type;
}

// Whether an operation returns every value of the type unchanged.
bool is_identity(Operation operation, DType dtype) {
  switch (operation) {
    case Operation::kFloor:
    case Operation::kCeil:
    case Operation::kTrunc:
      return is_integer_or_bool(dtype);
    case Operation::kConjugate:
      return !base::is_complex(dtype);
    case Operation::kAbsolute:
      return dtype == DType::kBool;
    default:
      return false;
  }
}

bool allows_complex(TypingRule rule) {
  return rule == TypingRule::kFloating || rule == TypingRule::kNumber ||
         rule == TypingRule::kSameNumber || rule == TypingRule::kTest ||
         rule == TypingRule::kComplexMath || rule == TypingRule::kNumpyMath ||
         rule == TypingRule::kFloatPower;
}

bool is_math(TypingRule rule) {
  return rule == TypingRule::kMath || rule == TypingRule::kMathTest ||
         rule == TypingRule::kMathInteger || rule == TypingRule::kMathWhole;
}

// The result type of an operation on arguments of one type.
InferredType result_type(Operation operation, const InferredType& type) {
  InferredType result = type;
  switch (info(operation).result) {
    case OperationResult::kSame:
      break;
    case OperationResult::kReal:
      result.dtype = real_dtype(type.dtype);
      break;
    case OperationResult::kComplex:
      result.dtype = complex_dtype(type.dtype);
      break;
    case OperationResult::kBool:
      return InferredType::scalar(DType::kBool);
    case OperationResult::kInt32:
      return InferredType::scalar(DType::kInt32);
    case OperationResult::kUint8:
      return InferredType::scalar(DType::kUInt8);
  }
  return result;
}

Value numpy_operator(FunctionContext& context, const FunctionInfo& row,
                     const std::vector<Value>& arguments, const SyntaxNode& node) {
  if (const OperatorInfo* binary_operator = find_operator(row.operation)) {
    OperatorInfo function = *binary_operator;
    function.is_ufunc = true;
    return binary(context, function, arguments[0], arguments[1], node);
  }
  const bool is_negative = row.operation == Operation::kNegative;
  const bool is_positive = row.operation == Operation::kPositive;
  const SyntaxKind op = is_negative   ? SyntaxKind::kUSub
                        : is_positive ? SyntaxKind::kUAdd
                                      : SyntaxKind::kInvert;
  return unary(context, op, arguments[0], node);
}

// One call of the operation or, for more arguments than it takes, nested calls.
Expression fold_calls(Operation operation, DType result, std::vector<Expression> operands,
                      const SourceSpan& where) {
  const auto n_arguments = static_cast<std::size_t>(info(operation).n_arguments);
  if (operands.size() <= n_arguments) return call(operation, result, std::move(operands), where);
  Expression last = std::move(operands.back());
  operands.pop_back();
  Expression first = fold_calls(operation, result, std::move(operands), where);
  return call(operation, result, {std::move(first), std::move(last)}, where);
}

// Applies the operation to arguments of one type.
Value apply(FunctionContext& context, const FunctionInfo& row, const InferredType& type,
            const std::vector<Value>& arguments, const SyntaxNode& node) {
  std::vector<Expression> operands;
  std::vector<const Value*> pointers;
  const std::size_t n_errors = context.findings.errors.size();
  for (const Value& argument : arguments) {
    operands.push_back(convert(context, argument, type));
    pointers.push_back(&argument);
  }
  if (context.findings.errors.size() > n_errors) return {};
  Value value;
  value.type = result_type(row.operation, type);
  value.expression =
      fold_calls(row.operation, value.type.dtype, std::move(operands), place(context, node));
  Origin origin;
  origin.place = place(context, node);
  origin.message = format("{} is {}", text(context, node), describe(value.type));
  if (arguments.size() == 1) {
    origin.hint = text(context, *node.child("func")) + "(np.{}(" +
                  text(context, *arguments.front().node) + "))";
  }
  return with_origin(std::move(value), pointers, std::move(origin));
}

}  // namespace

Value call_table_function(FunctionContext& context, const FunctionInfo& row,
                          const SyntaxNode& node) {
  const std::string name = format("{}.{}", row.module, row.name);
  const int n_arguments = info(row.operation).n_arguments;
  auto arguments = scalar_arguments(context, name, n_arguments, n_arguments, node);
  if (!arguments) return {};
  if (std::ranges::any_of(*arguments, is_time)) {
    return time_function(context, row, *arguments, node);
  }
  if (row.rule != TypingRule::kOperator && !check_argument_kinds(context, row, *arguments, node)) {
    return {};
  }
  if (is_math(row.rule)) return math_function(context, row, *arguments, node);
  return numpy_function(context, row, std::move(*arguments), node);
}

bool check_argument_kinds(FunctionContext& context, const FunctionInfo& row,
                          const std::vector<Value>& arguments, const SyntaxNode& node) {
  if (row.operation == Operation::kIsNat) {
    const Value& number = arguments.front();
    error(context, *number.node,
          format("{} needs a date or a duration, {} is {}", text(context, *node.child("func")),
                 text(context, *number.node), describe(number.type)));
    return false;
  }
  const bool is_whole_rule = row.rule == TypingRule::kWhole || row.rule == TypingRule::kMathWhole;
  if (is_whole_rule) return check_whole_arguments(context, arguments, node);
  if (allows_complex(row.rule)) return true;
  for (const Value& argument : arguments) {
    if (!base::is_complex(argument.type.dtype)) continue;
    const std::string function = text(context, *node.child("func"));
    const std::string argument_text = text(context, *argument.node);
    const std::string bare(row.name);
    std::string hint;
    if (row.module == "math" && find_function("cmath." + bare)) {
      hint = format("{}({}) or cmath.{}({})", spelling(context, "numpy", bare), argument_text, bare,
                    argument_text);
    }
    error(context, *argument.node,
          format("{} needs a real number, {} is {}", function, argument_text,
                 describe(argument.type)),
          hint);
    return false;
  }
  return true;
}

bool check_whole_arguments(FunctionContext& context, const std::vector<Value>& arguments,
                           const SyntaxNode& node) {
  for (const Value& argument : arguments) {
    if (is_integer_or_bool(argument.type.dtype)) continue;
    const std::string function = text(context, *node.child("func"));
    error(context, *argument.node,
          format("{} needs an integer, {} is {}", function, text(context, *argument.node),
                 describe(argument.type)),
          base::is_complex(argument.type.dtype) ? ""
                                                : format("int({})", text(context, *argument.node)));
    return false;
  }
  return true;
}

Value math_function(FunctionContext& context, const FunctionInfo& row,
                    const std::vector<Value>& arguments, const SyntaxNode& node) {
  InferredType type = common_type(arguments);
  if (row.rule == TypingRule::kMathInteger && is_integer_or_bool(type.dtype)) {
    return explicit_cast(context, arguments.front(), DType::kInt64, node);
  }
  if (row.rule == TypingRule::kMathWhole) {
    const bool is_unsigned = type.dtype == DType::kUInt64;
    type = InferredType::scalar(is_unsigned ? DType::kUInt64 : DType::kInt64);
  } else if (is_integer_or_bool(type.dtype)) {
    type.dtype = DType::kFloat64;
  }
  Value value = apply(context, row, type, arguments, node);
  if (row.rule != TypingRule::kMathInteger) return value;
  value.type = InferredType::scalar(DType::kInt64);
  value.origin.reset();
  value.expression = cast(std::move(value.expression), DType::kInt64);
  return value;
}

Value numpy_scalar(FunctionContext& context, Value number) {
  number.expression = convert(context, number, number.type);
  number.type.is_weak = false;
  number.constant.reset();
  return number;
}

Value numpy_function(FunctionContext& context, const FunctionInfo& row,
                     std::vector<Value> arguments, const SyntaxNode& node) {
  if (std::ranges::any_of(arguments, is_time)) {
    return time_function(context, row, arguments, node);
  }
  if (common_type(arguments).is_weak && row.rule != TypingRule::kComplexMath) {
    // NumPy's functions turn plain numbers into NumPy scalars.
    for (Value& argument : arguments) argument = numpy_scalar(context, std::move(argument));
  }
  if (row.rule == TypingRule::kOperator) return numpy_operator(context, row, arguments, node);
  const InferredType type = numpy_type(row, arguments);
  if (!is_identity(row.operation, type.dtype)) return apply(context, row, type, arguments, node);
  Value value = arguments.front();
  value.expression = convert(context, value, type);
  value.type = type;
  return value;
}

}  // namespace numpy_plugin::declare
