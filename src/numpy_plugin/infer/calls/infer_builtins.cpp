#include "numpy_plugin/infer/calls/infer_calls.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "numpy_plugin/infer/arrays/array_expressions.hpp"
#include "numpy_plugin/infer/arrays/reductions.hpp"
#include "numpy_plugin/infer/calls/call_arguments.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_arrays.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"
#include "numpy_plugin/infer/expressions/infer_operators.hpp"
#include "numpy_plugin/infer/expressions/infer_times.hpp"
#include "numpy_plugin/infer/expressions/records.hpp"
#include "numpy_plugin/syntax/functions.hpp"
#include "numpy_plugin/system/fork.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

// Python's comparisons: one with NaT is false, and leaves what was found before.
Value time_extremum(FunctionContext& context, const std::string& shown,
                    const std::vector<Value>& values, const SyntaxNode& node) {
  const SyntaxKind op = shown == "min" ? SyntaxKind::kLt : SyntaxKind::kGt;
  Value result = values.front();
  for (std::size_t i = 1; i < values.size() && result.type.is_known(); ++i) {
    result = reusable(context, std::move(result));
    const Value next = reusable(context, values[i]);
    Value is_better = binary(context, *find_operator(op), next, result, node);
    if (!is_better.type.is_known()) return {};
    result = select(context, std::move(is_better.expression), next, result, node);
    result.node = &node;
  }
  return result;
}

Value fold_extremum(FunctionContext& context, const std::string& shown,
                    const std::vector<Value>& values, const SyntaxNode& node) {
  InferredType type = values.front().type;
  std::vector<const Value*> pointers;
  for (const Value& value : values) {
    if (!value.type.is_known()) return {};
    if (!value.type.is_scalar() || base::is_complex(value.type.dtype)) {
      return error(context, *value.node,
                   format("{} needs real numbers, {} is {}", shown, text(context, *value.node),
                          describe(value.type)));
    }
    type = promote(type, value.type);
    pointers.push_back(&value);
  }
  if (base::is_time(type.dtype)) return time_extremum(context, shown, values, node);
  const Operation operation = shown == "min" ? Operation::kPythonMin : Operation::kPythonMax;
  const std::size_t n_errors = context.findings.errors.size();
  Value result;
  result.type = type;
  result.expression = convert(context, values.front(), type);
  for (std::size_t i = 1; i < values.size(); ++i) {
    Expression next = convert(context, values[i], type);
    result.expression = call(operation, type.dtype, {std::move(result.expression), std::move(next)},
                             place(context, node));
  }
  if (context.findings.errors.size() > n_errors) return {};
  Origin origin;
  origin.place = place(context, node);
  origin.message = format("{} is {}", text(context, node), describe(type));
  return with_origin(std::move(result), pointers, std::move(origin));
}

// NumPy's rounding to digits: multiplied by a power of ten for those after the point, divided by it
// for those before.
Expression rounded(const FunctionContext& context, Expression number, const Expression& factor,
                   bool is_after_point, const SyntaxNode& node) {
  const DType dtype = factor.type.dtype;
  const auto scaled = [&](bool multiplies, Expression operand) {
    const Operation operation = multiplies ? Operation::kMultiply : Operation::kTrueDivide;
    return call(operation, dtype, {std::move(operand), factor}, place(context, node));
  };
  Expression whole = call(Operation::kRint, dtype, {scaled(is_after_point, std::move(number))},
                          place(context, node));
  return scaled(!is_after_point, std::move(whole));
}

// The powers of ten that are finite, and infinity. No target computes them, so that all have the
// same.
constexpr std::int64_t kMostPower = 309;

std::shared_ptr<const ConstantArray> powers_of_ten() {
  auto powers = std::make_shared<ConstantArray>();
  powers->dtype = DType::kFloat64;
  powers->sizes = {kMostPower + 1};
  for (std::int64_t i = 0; i <= kMostPower; ++i) {
    const double power = std::pow(10.0, static_cast<double>(i));
    powers->bytes.append(reinterpret_cast<const char*>(&power), sizeof power);
  }
  return powers;
}

// 10**abs(count), of an int64.
Value power_of_ten(FunctionContext& context, const Value& count, const SyntaxNode& node) {
  const SourceSpan where = place(context, node);
  const auto number = [&](std::int64_t value) { return int64_constant(value, where); };
  const Value table =
      constant_array(context, system::made_once<powers_of_ten>(), "powers_of_ten", node);
  Expression index =
      call(Operation::kPythonMax, DType::kInt64, {count.expression, number(-kMostPower)}, where);
  index = call(Operation::kPythonMin, DType::kInt64, {std::move(index), number(kMostPower)}, where);
  index = call(Operation::kAbsolute, DType::kInt64, {std::move(index)}, where);
  return array_load(context, DType::kFloat64, detail<LocalReference>(table.expression).local,
                    {std::move(index)}, node);
}

}  // namespace

// Python's min and max: `b if b < a else a`, from the left.
Value builtin_extremum(FunctionContext& context, const std::string& name, const SyntaxNode& node) {
  const std::string shown = name.substr(name.find('.') + 1);
  if (!check_plain_arguments(context, name, node)) return {};
  std::vector<Value> values;
  const std::vector<SyntaxNode>& arguments = node.children("args");
  if (arguments.size() == 1 && n_dimensions(context, arguments.front()) > 0) {
    const Operation operation = shown == "min" ? Operation::kPythonMin : Operation::kPythonMax;
    return extremum_of_items(context, operation, arguments.front(), node);
  }
  for (const SyntaxNode& argument : arguments) values.push_back(infer(context, argument));
  if (values.size() == 1 && values.front().type.is_tuple()) {
    const Value tuple = reusable(context, values.front());
    values.clear();
    for (std::size_t i = 0; i < tuple.type.items.size(); ++i) {
      values.push_back(item(context, tuple, i, arguments.front()));
    }
  }
  if (values.empty() || (values.size() == 1 && values.front().type.is_known())) {
    return error(context, node,
                 format("{} takes 2 or more arguments, {} given", shown, values.size()),
                 values.empty() ? shown + "(x, y)"
                                : format("{}({}, y)", shown, text(context, *values.front().node)));
  }
  return fold_extremum(context, shown, values, node);
}

Value builtin_absolute(FunctionContext& context, const std::string& name, const SyntaxNode& node) {
  const auto arguments = scalar_arguments(context, name, 1, 1, node);
  if (!arguments) return {};
  const Value& number = arguments->front();
  const DType dtype = number.type.dtype;
  if (dtype == DType::kBool) return number;
  if (is_time(number)) return time_unary(context, Operation::kAbsolute, number, node);
  Value value;
  value.type = number.type;
  value.type.dtype = real_dtype(dtype);
  value.origin = number.origin;
  value.expression =
      call(Operation::kAbsolute, value.type.dtype, {number.expression}, place(context, node));
  return value;
}

Value builtin_round(FunctionContext& context, const std::string& name, const SyntaxNode& node) {
  const auto arguments = scalar_arguments(context, name, 1, 2, node);
  if (!arguments) return {};
  const Value& number = arguments->front();
  if (base::is_complex(number.type.dtype)) {
    return error(context, *number.node,
                 format("round needs a real number, {} is {}", text(context, *number.node),
                        describe(number.type)));
  }
  const Value* digits = arguments->size() == 2 ? &arguments->back() : nullptr;
  if (name == "numpy.round") return numpy_round(context, number, digits, node);
  if (digits) return round_to_digits(context, number, *digits, node);
  if (is_integer_or_bool(number.type.dtype))
    return explicit_cast(context, number, DType::kInt64, node);
  Value value = numpy_round(context, number, nullptr, node);
  value.type = InferredType::scalar(DType::kInt64);
  value.origin.reset();
  value.expression = cast(std::move(value.expression), DType::kInt64);
  return value;
}

Value round_to_digits(FunctionContext& context, const Value& number, const Value& digits,
                      const SyntaxNode& node) {
  if (!digits.type.is_scalar() || !is_integer_or_bool(digits.type.dtype)) {
    return error(context, *digits.node,
                 format("the number of digits must be an integer, {} is {}",
                        text(context, *digits.node), describe(digits.type)),
                 index_hint(context, digits, *digits.node));
  }
  if (!base::is_floating(number.type.dtype)) {
    return error(
        context, node,
        format("round to digits needs a float, {} is {}", text(context, *number.node),
               describe(number.type)),
        format("round(float({}), {})", text(context, *number.node), text(context, *digits.node)));
  }
  Value value;
  value.type = number.type;
  value.origin = number.origin;
  if (const auto* count = constant_integer(digits)) {
    const double scale = std::pow(10.0, std::fabs(static_cast<double>(*count)));
    Expression factor = constant_expression(number.type.dtype, scale, place(context, node));
    value.expression = rounded(context, number.expression, std::move(factor), *count >= 0, node);
    return value;
  }
  const Value operand = reusable(context, number);
  Value count = digits;
  count.expression = convert(context, digits, InferredType::scalar(DType::kInt64));
  count.type = InferredType::scalar(DType::kInt64);
  count = reusable(context, std::move(count));
  Value factor = power_of_ten(context, count, node);
  factor.expression = cast(std::move(factor.expression), number.type.dtype);
  factor.type = InferredType::scalar(number.type.dtype);
  factor = reusable(context, std::move(factor));
  const auto side = [&](bool is_after_point) {
    Value result = value;
    result.expression =
        rounded(context, operand.expression, factor.expression, is_after_point, node);
    return result;
  };
  Expression zero = int64_constant(0, place(context, node));
  Expression is_after_point = call(Operation::kGreaterEqual, DType::kBool,
                                   {count.expression, std::move(zero)}, place(context, node));
  return select(context, std::move(is_after_point), side(true), side(false), node);
}

Value builtin_convert(FunctionContext& context, const std::string& name, const SyntaxNode& node) {
  const auto arguments = scalar_arguments(context, name, 1, 1, node);
  if (!arguments) return {};
  const DType dtype = name == "builtins.int"     ? DType::kInt64
                      : name == "builtins.float" ? DType::kFloat64
                                                 : DType::kBool;
  return explicit_cast(context, arguments->front(), dtype, node);
}

Value builtin_complex(FunctionContext& context, const std::string& name, const SyntaxNode& node) {
  const auto arguments = scalar_arguments(context, name, 1, 2, node);
  if (!arguments) return {};
  if (arguments->size() == 1) {
    return explicit_cast(context, arguments->front(), DType::kComplex128, node);
  }
  std::vector<Expression> parts;
  for (const Value& part : *arguments) {
    if (base::is_complex(part.type.dtype)) {
      return error(context, *part.node,
                   format("complex needs two real numbers, {} is {}", text(context, *part.node),
                          describe(part.type)));
    }
    parts.push_back(convert(context, part, InferredType::scalar(DType::kFloat64)));
  }
  Value value;
  value.type = InferredType::scalar(DType::kComplex128);
  value.expression =
      call(Operation::kMakeComplex, DType::kComplex128, std::move(parts), place(context, node));
  return value;
}

Value builtin_power(FunctionContext& context, const std::string& name, const SyntaxNode& node) {
  const auto arguments = scalar_arguments(context, name, 2, 2, node);
  if (!arguments) return {};
  return binary(context, *find_operator(SyntaxKind::kPow), (*arguments)[0], (*arguments)[1], node);
}

Value builtin_divmod(FunctionContext& context, const std::string& name, const SyntaxNode& node) {
  const auto arguments = scalar_arguments(context, name, 2, 2, node);
  if (!arguments) return {};
  const Value left = reusable(context, (*arguments)[0]);
  const Value right = reusable(context, (*arguments)[1]);
  std::vector<Value> parts;
  for (const SyntaxKind op : {SyntaxKind::kFloorDiv, SyntaxKind::kMod}) {
    parts.push_back(binary(context, *find_operator(op), left, right, node));
  }
  return tuple_of(context, parts, node);
}

Value builtin_length(FunctionContext& context, const std::string& name, const SyntaxNode& node) {
  if (!check_plain_arguments(context, name, node)) return {};
  const std::vector<SyntaxNode>& arguments = node.children("args");
  if (!check_argument_count(context, 1, 1, node, "(x)")) return {};
  const Value value = infer(context, arguments.front());
  if (!value.type.is_known()) return {};
  if (value.type.is_array()) {
    return array_size(context, local_array(context, value), 0, node);
  }
  if (value.type.is_records()) return record_count(context, value, node);
  if (value.type.is_tuple()) {
    return constant(context, static_cast<Int128>(value.type.items.size()), node);
  }
  return error(context, arguments.front(),
               format("len needs an array or a tuple, {} is {}", text(context, arguments.front()),
                      describe(value.type)));
}

Value builtin_iterator(FunctionContext& context, const std::string& /*name*/,
                       const SyntaxNode& node) {
  return error(context, node,
               text(context, *node.child("func")) + " can be used only in a 'for' loop",
               format("for i in {}:", text(context, node)));
}

}  // namespace numpy_plugin::declare
