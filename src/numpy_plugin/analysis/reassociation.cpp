#include "numpy_plugin/analysis/reassociation.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace numpy_plugin::emit {
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

// A single operation on both parameters.
bool is_one_operation(const std::vector<declare::Statement>& body) {
  if (body.size() != 1 || body.front().kind != declare::StatementKind::kReturn) return false;
  const Expression& value = *body.front().value;
  if (!is_operation(value)) return false;
  const std::optional<int> left = declare::read_local(value.operands[0]);
  const std::optional<int> right = declare::read_local(value.operands[1]);
  return left && right && *left != *right;
}

}  // namespace

std::string reassociation_obstacle(const declare::TypedKernel& kernel, bool is_reorderable) {
  if (!is_closed(kernel)) return "its operands and its result have different dtypes";
  if (is_reorderable) return "";
  const auto* const python = std::get_if<declare::PythonKernel>(&kernel.body);
  if (python == nullptr) return "it has no identity, and C++ bodies are not analyzed";
  if (is_one_operation(python->function.body)) return "";
  return "it has no identity, and its body is no single operation known to be associative";
}

}  // namespace numpy_plugin::emit
