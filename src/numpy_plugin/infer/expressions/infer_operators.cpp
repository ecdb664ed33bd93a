#include "numpy_plugin/infer/expressions/infer_operators.hpp"

#include <algorithm>

#include "numpy_plugin/infer/arrays/reductions.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_arrays.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"
#include "numpy_plugin/infer/expressions/infer_times.hpp"
#include "numpy_plugin/syntax/functions.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

bool is_bool(const InferredType& type) { return type.dtype == DType::kBool; }

// "npp.int16(u) + 300": the operand in a type that also holds the constant.
std::string wider_hint(const FunctionContext& context, const OperatorInfo& info, const Value& left,
                       const Value& right) {
  const bool left_is_constant = left.constant.has_value();
  const Value& number = left_is_constant ? left : right;
  const Value& operand = left_is_constant ? right : left;
  const auto* integer = constant_integer(number);
  if (!integer || !base::is_integer(operand.type.dtype) || operand.type.is_weak) return "";
  for (const DType wider : {DType::kInt16, DType::kInt32, DType::kInt64}) {
    const IntegerRange range = range_of(wider);
    if (*integer < range.low || *integer > range.high) continue;
    if (!holds_exactly(wider, operand.type.dtype)) continue;
    const std::string cast_text =
        format("npp.{}({})", base::name(wider), text(context, *operand.node));
    const std::string number_text = value_text(context, number);
    return format("{} {} {}", left_is_constant ? number_text : cast_text, info.symbol,
                  left_is_constant ? cast_text : number_text);
  }
  return "";
}

std::string integer_hint(FunctionContext& context, const OperatorInfo& info, const Value& wrong,
                         const SyntaxNode& node) {
  const std::string number = inner_text(context, *wrong.node);
  const SyntaxNode* right = node.child("right");
  const auto* constant = right ? std::get_if<Number>(&right->constant) : nullptr;
  const auto* count = constant ? std::get_if<Integer>(constant) : nullptr;
  if (info.kind != OperatorKind::kShift || base::is_complex(wrong.type.dtype)) return "";
  if (!count) return wrong.type.is_weak ? "" : format("int({})", text(context, *wrong.node));
  const auto factor = fold(SyntaxKind::kLShift, Int128{1}, plain_number(*count));
  if (!factor || !std::holds_alternative<Int128>(*factor)) return "";
  const std::string power = to_text(std::get<Int128>(*factor));
  if (info.operation == Operation::kShiftRight) return format("{} / {}", number, power);
  return format("{} * {}, or int({}) << {}", number, power, text(context, *wrong.node),
                count->text);
}

// In mathematics '^' is exponentiation.
std::string bitwise_hint(const FunctionContext& context, const OperatorInfo& info,
                         const Value& left, const Value& right) {
  if (info.symbol != "^" || !context.precedence_hint.empty()) return context.precedence_hint;
  return format("{} ** {}", inner_text(context, *left.node), inner_text(context, *right.node));
}

// Checks that both operands are numbers.
bool check_numbers(FunctionContext& context, const OperatorInfo& info, const Value& left,
                   const Value& right, const SyntaxNode& node) {
  if (!left.type.is_known() || !right.type.is_known()) return false;
  const Value* wrong = !left.type.is_scalar() ? &left : !right.type.is_scalar() ? &right : nullptr;
  if (!wrong) return true;
  const std::string name = text(context, *wrong->node);
  const std::string symbol(info.symbol);
  if (report_part(context, *wrong)) return false;
  const bool is_left = wrong == &left;
  const std::string other = inner_text(context, is_left ? *right.node : *left.node);
  std::string element;
  std::string hint;
  if (wrong->type.is_array()) {
    element = name + (wrong->type.n_dimensions == 1 ? "[i]" : "[i, j]");
    hint = "one element at a time: ";
  } else if (wrong->node->kind == SyntaxKind::kCall) {
    std::string names = "a";
    for (std::size_t i = 1; i < wrong->type.items.size(); ++i) {
      names += format(", {}", static_cast<char>('a' + i % 26));
    }
    error(context, node,
          format("'{}' needs numbers, {} is {}", symbol, name, describe(wrong->type)),
          format("{} = {}", names, name));
    return false;
  } else {
    element = inner_text(context, *wrong->node) + "[0]";
  }
  const Value& second = is_left ? right : left;
  if (second.type.is_array()) {
    hint += format("{} {} {}", with_elements(context, *left.node), symbol,
                   with_elements(context, *right.node));
  } else if (second.type.is_scalar()) {
    hint += is_left ? format("{} {} {}", element, symbol, other)
                    : format("{} {} {}", other, symbol, element);
  } else {
    hint.clear();
  }
  error(context, node, format("'{}' needs numbers, {} is {}", symbol, name, describe(wrong->type)),
        hint);
  return false;
}

// Operators that only some kinds of numbers support.
bool check_kinds(FunctionContext& context, const OperatorInfo& info, const Value& left,
                 const Value& right, const SyntaxNode& node) {
  const std::string symbol = format("'{}'", info.symbol);
  const bool is_bitwise = info.kind == OperatorKind::kBitwise;
  for (const Value* operand : {&left, &right}) {
    const DType dtype = operand->type.dtype;
    const std::string found =
        format("{} is {}", text(context, *operand->node), describe(operand->type));
    if (info.kind == OperatorKind::kModulo && base::is_complex(dtype)) {
      const bool is_floor = info.operation == Operation::kFloorDivide;
      error(context, node, format("{} needs real numbers, {}", symbol, found),
            is_floor ? format("{} / {}", inner_text(context, *left.node),
                              inner_text(context, *right.node))
                     : "");
      return false;
    }
    if (!is_bitwise && info.kind != OperatorKind::kShift) continue;
    if (is_integer_or_bool(dtype)) continue;
    const std::string needs = is_bitwise ? " needs integers or bools, " : " needs integers, ";
    error(context, is_bitwise ? place(context, node) : place(context, *operand->node),
          symbol + needs + found,
          is_bitwise ? bitwise_hint(context, info, left, right)
                     : integer_hint(context, info, *operand, node));
    return false;
  }
  return true;
}

bool check_bools(FunctionContext& context, const OperatorInfo& info, const Value& left,
                 const Value& right, const SyntaxNode& node) {
  if (!is_bool(left.type) || !is_bool(right.type)) return true;
  const auto number = [&context](const Value& bit) {
    return format("int({})", text(context, *bit.node));
  };
  if (info.operation == Operation::kSubtract) {
    error(context, node, "'-' between two bools",
          format("{} != {}, or {} - {}", inner_text(context, *left.node),
                 inner_text(context, *right.node), number(left), number(right)));
    // A variable may still change its type in a later pass.
    return context.is_tentative;
  }
  if (info.operation == Operation::kAdd) {
    warn(context, node, "'+' of two bools is a bool, never 2",
         format("{} + {} counts", number(left), number(right)));
  }
  return true;
}

// Constants that give a probably unintended result.
bool check_constants(FunctionContext& context, const OperatorInfo& info, const Value& left,
                     const Value& right, const SyntaxNode& node) {
  const auto* integer = constant_integer(right);
  const InferredType type = promote(left.type, right.type);
  const bool is_integral = base::is_integer(type.dtype) || is_bool(type);
  if (!integer || !is_integral) return true;
  if (info.kind == OperatorKind::kModulo && *integer == 0) {
    const bool is_floor = info.operation == Operation::kFloorDivide;
    warn(context, node,
         is_floor ? "an integer divided by 0 gives 0"
                  : "the remainder of an integer divided by 0 is 0");
  }
  if (info.operation == Operation::kShiftLeft && !left.constant && *integer >= n_bits(type.dtype)) {
    std::string hint;
    if (*integer < 64 && n_bits(type.dtype) < 64) {
      hint = format("npp.int64({}) << {}", text(context, *left.node), to_text(*integer));
    }
    warn(context, node,
         format("a shift by {} discards all bits of {}", to_text(*integer),
                with_article(InferredType::scalar(type.dtype))),
         hint);
  }
  return true;
}

// "x * np.float32(n)": the integers converted to the declared result's type.
std::string narrow_hint(const FunctionContext& context, const std::string& symbol,
                        const Value& left, const Value& right) {
  const auto shown = [&context](const Value& value) {
    const bool is_integer = base::is_integer(value.type.dtype) && !value.type.is_weak;
    return is_integer ? "np.{}(" + text(context, *value.node) + ")" : text(context, *value.node);
  };
  return shown(left) + symbol + shown(right);
}

}  // namespace

InferredType operator_type(const OperatorInfo& info, const Value& left, const Value& right) {
  InferredType type = promote(left.type, right.type);
  const bool is_modulo = info.kind == OperatorKind::kModulo || info.kind == OperatorKind::kPower ||
                         info.kind == OperatorKind::kShift;
  if (is_bool(type) && is_modulo) return InferredType::scalar(DType::kInt8);
  if (is_integer_or_bool(type.dtype) && info.kind == OperatorKind::kDivision)
    type.dtype = DType::kFloat64;
  return type;
}

Value infer_binary(FunctionContext& context, const SyntaxNode& node) {
  const SyntaxNode& left_node = *node.child("left");
  const SyntaxNode& right_node = *node.child("right");
  const OperatorInfo* info = find_operator(node.op);
  if (!info) return infer_matrix_product(context, node);
  const Value left = infer(context, left_node);
  const Value right = infer(context, right_node);
  return binary(context, *info, left, right, node);
}

Value binary(FunctionContext& context, const OperatorInfo& info, const Value& left,
             const Value& right, const SyntaxNode& node) {
  if (!check_numbers(context, info, left, right, node)) return {};
  if (is_time(left) || is_time(right)) return time_binary(context, info, left, right, node);
  if (info.kind == OperatorKind::kComparison) {
    return compare_typed(context, info, left, right, node);
  }
  if (left.constant && right.constant) {
    if (const auto folded = fold(info.syntax, *left.constant, *right.constant)) {
      return constant(context, *folded, node);
    }
  }
  if (!check_kinds(context, info, left, right, node) ||
      !check_bools(context, info, left, right, node) ||
      !check_constants(context, info, left, right, node)) {
    return {};
  }
  if (info.kind == OperatorKind::kPower) return power(context, info, left, right, node);
  const InferredType type = operator_type(info, left, right);
  const bool needs_integers =
      info.kind == OperatorKind::kBitwise || info.kind == OperatorKind::kShift;
  if (needs_integers && base::is_floating(type.dtype)) {
    return error(
        context, node,
        format("'{}' has no type for {} and {}", info.symbol, describe(left.type),
               describe(right.type)),
        format("npp.uint64({}) {} {}",
               text(context, left.type.dtype == DType::kUInt64 ? *right.node : *left.node),
               info.symbol,
               text(context, left.type.dtype == DType::kUInt64 ? *left.node : *right.node)));
  }
  return operate(context, info, type, left, right, node);
}

Value operate(FunctionContext& context, const OperatorInfo& info, const InferredType& type,
              const Value& left, const Value& right, const SyntaxNode& node) {
  const std::string hint = wider_hint(context, info, left, right);
  const std::size_t n_errors = context.findings.errors.size();
  Value value;
  value.type = type;
  Expression first = convert(context, left, type, hint);
  Expression second = convert(context, right, type, hint);
  if (context.findings.errors.size() > n_errors) return {};
  value.expression =
      call(info.operation, type.dtype, {std::move(first), std::move(second)}, place(context, node));
  const std::string symbol = format(" {} ", info.symbol);
  Origin origin;
  origin.place = place(context, node);
  origin.message =
      describe(left.type) + symbol + describe(right.type) + " is " + describe(value.type);
  origin.hint = narrow_hint(context, symbol, left, right);
  return with_origin(std::move(value), {&left, &right}, std::move(origin));
}

Value infer_unary(FunctionContext& context, const SyntaxNode& node) {
  const SyntaxNode& operand_node = *node.child("operand");
  if (node.op == SyntaxKind::kNot) {
    Value value;
    value.type = InferredType::scalar(DType::kBool);
    value.expression = call(Operation::kLogicalNot, DType::kBool,
                            {condition(context, operand_node)}, place(context, node));
    return context.statement.orders_loads ? reusable(context, std::move(value)) : value;
  }
  return unary(context, node.op, infer(context, operand_node), node);
}

Value unary(FunctionContext& context, SyntaxKind op, const Value& operand, const SyntaxNode& node) {
  if (!operand.type.is_known()) return {};
  const std::string symbol = op == SyntaxKind::kUSub ? "-" : op == SyntaxKind::kUAdd ? "+" : "~";
  const std::string name = text(context, *operand.node);
  if (!operand.type.is_scalar()) {
    return error(context, node,
                 format("'{}' needs a number, {} is {}", symbol, name, describe(operand.type)));
  }
  if (is_time(operand) && symbol != "~") {
    return time_unary(context, symbol == "-" ? Operation::kNegative : Operation::kPositive, operand,
                      node);
  }
  if (operand.constant) {
    if (const auto folded = fold(op, *operand.constant)) return constant(context, *folded, node);
  }
  if (symbol == "~" && !is_integer_or_bool(operand.type.dtype)) {
    return error(context, node,
                 format("'~' needs an integer or a bool, {} is {}", name, describe(operand.type)),
                 format("-{} for the negative, not {} for logical not",
                        inner_text(context, *operand.node), inner_text(context, *operand.node)));
  }
  if (symbol != "~" && is_bool(operand.type)) {
    return error(
        context, node, format("'{}' of a bool", symbol),
        symbol == "-" ? "not " + inner_text(context, *operand.node) : format("int({})", name));
  }
  const Operation operation = symbol == "-"   ? Operation::kNegative
                              : symbol == "+" ? Operation::kPositive
                                              : Operation::kInvert;
  Value value;
  value.type = operand.type;
  value.origin = operand.origin;
  value.expression = call(operation, value.type.dtype, {operand.expression}, place(context, node));
  return value;
}

}  // namespace numpy_plugin::declare
