// The table of Python functions that are one operation (functions.def), looked up by home and name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::declare {

enum class TypingRule {
  kMath,          // floating types kept, other real ones to float64, weak numbers stay weak
  kMathInteger,   // int64
  kMathTest,      // bool
  kMathWhole,     // integers alone: int64, and uint64 of what does not fit
  kComplexMath,   // complex whatever the argument
  kOperator,      // as the operator of the same operation
  kFloating,      // NumPy's ee->e, ff->f, dd->d, FF->F, DD->D
  kRealFloating,  // without the complex ones
  kInteger,       // real types as they are, bool as int8
  kWhole,         // integers as they are, bool as int8
  kNumpyMath,     // floating and complex types as they are, integers to float64
  kFloatPower,    // float64 or complex128
  kSpecial,       // SciPy's: float64, but float32 of float32 and of the 16-bit types
  kSame,          // every real type as it is
  kSameNumber,    // kSame and complex
  kSameTest,      // bool, of every real type as it is
  kNumber,        // kInteger and complex
  kTest           // bool, of any number
};

struct FunctionInfo {
  std::string_view module;  // "math"
  std::string_view name;    // "sqrt"
  Operation operation;
  TypingRule rule;
};

// "math.sqrt"; nullptr where the table has no such row.
const FunctionInfo* find_function(std::string_view qualified_name);

// The names of all rows of a module.
std::vector<std::string> function_names(std::string_view module);

}  // namespace numpy_plugin::declare
