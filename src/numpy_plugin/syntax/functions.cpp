// Look-ups in the tables of Python's functions and operators.
#include "numpy_plugin/syntax/functions.hpp"

#include <algorithm>
#include <iterator>

namespace numpy_plugin::declare {
namespace {

constexpr FunctionInfo kFunctions[] = {
#define NPP_PYTHON_NAME(module, name, operation, rule) \
  {module, name, Operation::operation, TypingRule::rule},
#include "numpy_plugin/kernel/operations.def"
};

constexpr OperatorInfo kOperators[] = {
    {SyntaxKind::kAdd, "+", Operation::kAdd, OperatorKind::kArithmetic},
    {SyntaxKind::kSub, "-", Operation::kSubtract, OperatorKind::kArithmetic},
    {SyntaxKind::kMult, "*", Operation::kMultiply, OperatorKind::kArithmetic},
    {SyntaxKind::kDiv, "/", Operation::kTrueDivide, OperatorKind::kDivision},
    {SyntaxKind::kFloorDiv, "//", Operation::kFloorDivide, OperatorKind::kModulo},
    {SyntaxKind::kMod, "%", Operation::kRemainder, OperatorKind::kModulo},
    {SyntaxKind::kPow, "**", Operation::kPower, OperatorKind::kPower},
    {SyntaxKind::kBitAnd, "&", Operation::kBitwiseAnd, OperatorKind::kBitwise},
    {SyntaxKind::kBitOr, "|", Operation::kBitwiseOr, OperatorKind::kBitwise},
    {SyntaxKind::kBitXor, "^", Operation::kBitwiseXor, OperatorKind::kBitwise},
    {SyntaxKind::kLShift, "<<", Operation::kShiftLeft, OperatorKind::kShift},
    {SyntaxKind::kRShift, ">>", Operation::kShiftRight, OperatorKind::kShift},
    {SyntaxKind::kEq, "==", Operation::kEqual, OperatorKind::kComparison},
    {SyntaxKind::kNotEq, "!=", Operation::kNotEqual, OperatorKind::kComparison},
    {SyntaxKind::kLt, "<", Operation::kLess, OperatorKind::kComparison},
    {SyntaxKind::kLtE, "<=", Operation::kLessEqual, OperatorKind::kComparison},
    {SyntaxKind::kGt, ">", Operation::kGreater, OperatorKind::kComparison},
    {SyntaxKind::kGtE, ">=", Operation::kGreaterEqual, OperatorKind::kComparison},
};

template <class Predicate>
const OperatorInfo* find(Predicate predicate) {
  const auto found = std::find_if(std::begin(kOperators), std::end(kOperators), predicate);
  return found == std::end(kOperators) ? nullptr : found;
}

}  // namespace

const FunctionInfo* find_function(std::string_view qualified_name) {
  const std::size_t dot = qualified_name.rfind('.');
  if (dot == std::string_view::npos) return nullptr;
  const std::string_view module = qualified_name.substr(0, dot);
  const std::string_view name = qualified_name.substr(dot + 1);
  const auto found = std::find_if(
      std::begin(kFunctions), std::end(kFunctions),
      [&](const FunctionInfo& row) { return row.name == name && row.module == module; });
  return found == std::end(kFunctions) ? nullptr : found;
}

std::vector<std::string> function_names(std::string_view module) {
  std::vector<std::string> names;
  for (const FunctionInfo& row : kFunctions) {
    if (row.module == module) names.emplace_back(row.name);
  }
  return names;
}

const OperatorInfo* find_operator(SyntaxKind syntax) {
  return find([syntax](const OperatorInfo& row) { return row.syntax == syntax; });
}

const OperatorInfo* find_operator(Operation operation) {
  return find([operation](const OperatorInfo& row) { return row.operation == operation; });
}

}  // namespace numpy_plugin::declare
