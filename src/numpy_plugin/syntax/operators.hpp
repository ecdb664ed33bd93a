// Python's operators: their classes in the syntax tree, spelling and operation.
#pragma once

#include <string_view>

#include "numpy_plugin/kernel/kernel.hpp"
#include "numpy_plugin/syntax/syntax_kind.hpp"

namespace numpy_plugin::declare {

enum class OperatorKind {
  kArithmetic,  // + - *
  kDivision,    // /
  kModulo,      // // and %
  kPower,
  kBitwise,  // & | ^
  kShift,
  kComparison
};

struct OperatorInfo {
  SyntaxKind syntax;
  std::string_view symbol;  // "+"
  Operation operation;
  OperatorKind kind;
  bool is_ufunc = false;  // spelled as NumPy's function, as np.power(x, 2)
};

// nullptr for operators that kernels do not support (kMatMult, kIn).
const OperatorInfo* find_operator(SyntaxKind syntax);
const OperatorInfo* find_operator(Operation operation);

}  // namespace numpy_plugin::declare
