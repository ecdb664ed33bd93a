#include "numpy_plugin/kernel/exact_update.hpp"

#include <algorithm>
#include <iterator>

namespace numpy_plugin::declare {
namespace {

struct ExactUpdate {
  Operation operation;
  std::string_view name;
};

constexpr ExactUpdate kExactUpdates[] = {
    {Operation::kAdd, "AtomicAdd"},           {Operation::kSubtract, "AtomicSubtract"},
    {Operation::kMultiply, "AtomicMultiply"}, {Operation::kMinimum, "AtomicMinimum"},
    {Operation::kMaximum, "AtomicMaximum"},   {Operation::kBitwiseAnd, "AtomicAnd"},
    {Operation::kBitwiseOr, "AtomicOr"},      {Operation::kBitwiseXor, "AtomicXor"},
};

bool has_one_integer_type(const TypeSignature& signature) {
  if (signature.inputs.size() != 2 || signature.outputs.size() != 1) return false;
  const base::DType dtype = signature.outputs[0].dtype;
  return base::is_integer(dtype) && signature.inputs[0].dtype == dtype &&
         signature.inputs[1].dtype == dtype;
}

// The kernel's only expression: its result.
const Expression* result_of(const TypedKernel& kernel) {
  const auto* const python = std::get_if<PythonKernel>(&kernel.body);
  if (kernel.layout || python == nullptr || python->function.body.size() != 1) return nullptr;
  const Statement& statement = python->function.body.front();
  if (statement.kind != StatementKind::kReturn || !statement.value) return nullptr;
  return &*statement.value;
}

}  // namespace

std::string_view exact_update(const TypedKernel& kernel) {
  const Expression* const result = result_of(kernel);
  const bool is_call =
      result != nullptr && result->kind == ExpressionKind::kCall && result->operands.size() == 2;
  if (!is_call || !has_one_integer_type(kernel.signature)) return {};
  if (read_local(result->operands[0]) != 0) return {};
  if (read_local(result->operands[1]) != 1) return {};
  const auto* const found =
      std::ranges::find(kExactUpdates, detail<Operation>(*result), &ExactUpdate::operation);
  return found == std::end(kExactUpdates) ? std::string_view() : found->name;
}

}  // namespace numpy_plugin::declare
