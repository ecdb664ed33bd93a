// Functions of Python's module operator: they do what the operator in their name does.
#include <algorithm>
#include <iterator>

#include "numpy_plugin/infer/calls/call_arguments.hpp"
#include "numpy_plugin/infer/calls/infer_calls.hpp"
#include "numpy_plugin/infer/expressions/infer_operators.hpp"

namespace numpy_plugin::declare {
namespace {

struct OperatorFunction {
  std::string_view name;
  SyntaxKind syntax;
};

constexpr OperatorFunction kFunctions[] = {
    {"operator.add", SyntaxKind::kAdd},
    {"operator.sub", SyntaxKind::kSub},
    {"operator.mul", SyntaxKind::kMult},
    {"operator.truediv", SyntaxKind::kDiv},
    {"operator.floordiv", SyntaxKind::kFloorDiv},
    {"operator.mod", SyntaxKind::kMod},
    {"operator.pow", SyntaxKind::kPow},
    {"operator.and_", SyntaxKind::kBitAnd},
    {"operator.or_", SyntaxKind::kBitOr},
    {"operator.xor", SyntaxKind::kBitXor},
    {"operator.lshift", SyntaxKind::kLShift},
    {"operator.rshift", SyntaxKind::kRShift},
    {"operator.lt", SyntaxKind::kLt},
    {"operator.le", SyntaxKind::kLtE},
    {"operator.gt", SyntaxKind::kGt},
    {"operator.ge", SyntaxKind::kGtE},
    {"operator.eq", SyntaxKind::kEq},
    {"operator.ne", SyntaxKind::kNotEq},
    {"operator.neg", SyntaxKind::kUSub},
    {"operator.pos", SyntaxKind::kUAdd},
    {"operator.inv", SyntaxKind::kInvert},
    {"operator.invert", SyntaxKind::kInvert},
};

SyntaxKind operator_of(std::string_view name) {
  return std::find_if(std::begin(kFunctions), std::end(kFunctions),
                      [name](const OperatorFunction& row) { return row.name == name; })
      ->syntax;
}

}  // namespace

Value builtin_operator(FunctionContext& context, const std::string& name, const SyntaxNode& node) {
  const auto arguments = scalar_arguments(context, name, 2, 2, node);
  if (!arguments) return {};
  return binary(context, *find_operator(operator_of(name)), (*arguments)[0], (*arguments)[1], node);
}

Value builtin_unary_operator(FunctionContext& context, const std::string& name,
                             const SyntaxNode& node) {
  const auto arguments = scalar_arguments(context, name, 1, 1, node);
  if (!arguments) return {};
  return unary(context, operator_of(name), (*arguments)[0], node);
}

}  // namespace numpy_plugin::declare
