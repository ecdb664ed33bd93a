// Operations that random kernels call, with the dtypes that inference gives their arguments.
#pragma once

#include <string_view>
#include <vector>

#include "kernel/kernel_builder.hpp"
#include "numpy_plugin/syntax/functions.hpp"

namespace numpy_plugin::emit::test {

using declare::TypingRule;

// As NumPy's type characters; empty for rules of operators.
inline std::string_view dtypes_of(TypingRule rule) {
  switch (rule) {
    case TypingRule::kMath:
    case TypingRule::kMathInteger:
    case TypingRule::kMathTest:
    case TypingRule::kRealFloating:
      return "eEfd";
    case TypingRule::kMathWhole:
      return "lL";
    case TypingRule::kComplexMath:
      return "FD";
    case TypingRule::kFloating:
    case TypingRule::kNumpyMath:
    case TypingRule::kTest:
      return "eEfdFD";
    case TypingRule::kInteger:
      return "bBhHiIlLeEfd";
    case TypingRule::kWhole:
      return "bBhHiIlL";
    case TypingRule::kFloatPower:
      return "dD";
    case TypingRule::kSpecial:
      return "fd";
    case TypingRule::kSame:
    case TypingRule::kSameTest:
      return "?bBhHiIlLeEfd";
    case TypingRule::kSameNumber:
      return "?bBhHiIlLeEfdFD";
    case TypingRule::kNumber:
      return "bBhHiIlLeEfdFD";
    case TypingRule::kOperator:
      break;
  }
  return "";
}

struct RandomOperation {
  Operation operation;
  std::string_view dtypes;
};

// Operations without a typing rule of their own.
inline constexpr RandomOperation kOtherOperations[] = {
    {Operation::kAdd, "?bBhHiIlLeEfdFD"},
    {Operation::kSubtract, "bBhHiIlLeEfdFD"},
    {Operation::kMultiply, "?bBhHiIlLeEfdFD"},
    {Operation::kTrueDivide, "eEfdFD"},
    {Operation::kFloorDivide, "bBhHiIlLeEfd"},
    {Operation::kRemainder, "bBhHiIlLeEfd"},
    {Operation::kPower, "bBhHiIlLeEfdFD"},
    {Operation::kShiftLeft, "bBhHiIlL"},
    {Operation::kShiftRight, "bBhHiIlL"},
    {Operation::kBitwiseAnd, "?bBhHiIlL"},
    {Operation::kBitwiseOr, "?bBhHiIlL"},
    {Operation::kBitwiseXor, "?bBhHiIlL"},
    {Operation::kInvert, "?bBhHiIlL"},
    {Operation::kNegative, "bBhHiIlLeEfdFD"},
    {Operation::kPositive, "bBhHiIlLeEfdFD"},
    {Operation::kEqual, "?bBhHiIlLeEfdFD"},
    {Operation::kNotEqual, "?bBhHiIlLeEfdFD"},
    {Operation::kLess, "?bBhHiIlLeEfd"},
    {Operation::kLessEqual, "?bBhHiIlLeEfd"},
    {Operation::kGreater, "?bBhHiIlLeEfd"},
    {Operation::kGreaterEqual, "?bBhHiIlLeEfd"},
    {Operation::kPythonMin, "bBhHiIlLeEfd"},
    {Operation::kPythonMax, "bBhHiIlLeEfd"},
    {Operation::kTruth, "?bBhHiIlLeEfdFD"},
    {Operation::kLogicalNot, "?bBhHiIlLeEfdFD"},
    {Operation::kReal, "FD"},
    {Operation::kImag, "FD"},
    {Operation::kMakeComplex, "fd"},
    {Operation::kFraction, "eEfd"},
    {Operation::kFrexpMantissa, "eEfd"},
    {Operation::kFrexpExponent, "eEfd"},
    {Operation::kLdexp, "eEfd"},
    {Operation::kIsClose, "dD"},
    {Operation::kIsNear, "eEfdFD"},
    {Operation::kBesselJn, "fd"},
    {Operation::kBesselYn, "fd"},
};

inline DType component_dtype(DType dtype) {
  if (dtype == DType::kComplex64) return kF4;
  return dtype == DType::kComplex128 ? kF8 : dtype;
}

inline DType result_dtype(Operation operation, DType dtype) {
  switch (declare::info(operation).result) {
    case declare::OperationResult::kSame:
      return dtype;
    case declare::OperationResult::kBool:
      return DType::kBool;
    case declare::OperationResult::kReal:
      return component_dtype(dtype);
    case declare::OperationResult::kComplex:
      return dtype == kF8 ? DType::kComplex128 : DType::kComplex64;
    case declare::OperationResult::kInt32:
      return kI4;
    case declare::OperationResult::kUint8:
      break;
  }
  return DType::kUInt8;
}

inline DType argument_dtype(Operation operation, int argument, DType dtype) {
  const bool is_order = operation == Operation::kBesselJn || operation == Operation::kBesselYn;
  const bool is_close = operation == Operation::kIsClose || operation == Operation::kIsNear;
  if (is_order && argument == 0) return kI8;
  if (operation == Operation::kLdexp && argument == 1) return kI8;
  return is_close && argument >= 2 ? component_dtype(dtype) : dtype;
}

struct TypedOperation {
  Operation operation;
  DType dtype;  // of the arguments
};

inline void add_operations(const RandomOperation& row, std::vector<TypedOperation>& typed) {
  for (const char c : row.dtypes) typed.push_back({row.operation, *base::find_dtype(c)});
}

inline std::vector<TypedOperation> typed_operations() {
  std::vector<TypedOperation> typed;
  for (const RandomOperation& row : kOtherOperations) add_operations(row, typed);
#define NPP_PYTHON_NAME(module, name, operation, rule) \
  add_operations({Operation::operation, dtypes_of(TypingRule::rule)}, typed);
#include "numpy_plugin/kernel/operations.def"
  return typed;
}

}  // namespace numpy_plugin::emit::test
