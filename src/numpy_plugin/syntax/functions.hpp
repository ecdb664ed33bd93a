// Tables of Python's operators and of its functions that are one operation
// (kernel/operations.def), and hints for names of CUDA packages that are none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/kernel/kernel.hpp"
#include "numpy_plugin/syntax/syntax.hpp"

namespace numpy_plugin::declare {

enum class TypingRule {
  kMath,          // floating types unchanged, other real ones to float64, weak ones stay weak
  kMathInteger,   // int64
  kMathTest,      // bool
  kMathWhole,     // only integers: int64, or uint64 for those that exceed it
  kComplexMath,   // complex for every argument
  kOperator,      // like the operator of the same operation
  kFloating,      // NumPy's ee->e, ff->f, dd->d, FF->F, DD->D
  kRealFloating,  // kFloating without complex types
  kInteger,       // real types unchanged, bool to int8
  kWhole,         // integers unchanged, bool to int8
  kNumpyMath,     // floating-point and complex types unchanged, integers to float64
  kFloatPower,    // float64 or complex128
  kSpecial,       // SciPy's: float64, but float32 for float32 and the 16-bit types
  kSame,          // every real type unchanged
  kSameNumber,    // kSame and complex
  kSameTest,      // bool, for every real type unchanged
  kNumber,        // kInteger and complex
  kTest           // bool, for any number
};

struct FunctionInfo {
  std::string_view module;  // "math"
  std::string_view name;    // "sqrt"
  Operation operation;
  TypingRule rule;
};

// For "math.sqrt"; nullptr where the table has no such row.
const FunctionInfo* find_function(std::string_view qualified_name);

// Names of all functions of a module.
std::vector<std::string> function_names(std::string_view module);

// Python's operators: their classes in the syntax tree, spelling and operation.

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

// Replacements for names of other CUDA packages that are not supported here.

// `name` as in "cuda.atomic.nanmax"; empty where there is no hint.
std::string_view device_hint(std::string_view name);

// The names below "cuda" and "cuda.atomic", by the owner's name; empty for others.
std::vector<std::string> device_names(std::string_view owner);

}  // namespace numpy_plugin::declare
