// Python's operators: the names of the syntax tree, how they are written, which operation they are.
#pragma once

#include <string_view>

#include "numpy_plugin/kernel/kernel.hpp"

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
  std::string_view syntax_name;  // "Add"
  std::string_view symbol;       // "+"
  Operation operation;
  OperatorKind kind;
  bool is_ufunc = false;  // written as NumPy's function, as np.power(x, 2)
};

// nullptr where a kernel has no such operator ("MatMult", "In").
const OperatorInfo* find_operator(std::string_view syntax_name);
const OperatorInfo* find_operator(Operation operation);

}  // namespace numpy_plugin::declare
