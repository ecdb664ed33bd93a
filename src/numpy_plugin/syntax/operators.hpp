// Python's operators: their classes in the syntax tree, how they are written, which operation they
// are.
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
  bool is_ufunc = false;  // written as NumPy's function, as np.power(x, 2)
};

// nullptr where a kernel has no such operator (kMatMult, kIn).
const OperatorInfo* find_operator(SyntaxKind syntax);
const OperatorInfo* find_operator(Operation operation);

}  // namespace numpy_plugin::declare
