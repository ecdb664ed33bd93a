// The language in which the table of tangents is written: a rule is an expression of an
// operation's operands, its result and the operands' tangents.
#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::derive {

enum class RuleKind : std::uint8_t {
  kNumber,
  kOperand,  // index: which
  kTangent,  // likewise
  kResult,
  kCall,    // operation of operands
  kSelect,  // operands: condition, then, else
  kUnknown  // of the operand `index`, whose tangent is unknown: `text` names what it would be by
};

struct RuleNode;
using Rule = std::shared_ptr<const RuleNode>;

struct RuleNode {
  RuleKind kind;
  double number = 0;
  int index = 0;
  declare::Operation operation = declare::Operation::kAdd;
  std::vector<Rule> operands = {};
  std::string_view text = {};
};

inline Rule number(double value) {
  return std::make_shared<RuleNode>(RuleNode{.kind = RuleKind::kNumber, .number = value});
}

inline Rule leaf(RuleKind kind, int index, std::string_view text = {}) {
  return std::make_shared<RuleNode>(RuleNode{.kind = kind, .index = index, .text = text});
}

// The value of an operation.
template <class... Operands>
Rule of(declare::Operation operation, Operands... operands) {
  return std::make_shared<RuleNode>(
      RuleNode{.kind = RuleKind::kCall, .operation = operation, .operands = {operands...}});
}

inline Rule select(Rule condition, Rule then, Rule otherwise) {
  return std::make_shared<RuleNode>(
      RuleNode{.kind = RuleKind::kSelect,
               .operands = {std::move(condition), std::move(then), std::move(otherwise)}});
}

inline Rule zero() { return number(0); }

#define NPP_RULE_OPERATOR(symbol, operation)                                                 \
  inline Rule operator symbol(Rule left, Rule right) {                                       \
    return of(declare::Operation::operation, std::move(left), std::move(right));             \
  }                                                                                          \
  inline Rule operator symbol(Rule left, double right) { return left symbol number(right); } \
  inline Rule operator symbol(double left, Rule right) { return number(left) symbol right; }
NPP_RULE_OPERATOR(+, kAdd)
NPP_RULE_OPERATOR(-, kSubtract)
NPP_RULE_OPERATOR(*, kMultiply)
NPP_RULE_OPERATOR(/, kTrueDivide)
NPP_RULE_OPERATOR(<, kLess)
NPP_RULE_OPERATOR(<=, kLessEqual)
#undef NPP_RULE_OPERATOR

inline Rule operator-(Rule operand) { return of(declare::Operation::kNegative, operand); }
inline Rule equal(Rule left, Rule right) { return of(declare::Operation::kEqual, left, right); }
inline Rule equal(Rule left, double right) { return equal(left, number(right)); }

// The tangents of an operation: null where there is no rule.
struct TangentRules {
  Rule real;
  Rule complex;  // for complex operands
  // Of parts of a complex number, which have no complex derivative: by real parameters only.
  bool has_parts = false;
};

const TangentRules& tangent_rules(declare::Operation operation);

}  // namespace numpy_plugin::derive
