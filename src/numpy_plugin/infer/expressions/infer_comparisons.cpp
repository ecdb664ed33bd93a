#include "numpy_plugin/infer/expressions/infer_operators.hpp"

#include <algorithm>
#include <cmath>

#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_arrays.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"
#include "numpy_plugin/infer/expressions/infer_times.hpp"
#include "numpy_plugin/syntax/functions.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

// The comparison with swapped operands.
Operation mirrored(Operation operation) {
  switch (operation) {
    case Operation::kLess:
      return Operation::kGreater;
    case Operation::kLessEqual:
      return Operation::kGreaterEqual;
    case Operation::kGreater:
      return Operation::kLess;
    case Operation::kGreaterEqual:
      return Operation::kLessEqual;
    default:
      return operation;
  }
}

// The constant result of a comparison with a number out of a type's range, and the reason.
struct Outcome {
  bool is_true;
  std::string why;  // "never below 0"
};

std::optional<Outcome> outcome(Operation operation, Int128 number, const IntegerRange& range) {
  const std::string shown = to_text(number);
  const bool is_outside = number < range.low || number > range.high;
  switch (operation) {
    case Operation::kEqual:
    case Operation::kNotEqual:
      if (!is_outside) return std::nullopt;
      return Outcome{operation == Operation::kNotEqual, "never " + shown};
    case Operation::kLess:
    case Operation::kGreaterEqual: {
      const bool is_less = operation == Operation::kLess;
      if (number <= range.low) return Outcome{!is_less, "never below " + shown};
      if (number > range.high) return Outcome{is_less, format("never {} or more", shown)};
      return std::nullopt;
    }
    default: {
      const bool is_greater = operation == Operation::kGreater;
      if (number >= range.high) return Outcome{!is_greater, "never above " + shown};
      if (number < range.low) return Outcome{is_greater, format("never {} or below", shown)};
      return std::nullopt;
    }
  }
}

bool is_nan(const Value& value) {
  const auto* number = value.constant ? std::get_if<double>(&*value.constant) : nullptr;
  return number && std::isnan(*number);
}

bool is_text(const SyntaxNode& node) {
  return node.kind == SyntaxKind::kConstant && node.text == "str";
}

std::optional<Value> compare_out_of_range(FunctionContext& context, const OperatorInfo& info,
                                          const Value& left, const Value& right,
                                          const SyntaxNode& node) {
  const bool left_is_constant = left.constant.has_value();
  const Value& number = left_is_constant ? left : right;
  const Value& operand = left_is_constant ? right : left;
  const auto* integer = constant_integer(number);
  if (!integer || operand.constant || !base::is_integer(operand.type.dtype)) return std::nullopt;
  const Operation operation = left_is_constant ? mirrored(info.operation) : info.operation;
  const auto always = outcome(operation, *integer, range_of(operand.type.dtype));
  if (!always) return std::nullopt;
  warn(context, node,
       format("always {}: {} is {}", always->is_true ? "True" : "False", with_article(operand.type),
              always->why));
  return boolean(context, always->is_true, node);
}

Value report_no_order(FunctionContext& context, const OperatorInfo& info, const Value& left,
                      const Value& right, const SyntaxNode& node) {
  const bool both = base::is_complex(left.type.dtype) && base::is_complex(right.type.dtype);
  const std::string hint =
      format("compare abs({}) {} abs({}), or {}.real {} {}.real", text(context, *left.node),
             info.symbol, text(context, *right.node), inner_text(context, *left.node), info.symbol,
             inner_text(context, *right.node));
  return error(context, node,
               format("complex numbers have no order; found {} {} {}", describe(left.type),
                      info.symbol, describe(right.type)),
               both ? hint : "");
}

void warn_nan(FunctionContext& context, const OperatorInfo& info, const Value& left,
              const Value& right, const SyntaxNode& node) {
  if (!is_nan(left) && !is_nan(right)) return;
  const Value& other = is_nan(left) ? right : left;
  std::string message = "always False: nan has no order";
  if (info.operation == Operation::kEqual) message = "always False: nan equals nothing";
  if (info.operation == Operation::kNotEqual) message = "always True: nan equals nothing";
  warn(context, node, message, format("math.isnan({})", text(context, *other.node)));
}

// Both operands in one type, or as int64 and uint64, which the operations compare by value.
std::vector<Expression> comparison_operands(FunctionContext& context, const Value& left,
                                            const Value& right) {
  const InferredType type = promote(left.type, right.type);
  const bool are_integers = base::is_integer(left.type.dtype) && base::is_integer(right.type.dtype);
  // A weak integer variable may take any value of int64.
  const auto is_weak_variable = [](const Value& value) {
    return value.type.is_weak && !value.constant;
  };
  const bool has_weak_variable = is_weak_variable(left) || is_weak_variable(right);
  const bool is_mixed = are_integers && (type.dtype == DType::kFloat64 ||
                                         (has_weak_variable && type.dtype == DType::kUInt64));
  if (is_mixed) {
    const auto widest = [&context](const Value& value) {
      const bool is_unsigned = value.type.dtype == DType::kUInt64;
      return cast(value.expression, is_unsigned ? DType::kUInt64 : DType::kInt64);
    };
    return {widest(left), widest(right)};
  }
  const bool needs_int64 = has_weak_variable && base::is_integer(type.dtype);
  const InferredType common = needs_int64 ? InferredType::scalar(DType::kInt64) : type;
  return {convert(context, left, common), convert(context, right, common)};
}

Value compare(FunctionContext& context, const SyntaxNode& operator_node, const Value& left,
              const Value& right, const SyntaxNode& node) {
  const OperatorInfo* info = find_operator(operator_node.kind);
  if (!info) {
    return error(context, node, "'in' and 'is' cannot be part of a chain of comparisons",
                 "join two comparisons with 'and'");
  }
  return binary(context, *info, left, right, node);
}

// Records the hint about '&' in `x > 0 & y > 0`.
void note_precedence(FunctionContext& context, const SyntaxNode& comparison,
                     const SyntaxNode& side) {
  const OperatorInfo* info = side.kind == SyntaxKind::kBinOp ? find_operator(side.op) : nullptr;
  const std::vector<SyntaxNode>& operators = comparison.children("ops");
  if (!info || info->kind != OperatorKind::kBitwise || operators.size() != 2) return;
  const SyntaxNode& middle = *comparison.child("comparators");
  const OperatorInfo* first = find_operator(operators[0].kind);
  const OperatorInfo* second = find_operator(operators[1].kind);
  if (&side != &middle || !first || !second || info->symbol == "^") return;
  const std::string word = info->symbol == "&" ? " and " : " or ";
  context.precedence_hint =
      format("'{}' binds tighter than '{}': write {} {} {}{}{} {} {}", info->symbol, first->symbol,
             text(context, *comparison.child("left")), first->symbol,
             text(context, *side.child("left")), word, text(context, *side.child("right")),
             second->symbol, text(context, comparison.children("comparators")[1]));
}

char kind_of(DType dtype) {
  if (dtype == DType::kBool) return 'b';
  if (base::is_complex(dtype)) return 'c';
  if (base::is_time(dtype)) return base::info(dtype).numpy_character;
  if (base::is_floating(dtype)) return 'f';
  return base::info(dtype).kind == base::DTypeKind::kSigned ? 'i' : 'u';
}

// `x.dtype.kind == 'f'` and `x.dtype.kind in 'iu'`; nullopt for anything else, and while the type
// is unknown.
std::optional<bool> decided_kind(FunctionContext& context, const SyntaxNode& node) {
  if (node.kind != SyntaxKind::kCompare || node.children("ops").size() != 1) return std::nullopt;
  const SyntaxNode& kind = *node.child("left");
  const SyntaxKind op = node.child("ops")->kind;
  const bool is_part = op == SyntaxKind::kIn || op == SyntaxKind::kNotIn;
  const bool is_other = op == SyntaxKind::kNotEq || op == SyntaxKind::kNotIn;
  if (kind.kind != SyntaxKind::kAttribute || kind.text != "kind" ||
      !is_text(*node.child("comparators")) || !(is_part || is_other || op == SyntaxKind::kEq))
    return std::nullopt;
  const SyntaxNode& dtype = *kind.child("value");
  if (dtype.kind != SyntaxKind::kAttribute || dtype.text != "dtype" ||
      dtype.child("value")->kind != SyntaxKind::kName)
    return std::nullopt;
  const InferredType type = infer(context, *dtype.child("value")).type;
  if (!type.is_array() && !type.is_scalar()) return std::nullopt;
  std::string kinds = text(context, *node.child("comparators"));
  kinds.erase(0, kinds.find_first_of("'\""));  // a prefix
  std::erase_if(kinds, [](char each) { return each == '\'' || each == '"'; });
  const bool is_found = kinds.find(kind_of(type.dtype)) != std::string::npos;
  return (is_found && (is_part || kinds.size() == 1)) != is_other;
}

// `x.ndim` of an array or a number with a name, and a number that is written out.
std::optional<Int128> known_dimensions(FunctionContext& context, const SyntaxNode& node) {
  if (node.kind == SyntaxKind::kConstant) return known_integer(context, node);
  if (node.kind != SyntaxKind::kAttribute || node.text != "ndim" ||
      node.child("value")->kind != SyntaxKind::kName)
    return std::nullopt;
  const InferredType type = infer(context, *node.child("value")).type;
  if (type.is_array()) return type.n_dimensions;
  return type.is_scalar() ? std::optional<Int128>(0) : std::nullopt;
}

// `x.ndim == 1`, `x.ndim > y.ndim`; nullopt for anything else, and while a type is unknown.
std::optional<bool> decided_dimensions(FunctionContext& context, const SyntaxNode& node) {
  if (node.kind != SyntaxKind::kCompare || node.children("ops").size() != 1) return std::nullopt;
  const SyntaxNode& left = *node.child("left");
  if (left.kind == SyntaxKind::kConstant) return std::nullopt;
  const auto found = known_dimensions(context, left);
  const auto limit = found ? known_dimensions(context, *node.child("comparators")) : std::nullopt;
  if (!limit) return std::nullopt;
  switch (node.child("ops")->kind) {
    case SyntaxKind::kEq:
      return *found == *limit;
    case SyntaxKind::kNotEq:
      return *found != *limit;
    case SyntaxKind::kLt:
      return *found < *limit;
    case SyntaxKind::kGt:
      return *found > *limit;
    default:
      return std::nullopt;
  }
}

// Operands of `and` or `or` that are evaluated, without those that are decided, and the decision
// that ends them.
struct OpenOperands {
  std::vector<const SyntaxNode*> nodes;
  std::optional<bool> end;
};

OpenOperands open_operands(FunctionContext& context, const SyntaxNode& node) {
  const bool neutral = node.op == SyntaxKind::kAnd;
  OpenOperands result;
  for (const SyntaxNode& part : node.children("values")) {
    const auto decision = decided(context, part);
    if (!decision) result.nodes.push_back(&part);
    if (decision && *decision != neutral) {
      result.end = decision;
      return result;
    }
  }
  if (result.nodes.empty()) result.end = neutral;
  return result;
}

// A later operand of `and` is evaluated where the ones before it are true, one of `or` where they
// are false.
void exclude_none_after(FunctionContext& context, const SyntaxNode& node, const SyntaxNode& part,
                        std::vector<int>& excluded) {
  const std::vector<int> more = exclude_none(context, part, node.op == SyntaxKind::kAnd);
  excluded.insert(excluded.end(), more.begin(), more.end());
}

// An operand of `and` or `or`, with the statements it needs.
struct Operand {
  Value value;
  std::vector<Statement> statements;
};

// `a and b` evaluates to one of its operands: b where a is true, else a.
Value select_operand(FunctionContext& context, const SyntaxNode& node,
                     std::vector<Operand> operands) {
  const bool is_and = node.op == SyntaxKind::kAnd;
  Value result = std::move(operands.back().value);
  std::vector<Statement> statements = std::move(operands.back().statements);
  for (std::size_t i = operands.size() - 1; i-- > 0;) {
    Value& operand = operands[i].value;
    Expression decides = truth(context, operand, *operand.node);
    if (!operand.type.is_scalar() || !result.type.is_scalar()) {
      return operand.type.is_scalar() ? error(context, *result.node, "'and' and 'or' need numbers")
                                      : Value();
    }
    const bool are_bools = operand.type.dtype == DType::kBool && result.type.dtype == DType::kBool;
    if (are_bools) {
      result.expression = Expression{is_and ? ExpressionKind::kAnd : ExpressionKind::kOr,
                                     ValueType::scalar(DType::kBool),
                                     place(context, node),
                                     {std::move(decides), std::move(result.expression)}};
    } else {
      result = is_and ? select(context, std::move(decides), result, operand, node)
                      : select(context, std::move(decides), operand, result, node);
      result.node = &node;
    }
    // The decision about the later operands is itself made after the statements of this one.
    std::vector<Statement>* const outer = std::exchange(context.block, &operands[i].statements);
    const bool is_chosen = is_and || are_bools;
    result.expression =
        evaluated_apart(context, std::move(result.expression),
                        is_chosen ? std::exchange(statements, {}) : std::vector<Statement>(),
                        is_chosen ? std::vector<Statement>() : std::exchange(statements, {}));
    context.block = outer;
    statements = std::move(operands[i].statements);
  }
  for (Statement& statement : statements) add_statement(context, std::move(statement));
  return result;
}

}  // namespace

Value compare_typed(FunctionContext& context, const OperatorInfo& info, const Value& left,
                    const Value& right, const SyntaxNode& node) {
  const bool is_equality =
      info.operation == Operation::kEqual || info.operation == Operation::kNotEqual;
  if (base::is_complex(promote(left.type, right.type).dtype) && !is_equality) {
    return report_no_order(context, info, left, right, node);
  }
  warn_nan(context, info, left, right, node);
  if (const auto always = compare_out_of_range(context, info, left, right, node)) return *always;
  Value value;
  value.type = InferredType::scalar(DType::kBool);
  value.expression = call(info.operation, DType::kBool, comparison_operands(context, left, right),
                          place(context, node));
  return value;
}

Value infer_comparison(FunctionContext& context, const SyntaxNode& node) {
  if (const auto decision = decided(context, node)) return boolean(context, *decision, node);
  if (auto test = none_test(context, node)) return *std::move(test);
  const std::vector<SyntaxNode>& operators = node.children("ops");
  const std::vector<SyntaxNode>& comparators = node.children("comparators");
  const bool has_none = is_none(comparators.front());
  if (operators.size() == 1 && (has_none || !find_operator(operators.front().kind))) {
    const SyntaxKind op = operators.front().kind;
    const bool is_membership = op == SyntaxKind::kIn || op == SyntaxKind::kNotIn;
    return is_membership ? infer_membership(context, node) : infer_identity(context, node);
  }
  for (const SyntaxNode* side : {node.child("left"), node.child("comparators")}) {
    if (is_text(*side)) {
      return error(context, *side, "a string in a kernel",
                   "compare outside and make two ufuncs, or use an integer code");
    }
  }
  for (const SyntaxNode& comparator : comparators) note_precedence(context, node, comparator);
  note_precedence(context, node, *node.child("left"));
  Value left = infer(context, *node.child("left"));
  Value result;
  bool has_error = false;
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const bool is_last = i + 1 == operators.size();
    Value part;
    const auto infer_part = [&] {
      Value right = infer(context, comparators[i]);
      if (!is_last) right = reusable(context, std::move(right));
      part = compare(context, operators[i], left, right, node);
      left = std::move(right);
    };
    if (i == 0) {
      infer_part();
      result = part;
    } else {
      std::vector<Statement> statements = infer_apart(context, comparators[i], infer_part);
      result.expression =
          evaluated_apart(context,
                          {ExpressionKind::kAnd,
                           ValueType::scalar(DType::kBool),
                           place(context, node),
                           {std::move(result.expression), std::move(part.expression)}},
                          std::move(statements), {});
    }
    has_error |= !part.type.is_known();
  }
  context.precedence_hint.clear();
  if (has_error) return {};
  return context.statement.orders_loads ? reusable(context, std::move(result)) : result;
}

std::optional<bool> decided(FunctionContext& context, const SyntaxNode& node) {
  if (node.kind == SyntaxKind::kUnaryOp && node.op == SyntaxKind::kNot) {
    const auto decision = decided(context, *node.child("operand"));
    return decision ? std::optional(!*decision) : std::nullopt;
  }
  if (node.kind == SyntaxKind::kBoolOp) {
    const OpenOperands open = open_operands(context, node);
    return open.nodes.empty() ? open.end : std::nullopt;
  }
  if (is_name_of_none(context, node)) return false;
  if (const auto decision = decided_kind(context, node)) return decision;
  if (const auto decision = decided_dimensions(context, node)) return decision;
  return decided_none_test(context, node);
}

Expression truth(FunctionContext& context, const Value& value, const SyntaxNode& node) {
  if (!value.type.is_known()) return value.expression;
  if (value.type.is_array()) return truth(context, only_element(context, value, node), node);
  if (!value.type.is_scalar()) {
    std::string hint;
    for (const SyntaxNode& item : node.children("elts")) {
      hint += format("{}{} != 0", hint.empty() ? "" : " and ", text(context, item));
    }
    error(context, node, "a condition must be a number or a bool, found " + describe(value.type),
          hint);
    return value.expression;
  }
  if (value.type.dtype == DType::kBool) return value.expression;
  if (is_time(value)) {
    error(context, node,
          format("a condition must be a number or a bool, found {}", describe(value.type)),
          format("compare it, or ask not np.isnat({})", text(context, node)));
  }
  return call(Operation::kTruth, DType::kBool, {value.expression}, place(context, node));
}

Expression condition(FunctionContext& context, const SyntaxNode& node) {
  const SourceSpan where = place(context, node);
  if (const auto decision = decided(context, node)) {
    return constant_expression(DType::kBool, std::int64_t{*decision}, where);
  }
  if (node.kind != SyntaxKind::kBoolOp) {
    context.statement.number = &node;
    return truth(context, infer(context, node), node);
  }
  const auto [parts, end] = open_operands(context, node);
  const ExpressionKind kind =
      node.op == SyntaxKind::kAnd ? ExpressionKind::kAnd : ExpressionKind::kOr;
  const auto join = [&](Expression left, Expression right) {
    return Expression{
        kind, ValueType::scalar(DType::kBool), where, {std::move(left), std::move(right)}};
  };
  Expression result = condition(context, *parts.front());
  std::vector<int> excluded;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    exclude_none_after(context, node, *parts[i - 1], excluded);
    Expression part{kind, {}, {}, {}};
    std::vector<Statement> statements =
        infer_apart(context, *parts[i], [&] { part = condition(context, *parts[i]); });
    result = evaluated_apart(context, join(std::move(result), std::move(part)),
                             std::move(statements), {});
  }
  allow_none(context, excluded);
  if (!end) return result;
  return join(std::move(result), constant_expression(DType::kBool, std::int64_t{*end}, where));
}

Value infer_bool_operator(FunctionContext& context, const SyntaxNode& node) {
  const auto [parts, end] = open_operands(context, node);
  std::vector<Operand> operands;
  std::vector<int> excluded;
  bool has_error = false;
  for (const SyntaxNode* const part : parts) {
    Operand operand;
    const auto infer_part = [&] { operand.value = infer(context, *part); };
    if (operands.empty()) {
      infer_part();
    } else {
      exclude_none_after(context, node, *parts[operands.size() - 1], excluded);
      operand.statements = infer_apart(context, *part, infer_part);
    }
    has_error |= !operand.value.type.is_known();
    operands.push_back(std::move(operand));
  }
  allow_none(context, excluded);
  if (has_error) return {};
  if (end) operands.push_back({boolean(context, *end, node.children("values").back()), {}});
  const bool are_bools = std::all_of(operands.begin(), operands.end(), [](const Operand& operand) {
    return operand.value.type.dtype == DType::kBool;
  });
  if (!are_bools) {
    operands.front().value = reusable(context, std::move(operands.front().value));
  }
  Value value = select_operand(context, node, std::move(operands));
  return context.statement.orders_loads ? reusable(context, std::move(value)) : value;
}

}  // namespace numpy_plugin::declare
