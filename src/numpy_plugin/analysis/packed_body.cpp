// C++ bodies are never packed: their text is not analyzed.
#include "numpy_plugin/analysis/device_form.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace numpy_plugin::analysis {
namespace {

using declare::Expression;
using declare::ExpressionKind;
using declare::Operation;
using declare::StatementKind;

constexpr std::array<PackedOperation, 6> kOperations = {{
    {Operation::kAdd, nullptr, "add_packed"},
    {Operation::kSubtract, nullptr, "subtract_packed"},
    {Operation::kBitwiseAnd, " & ", nullptr},
    {Operation::kBitwiseOr, " | ", nullptr},
    {Operation::kBitwiseXor, " ^ ", nullptr},
    {Operation::kInvert, "~", nullptr},
}};

bool is_packed(const Expression& expression, base::DType dtype) {
  if (expression.type != declare::ValueType::scalar(dtype)) return false;
  const auto is_operand = [dtype](const Expression& e) { return is_packed(e, dtype); };
  switch (expression.kind) {
    case ExpressionKind::kConstant:
    case ExpressionKind::kLocal:
      return true;
    case ExpressionKind::kCall:
      return find_packed_operation(detail<Operation>(expression)) != nullptr &&
             std::all_of(expression.operands.begin(), expression.operands.end(), is_operand);
    default:
      return false;
  }
}

}  // namespace

const PackedOperation* find_packed_operation(Operation operation) {
  const auto* const row =
      std::find_if(kOperations.begin(), kOperations.end(),
                   [operation](const PackedOperation& o) { return o.operation == operation; });
  return row == kOperations.end() ? nullptr : row;
}

bool has_packed_body(const declare::TypedKernel& kernel) {
  const auto* const python = std::get_if<declare::PythonKernel>(&kernel.body);
  if (python == nullptr || kernel.layout || kernel.signature.outputs.size() != 1) return false;
  const base::DType dtype = kernel.signature.outputs.front().dtype;
  const auto has_type = [dtype](const declare::OperandType& o) { return o.dtype == dtype; };
  const auto& body = python->function.body;
  return base::is_integer(dtype) && base::info(dtype).n_bytes <= 2 &&
         std::all_of(kernel.signature.inputs.begin(), kernel.signature.inputs.end(), has_type) &&
         body.size() == 1 && body.front().kind == StatementKind::kReturn &&
         is_packed(*body.front().value, dtype);
}

}  // namespace numpy_plugin::analysis
