#include "numpy_plugin/infer/expressions/infer_conversions.hpp"

#include <algorithm>
#include <cmath>

#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_arrays.hpp"
#include "numpy_plugin/infer/expressions/infer_times.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

Int128 nearest_integer(Int128 integer, DType dtype) {
  if (real_dtype(dtype) == DType::kFloat64) {
    return static_cast<Int128>(static_cast<double>(integer));
  }
  if (real_dtype(dtype) == DType::kFloat32) {
    return static_cast<Int128>(static_cast<float>(integer));
  }
  const int n_digits = dtype == DType::kFloat16 ? 11 : 8;
  int exponent = 0;
  std::frexp(static_cast<double>(integer), &exponent);
  const double unit = std::ldexp(1.0, std::max(0, exponent - n_digits));
  return static_cast<Int128>(std::nearbyint(static_cast<double>(integer) / unit) * unit);
}

// Whether an expression consists of literals, and so is mathematically finite: 1e400, 10**400.
bool is_finite_text(const SyntaxNode& node) {
  if (node.kind == SyntaxKind::kConstant) return true;
  if (node.kind == SyntaxKind::kUnaryOp) return is_finite_text(*node.child("operand"));
  return node.kind == SyntaxKind::kBinOp && node.op != SyntaxKind::kDiv &&
         is_finite_text(*node.child("left")) && is_finite_text(*node.child("right"));
}

bool is_beyond_floats(const PlainNumber& number) {
  return !std::holds_alternative<std::complex<double>>(number) && std::isinf(to_double(number));
}

// A literal such as 2**64 spelled as a float.
std::string float_spelling(const SyntaxNode& node, const std::string& number) {
  const SyntaxNode* left = node.child("left");
  const SyntaxNode* right = node.child("right");
  const bool is_written_out = number.find_first_not_of("-0123456789") == std::string::npos;
  if (node.op == SyntaxKind::kLShift && !is_written_out) return {};  // floats can't be shifted
  if (node.op != SyntaxKind::kPow || !left || left->kind != SyntaxKind::kConstant ||
      right->kind != SyntaxKind::kConstant) {
    return number + ".0";
  }
  const auto spell = [](const SyntaxNode& part) {
    const auto* constant = std::get_if<Number>(&part.constant);
    const auto* integer = constant ? std::get_if<Integer>(constant) : nullptr;
    return integer ? integer->text : std::string();
  };
  return format("{}.0**{}", spell(*left), spell(*right));
}

// True where the loss is an error.
bool report_loss(FunctionContext& context, const Value& value, DType dtype, Conversion::Loss loss,
                 const std::string& hint) {
  const std::string type_name(base::name(dtype));
  const std::string shown = value_text(context, value);
  const SourceSpan where = place(context, *value.node);
  const std::string wider = dtype == DType::kComplex64 ? "npp.complex128(" : "npp.float64(";
  const bool is_widest = real_dtype(dtype) == DType::kFloat64 || is_beyond_floats(*value.constant);
  const std::string remedy = is_widest ? "" : wider + shown + ")";
  switch (loss) {
    case Conversion::Loss::kNone:
      return false;
    case Conversion::Loss::kOutOfRange: {
      const bool is_wide = n_bits(dtype) == 64;
      const IntegerRange range = range_of(dtype);
      const std::string limits =
          is_wide ? "" : format(" ({} to {})", to_text(range.low), to_text(range.high));
      error(context, where, format("{} does not fit {}{}", shown, type_name, limits),
            is_wide && hint.empty() ? float_spelling(*value.node, shown) : hint);
      return true;
    }
    case Conversion::Loss::kBecomesInfinite:
      warn(context, where, format("{} is more than {} holds; it becomes inf", shown, type_name),
           remedy);
      return false;
    case Conversion::Loss::kBecomesZero:
      warn(context, where, format("{} is less than {} holds; it becomes 0", shown, type_name),
           remedy);
      return false;
    case Conversion::Loss::kRounds: {
      const Int128 rounded = nearest_integer(std::get<Int128>(*value.constant), dtype);
      warn(context, where,
           format("{} has no {}; it becomes {}", type_name, shown, to_text(rounded)), remedy);
      return false;
    }
  }
  return false;
}

Expression convert_scalar(FunctionContext& context, const Value& value, DType dtype,
                          const std::string& hint) {
  if (is_time(value) || base::is_time(dtype)) return implied_time(context, value, dtype);
  const bool fits_kind = !value.constant || base::is_complex(dtype) || base::is_floating(dtype) ||
                         value.type.dtype == DType::kInt64;
  if (!value.constant || !fits_kind) return cast(value.expression, dtype);
  const Conversion conversion = declare::convert(*value.constant, dtype);
  const bool is_overflow = conversion.loss == Conversion::Loss::kNone &&
                           is_beyond_floats(*value.constant) && is_finite_text(*value.node);
  report_loss(context, value, dtype,
              is_overflow ? Conversion::Loss::kBecomesInfinite : conversion.loss, hint);
  return constant_expression(dtype, conversion.value, value.expression.place);
}

Expression convert_tuple(FunctionContext& context, const Value& value, const InferredType& type) {
  if (storage(value.type) == storage(type)) return value.expression;
  Expression result{ExpressionKind::kTuple, storage(type), value.expression.place, {}};
  for (std::size_t i = 0; i < type.items.size(); ++i) {
    const Value part = item(context, value, i, *value.node);
    result.operands.push_back(convert(context, part, type.items[i]));
  }
  return result;
}

Value local_value(int local, const InferredType& type, const Value& like) {
  Value value = like;
  value.type = type;
  value.constant.reset();
  value.expression = Expression{
      ExpressionKind::kLocal, storage(type), like.expression.place, {}, LocalReference{local}};
  return value;
}

}  // namespace

Expression constant_expression(DType dtype, ConstantValue value, const SourceSpan& where) {
  return {ExpressionKind::kConstant, ValueType::scalar(dtype), where, {}, value};
}

Expression int64_constant(std::int64_t value, const SourceSpan& where) {
  return constant_expression(DType::kInt64, value, where);
}

Value constant(FunctionContext& context, const PlainNumber& number, const SyntaxNode& node) {
  Value value;
  value.node = &node;
  value.type = type_of(number);
  value.constant = number;
  const Conversion stored = declare::convert(number, value.type.dtype);
  value.expression = constant_expression(value.type.dtype, stored.value, place(context, node));
  return value;
}

Value boolean(const FunctionContext& context, bool is_true, const SyntaxNode& node) {
  Value value;
  value.node = &node;
  value.type = InferredType::scalar(DType::kBool);
  value.expression = constant_expression(DType::kBool, std::int64_t{is_true}, place(context, node));
  return value;
}

Value none(const FunctionContext& context, const SyntaxNode& node) {
  Value value;
  value.node = &node;
  value.type = InferredType::none();
  value.expression =
      Expression{ExpressionKind::kTuple, storage(value.type), place(context, node), {}};
  return value;
}

Expression call(Operation operation, DType result, std::vector<Expression> operands,
                const SourceSpan& where) {
  return {ExpressionKind::kCall, ValueType::scalar(result), where, std::move(operands), operation};
}

Expression cast(Expression expression, DType dtype) {
  if (expression.type == ValueType::scalar(dtype)) return expression;
  const SourceSpan where = expression.place;
  return {ExpressionKind::kCast, ValueType::scalar(dtype), where, {std::move(expression)}};
}

Value plain_integer(Expression expression, const SyntaxNode& node) {
  Value value;
  value.node = &node;
  value.type = InferredType::weak(DType::kInt64);
  value.expression = std::move(expression);
  return value;
}

std::string value_text(const FunctionContext& context, const Value& value) {
  const auto* integer = std::get_if<Int128>(&*value.constant);
  return integer ? to_text(*integer) : text(context, *value.node);
}

Expression convert(FunctionContext& context, const Value& value, const InferredType& type,
                   const std::string& hint) {
  if (!value.type.is_known() || !type.is_known()) return value.expression;
  if (type.is_tuple() && value.type.is_tuple()) return convert_tuple(context, value, type);
  if (type.is_scalar() && value.type.is_scalar()) {
    return convert_scalar(context, value, type.dtype, hint);
  }
  return value.expression;
}

Value with_origin(Value value, const std::vector<const Value*>& operands, Origin origin) {
  if (value.type.is_weak) return value;
  for (const bool wants_declared : {true, false}) {
    for (const Value* operand : operands) {
      const bool is_as_wide = operand->type.dtype == value.type.dtype && operand->origin;
      if (is_as_wide && (operand->origin->is_declared || !wants_declared)) {
        value.origin = operand->origin;
        return value;
      }
    }
  }
  const bool is_new = std::none_of(operands.begin(), operands.end(), [&](const Value* operand) {
    return !operand->type.is_weak && operand->type.dtype == value.type.dtype;
  });
  const bool is_inexact = base::is_floating(value.type.dtype) || base::is_complex(value.type.dtype);
  if (is_new && is_inexact) value.origin = std::make_shared<const Origin>(std::move(origin));
  return value;
}

Value in_local(FunctionContext& context, Value value, bool even_plain_reads) {
  const ExpressionKind kind = value.expression.kind;
  const bool is_plain_read =
      kind == ExpressionKind::kConstant || (kind == ExpressionKind::kLocal && !even_plain_reads);
  if (is_plain_read || !value.type.is_known() || value.type.is_none()) return value;
  const int local = context.scope.add_temporary(value.type);
  Statement statement{StatementKind::kAssign, value.expression.place, local, {}, {}, {}, {}, {}};
  statement.value = value.expression;
  add_statement(context, std::move(statement));
  return local_value(local, value.type, value);
}

Value reusable(FunctionContext& context, Value value, bool even_plain_reads) {
  return context.uses_locals ? in_local(context, std::move(value), even_plain_reads) : value;
}

}  // namespace numpy_plugin::declare
