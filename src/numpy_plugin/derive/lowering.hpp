// From a rule to expressions of a kernel: leaves out what is multiplied by tangents that are 0, and
// computes a value that several tangents need once.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "numpy_plugin/derive/rule.hpp"

namespace numpy_plugin::derive {

using declare::Expression;

// Empty: known to be 0.
using Tangent = std::optional<Expression>;

// Expressions with the types that NumPy's promotion gives their operands. They keep a place.
Expression call(declare::Operation operation, std::vector<Expression> operands);
Expression constant(double value, base::DType dtype, const declare::SourceSpan& place);
Expression cast(Expression value, base::DType dtype);

// What a rule refers to.
struct RuleOperands {
  std::function<Expression(int)> operand;
  std::function<const Tangent&(int)> tangent;
  std::function<Expression()> result;
  std::function<Expression(Expression)> hold;        // in a local, where it is used again
  std::function<void(std::string_view)> on_unknown;  // of a tangent that there is no rule for
};

// The tangents of one call, a rule lowered once per direction.
class RuleLowering {
 public:
  RuleLowering(RuleOperands operands, const Expression& call)
      : operands_(std::move(operands)), call_(call) {}

  Tangent lower(const Rule& rule);

 private:
  // A number has the type of what it is computed with.
  struct Value {
    std::optional<Expression> expression;
    double number = 0;
    bool is_zero() const { return !expression && number == 0; }
    bool is_number(double value) const { return !expression && number == value; }
  };

  Value value(const Rule& rule);
  Value new_value(const Rule& rule);
  Value call_value(const Rule& rule);
  Value arithmetic(declare::Operation operation, Value left, Value right);
  Value selection(const Rule& rule);
  Expression typed(Value value, base::DType dtype) const;
  base::DType dtype() const;

  RuleOperands operands_;
  const Expression& call_;
  std::map<const RuleNode*, Expression> held_;  // calls without tangents
};

// Whether a rule mentions a tangent.
bool has_tangent(const Rule& rule);
// How often it mentions an operand, or its tangent.
int n_mentions(const Rule& rule, RuleKind kind, int operand);

}  // namespace numpy_plugin::derive
