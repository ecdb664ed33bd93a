// The table of Python's operators.
#include "numpy_plugin/syntax/operators.hpp"

#include <algorithm>
#include <iterator>

namespace numpy_plugin::declare {
namespace {

constexpr OperatorInfo kOperators[] = {
    {"Add", "+", Operation::kAdd, OperatorKind::kArithmetic},
    {"Sub", "-", Operation::kSubtract, OperatorKind::kArithmetic},
    {"Mult", "*", Operation::kMultiply, OperatorKind::kArithmetic},
    {"Div", "/", Operation::kTrueDivide, OperatorKind::kDivision},
    {"FloorDiv", "//", Operation::kFloorDivide, OperatorKind::kModulo},
    {"Mod", "%", Operation::kRemainder, OperatorKind::kModulo},
    {"Pow", "**", Operation::kPower, OperatorKind::kPower},
    {"BitAnd", "&", Operation::kBitwiseAnd, OperatorKind::kBitwise},
    {"BitOr", "|", Operation::kBitwiseOr, OperatorKind::kBitwise},
    {"BitXor", "^", Operation::kBitwiseXor, OperatorKind::kBitwise},
    {"LShift", "<<", Operation::kShiftLeft, OperatorKind::kShift},
    {"RShift", ">>", Operation::kShiftRight, OperatorKind::kShift},
    {"Eq", "==", Operation::kEqual, OperatorKind::kComparison},
    {"NotEq", "!=", Operation::kNotEqual, OperatorKind::kComparison},
    {"Lt", "<", Operation::kLess, OperatorKind::kComparison},
    {"LtE", "<=", Operation::kLessEqual, OperatorKind::kComparison},
    {"Gt", ">", Operation::kGreater, OperatorKind::kComparison},
    {"GtE", ">=", Operation::kGreaterEqual, OperatorKind::kComparison},
};

template <class Predicate>
const OperatorInfo* find(Predicate predicate) {
  const auto found = std::find_if(std::begin(kOperators), std::end(kOperators), predicate);
  return found == std::end(kOperators) ? nullptr : found;
}

}  // namespace

const OperatorInfo* find_operator(std::string_view syntax_name) {
  return find([syntax_name](const OperatorInfo& row) { return row.syntax_name == syntax_name; });
}

const OperatorInfo* find_operator(Operation operation) {
  return find([operation](const OperatorInfo& row) { return row.operation == operation; });
}

}  // namespace numpy_plugin::declare
