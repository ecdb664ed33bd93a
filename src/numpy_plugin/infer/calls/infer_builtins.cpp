// Functions that are no single operation: min, round, int, divmod, len, np.where, ...
#include <algorithm>
#include <cmath>

#include "numpy_plugin/infer/calls/infer_calls.hpp"

namespace numpy_plugin::declare {

using base::DType;

const std::map<std::string_view, CallInference::Builtin>& CallInference::builtins() {
  using Self = CallInference;
  static const std::map<std::string_view, Builtin> kBuiltins = {
      {"builtins.abs", &Self::builtin_absolute},
      {"builtins.min", &Self::builtin_extremum},
      {"builtins.max", &Self::builtin_extremum},
      {"builtins.round", &Self::builtin_round},
      {"builtins.int", &Self::builtin_convert},
      {"builtins.float", &Self::builtin_convert},
      {"builtins.bool", &Self::builtin_convert},
      {"builtins.complex", &Self::builtin_complex},
      {"builtins.pow", &Self::builtin_power},
      {"builtins.divmod", &Self::builtin_divmod},
      {"builtins.len", &Self::builtin_length},
      {"builtins.range", &Self::builtin_range},
      {"builtins.sum", &Self::builtin_reduce},
      {"builtins.any", &Self::builtin_any_all},
      {"builtins.all", &Self::builtin_any_all},
      {"math.prod", &Self::builtin_reduce},
      {"math.dist", &Self::builtin_distance},
      {"math.log", &Self::builtin_logarithm},
      {"numpy.where", &Self::builtin_where},
      {"cuda.selp", &Self::builtin_where},
      {"numpy.clip", &Self::builtin_clip},
      {"numpy.divmod", &Self::builtin_divmod},
      {"numpy.round", &Self::builtin_round},
      {"numpy.logical_and", &Self::builtin_logical},
      {"numpy.logical_or", &Self::builtin_logical},
      {"numpy.logical_xor", &Self::builtin_logical},
      {"numpy.logical_not", &Self::builtin_logical},
      {"numpy.nan_to_num", &Self::builtin_nan_to_num},
      {"numpy.real", &Self::builtin_part},
      {"numpy.imag", &Self::builtin_part},
      {"numpy.angle", &Self::builtin_angle},
      {"math.gcd", &Self::builtin_fold},
      {"math.lcm", &Self::builtin_fold},
      {"math.hypot", &Self::builtin_fold},
      {"math.frexp", &Self::builtin_pair},
      {"math.modf", &Self::builtin_pair},
      {"numpy.frexp", &Self::builtin_pair},
      {"numpy.modf", &Self::builtin_pair},
      {"cmath.polar", &Self::builtin_pair},
      {"math.ldexp", &Self::builtin_ldexp},
      {"numpy.ldexp", &Self::builtin_ldexp},
      {"math.isclose", &Self::builtin_close},
      {"scipy.special.jv", &Self::builtin_order},
      {"scipy.special.yn", &Self::builtin_order},
      {"cmath.isclose", &Self::builtin_close},
      {"numpy.isclose", &Self::builtin_close},
      {"cmath.log", &Self::builtin_logarithm},
      {"numpy.zeros_like", &Self::builtin_like},
      {"numpy.ones_like", &Self::builtin_like},
      {"numpy.full_like", &Self::builtin_like},
      {"cuda.local.array", &Self::builtin_local_array},
      {"cuda.const.array_like", &Self::builtin_constant_array},
  };
  return kBuiltins;
}

// Python's min and max: `b if b < a else a`, from the left.
Value CallInference::builtin_extremum(const std::string& name, const SyntaxNode& node) {
  const std::string shown = name.substr(name.find('.') + 1);
  if (!check_plain_arguments(name, node)) return {};
  std::vector<Value> values;
  const std::vector<SyntaxNode>& arguments = node.children("args");
  for (const SyntaxNode& argument : arguments) values.push_back(infer(argument));
  if (values.size() == 1 && values.front().type.is_tuple()) {
    const Value tuple = reusable(values.front());
    values.clear();
    for (std::size_t i = 0; i < tuple.type.items.size(); ++i) {
      values.push_back(item(tuple, i, arguments.front()));
    }
  }
  if (values.size() == 1 && values.front().type.is_array()) {
    const Value& array = values.front();
    return error(
        place(*array.node),
        shown + " needs numbers or a tuple, " + text(*array.node) + " is " + describe(array.type),
        "compare in a 'for' loop");
  }
  if (values.empty() || (values.size() == 1 && values.front().type.is_known())) {
    return error(
        place(node),
        shown + " takes 2 or more arguments, " + std::to_string(values.size()) + " given",
        values.empty() ? shown + "(x, y)" : shown + "(" + text(*values.front().node) + ", y)");
  }
  return fold_extremum(shown, values, node);
}

Value CallInference::fold_extremum(const std::string& shown, const std::vector<Value>& values,
                                   const SyntaxNode& node) {
  InferredType type = values.front().type;
  std::vector<const Value*> pointers;
  for (const Value& value : values) {
    if (!value.type.is_known()) return {};
    if (!value.type.is_scalar() || base::is_complex(value.type.dtype)) {
      return error(place(*value.node), shown + " needs real numbers, " + text(*value.node) +
                                           " is " + describe(value.type));
    }
    type = promote(type, value.type);
    pointers.push_back(&value);
  }
  const Operation operation = shown == "min" ? Operation::kPythonMin : Operation::kPythonMax;
  const std::size_t n_errors = findings_.errors.size();
  Value result;
  result.type = type;
  result.expression = convert(values.front(), type);
  for (std::size_t i = 1; i < values.size(); ++i) {
    Expression next = convert(values[i], type);
    result.expression =
        call(operation, type.dtype, {std::move(result.expression), std::move(next)}, place(node));
  }
  if (findings_.errors.size() > n_errors) return {};
  Origin origin;
  origin.place = place(node);
  origin.message = text(node) + " is " + describe(type);
  return with_origin(std::move(result), pointers, std::move(origin));
}

Value CallInference::builtin_absolute(const std::string& name, const SyntaxNode& node) {
  const auto arguments = scalar_arguments(name, 1, 1, node);
  if (!arguments) return {};
  const Value& number = arguments->front();
  const DType dtype = number.type.dtype;
  if (dtype == DType::kBool) return number;
  Value value;
  value.type = number.type;
  value.type.dtype = real_dtype(dtype);
  value.origin = number.origin;
  value.expression = call(Operation::kAbsolute, value.type.dtype, {number.expression}, place(node));
  return value;
}

Value CallInference::builtin_round(const std::string& name, const SyntaxNode& node) {
  const auto arguments = scalar_arguments(name, 1, 2, node);
  if (!arguments) return {};
  const Value& number = arguments->front();
  if (base::is_complex(number.type.dtype)) {
    return error(place(*number.node), "round needs a real number, " + text(*number.node) + " is " +
                                          describe(number.type));
  }
  const Value* digits = arguments->size() == 2 ? &arguments->back() : nullptr;
  if (name == "numpy.round") return numpy_round(number, digits, node);
  if (digits) return round_to_digits(number, *digits, node);
  if (is_whole(number.type.dtype)) return explicit_cast(number, DType::kInt64, node);
  Value value = numpy_round(number, nullptr, node);
  value.type = InferredType::scalar(DType::kInt64);
  value.origin.reset();
  value.expression = cast(std::move(value.expression), DType::kInt64);
  return value;
}

// As NumPy does it: scaled by a power of ten, rounded, scaled back.
Value CallInference::round_to_digits(const Value& number, const Value& digits,
                                     const SyntaxNode& node) {
  const auto* count = constant_integer(digits);
  if (!count) {
    return error(place(*digits.node), "the number of digits must be a constant integer",
                 "round(" + text(*number.node) + ", 2)");
  }
  if (!base::is_floating(number.type.dtype)) {
    return error(
        place(node),
        "round to digits needs a float, " + text(*number.node) + " is " + describe(number.type),
        "round(float(" + text(*number.node) + "), " + to_text(*count) + ")");
  }
  const DType dtype = number.type.dtype;
  const bool is_after_point = *count >= 0;
  const double scale = std::pow(10.0, std::fabs(static_cast<double>(*count)));
  const Expression factor = constant_expression(dtype, scale, place(node));
  const auto scaled = [&](bool multiplies, Expression operand) {
    const Operation operation = multiplies ? Operation::kMultiply : Operation::kTrueDivide;
    return call(operation, dtype, {std::move(operand), factor}, place(node));
  };
  Value value;
  value.type = number.type;
  value.origin = number.origin;
  Expression rounded =
      call(Operation::kRint, dtype, {scaled(is_after_point, number.expression)}, place(node));
  value.expression = scaled(!is_after_point, std::move(rounded));
  return value;
}

Value CallInference::builtin_convert(const std::string& name, const SyntaxNode& node) {
  const auto arguments = scalar_arguments(name, 1, 1, node);
  if (!arguments) return {};
  const DType dtype = name == "builtins.int"     ? DType::kInt64
                      : name == "builtins.float" ? DType::kFloat64
                                                 : DType::kBool;
  return explicit_cast(arguments->front(), dtype, node);
}

Value CallInference::builtin_complex(const std::string& name, const SyntaxNode& node) {
  const auto arguments = scalar_arguments(name, 1, 2, node);
  if (!arguments) return {};
  if (arguments->size() == 1) return explicit_cast(arguments->front(), DType::kComplex128, node);
  std::vector<Expression> parts;
  for (const Value& part : *arguments) {
    if (base::is_complex(part.type.dtype)) {
      return error(place(*part.node), "complex needs two real numbers, " + text(*part.node) +
                                          " is " + describe(part.type));
    }
    parts.push_back(convert(part, InferredType::scalar(DType::kFloat64)));
  }
  Value value;
  value.type = InferredType::scalar(DType::kComplex128);
  value.expression =
      call(Operation::kMakeComplex, DType::kComplex128, std::move(parts), place(node));
  return value;
}

Value CallInference::builtin_power(const std::string& name, const SyntaxNode& node) {
  const auto arguments = scalar_arguments(name, 2, 2, node);
  if (!arguments) return {};
  return binary(*find_operator(SyntaxKind::kPow), (*arguments)[0], (*arguments)[1], node);
}

Value CallInference::builtin_divmod(const std::string& name, const SyntaxNode& node) {
  const auto arguments = scalar_arguments(name, 2, 2, node);
  if (!arguments) return {};
  const Value left = reusable((*arguments)[0]);
  const Value right = reusable((*arguments)[1]);
  std::vector<Value> parts;
  for (const SyntaxKind op : {SyntaxKind::kFloorDiv, SyntaxKind::kMod}) {
    parts.push_back(binary(*find_operator(op), left, right, node));
  }
  return tuple_of(parts, node);
}

Value CallInference::builtin_length(const std::string& name, const SyntaxNode& node) {
  if (!check_plain_arguments(name, node)) return {};
  const std::vector<SyntaxNode>& arguments = node.children("args");
  if (!check_argument_count(1, 1, node, "(x)")) return {};
  const Value value = infer(arguments.front());
  if (!value.type.is_known()) return {};
  if (value.type.is_array()) return array_size(array_in_local(value).expression.index, 0, node);
  if (value.type.is_tuple()) {
    return constant(static_cast<Int128>(value.type.items.size()), node);
  }
  return error(
      place(arguments.front()),
      "len needs an array or a tuple, " + text(arguments.front()) + " is " + describe(value.type));
}

Value CallInference::builtin_range(const std::string&, const SyntaxNode& node) {
  return error(place(node), "range is for the head of a 'for' loop",
               "for i in " + text(node) + ":");
}

}  // namespace numpy_plugin::declare
