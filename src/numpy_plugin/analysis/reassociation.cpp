#include "numpy_plugin/analysis/reduce_form.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace numpy_plugin::analysis {
namespace {

using declare::Expression;
using declare::ExpressionKind;
using declare::Operation;

// Not python_min and python_max: their result depends on the order for NaN.
constexpr std::array kReassociable = {
    Operation::kAdd,        Operation::kMultiply,  Operation::kMinimum,
    Operation::kMaximum,    Operation::kFmin,      Operation::kFmax,
    Operation::kBitwiseAnd, Operation::kBitwiseOr, Operation::kBitwiseXor,
};

bool is_operation(const Expression& expression) {
  if (expression.kind == ExpressionKind::kAnd || expression.kind == ExpressionKind::kOr) {
    return true;
  }
  return expression.kind == ExpressionKind::kCall &&
         std::ranges::find(kReassociable, detail<Operation>(expression)) != kReassociable.end();
}

// Whether its operands and its result have one dtype, so that results are operands again.
bool is_closed(const declare::TypedKernel& kernel) {
  const auto& [inputs, outputs] = kernel.signature;
  if (kernel.layout || inputs.size() != 2 || outputs.size() != 1) return false;
  return inputs[0].dtype == inputs[1].dtype && inputs[0].dtype == outputs[0].dtype;
}

// The two locals that an expression's operands from `first` on are, if they differ.
std::optional<std::pair<int, int>> two_locals(const Expression& expression, std::size_t first = 0) {
  if (expression.operands.size() != first + 2) return std::nullopt;
  const std::optional<int> left = declare::read_local(expression.operands[first]);
  const std::optional<int> right = declare::read_local(expression.operands[first + 1]);
  if (!left || !right || *left == *right) return std::nullopt;
  return std::pair(*left, *right);
}

const Expression* only_result(const std::vector<declare::Statement>& body) {
  if (body.size() != 1 || body.front().kind != declare::StatementKind::kReturn) return nullptr;
  return &*body.front().value;
}

// A single operation on both parameters.
bool is_one_operation(const std::vector<declare::Statement>& body) {
  const Expression* const value = only_result(body);
  return value != nullptr && is_operation(*value) && two_locals(*value);
}

KnownReduction reduction_of(Operation operation) {
  switch (operation) {
    case Operation::kAdd:
      return KnownReduction::kSum;
    case Operation::kMinimum:
    case Operation::kFmin:
    case Operation::kPythonMin:
      return KnownReduction::kLeast;
    case Operation::kMaximum:
    case Operation::kFmax:
    case Operation::kPythonMax:
      return KnownReduction::kGreatest;
    case Operation::kMultiply:
    case Operation::kBitwiseAnd:
    case Operation::kBitwiseOr:
    case Operation::kBitwiseXor:
      return KnownReduction::kOperation;
    default:
      return KnownReduction::kNone;
  }
}

// `x if x < y else y` and its like.
KnownReduction reduction_of_selection(const Expression& selection) {
  const Expression& condition = selection.operands[0];
  const auto compared = two_locals(condition), selected = two_locals(selection, 1);
  if (condition.kind != ExpressionKind::kCall || !compared || !selected) {
    return KnownReduction::kNone;
  }
  const auto operation = detail<Operation>(condition);
  const bool is_less = operation == Operation::kLess || operation == Operation::kLessEqual;
  const bool is_greater = operation == Operation::kGreater || operation == Operation::kGreaterEqual;
  if (!is_less && !is_greater) return KnownReduction::kNone;
  return is_less == (compared == selected) ? KnownReduction::kLeast : KnownReduction::kGreatest;
}

KnownReduction reduction_of_result(const Expression& value) {
  if (value.kind == ExpressionKind::kSelect) return reduction_of_selection(value);
  if (value.kind != ExpressionKind::kCall || !two_locals(value)) return KnownReduction::kNone;
  return reduction_of(detail<Operation>(value));
}

KnownReduction reduction_of_dtype(KnownReduction reduction, base::DType dtype) {
  if (base::is_integer(dtype)) return KnownReduction::kOperation;
  switch (dtype) {
    case base::DType::kFloat32:
    case base::DType::kFloat64:
      return reduction;
    case base::DType::kComplex64:
    case base::DType::kComplex128:
      return reduction == KnownReduction::kSum ? KnownReduction::kComplexSum
                                               : KnownReduction::kNone;
    default:
      return KnownReduction::kNone;
  }
}

}  // namespace

KnownReduction known_reduction(const declare::TypedKernel& kernel) {
  const auto* const python = std::get_if<declare::PythonKernel>(&kernel.body);
  if (python == nullptr || !is_closed(kernel)) return KnownReduction::kNone;
  const Expression* const value = only_result(python->function.body);
  if (value == nullptr) return KnownReduction::kNone;
  const KnownReduction reduction = reduction_of_result(*value);
  return reduction == KnownReduction::kNone
             ? reduction
             : reduction_of_dtype(reduction, kernel.signature.inputs[0].dtype);
}

std::string reassociation_obstacle(const declare::TypedKernel& kernel, bool is_reorderable) {
  if (!is_closed(kernel)) return "its operands and its result have different dtypes";
  if (is_reorderable) return "";
  const auto* const python = std::get_if<declare::PythonKernel>(&kernel.body);
  if (python == nullptr) return "it has no identity, and C++ bodies are not analyzed";
  if (is_one_operation(python->function.body)) return "";
  return "it has no identity, and its body is no single operation known to be associative";
}

}  // namespace numpy_plugin::analysis
