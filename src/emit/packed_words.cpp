// Which bodies these are, and their second text. What C++ computes is not looked at.
#include "numpy_plugin/emit/packed_words.hpp"

#include <algorithm>
#include <array>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/emit/expression.hpp"

namespace numpy_plugin::emit {
namespace {

using declare::Expression;
using declare::ExpressionKind;
using declare::Operation;
using declare::StatementKind;

struct PackedOperation {
  Operation operation;
  const char* infix;     // C++'s operator, where it has no carries; else
  const char* function;  // in templates
};
constexpr std::array<PackedOperation, 6> kOperations = {{
    {Operation::kAdd, nullptr, "add_packed"},
    {Operation::kSubtract, nullptr, "subtract_packed"},
    {Operation::kBitwiseAnd, " & ", nullptr},
    {Operation::kBitwiseOr, " | ", nullptr},
    {Operation::kBitwiseXor, " ^ ", nullptr},
    {Operation::kInvert, "~", nullptr},
}};

const PackedOperation* find_operation(Operation operation) {
  const auto* const row =
      std::find_if(kOperations.begin(), kOperations.end(),
                   [operation](const PackedOperation& o) { return o.operation == operation; });
  return row == kOperations.end() ? nullptr : row;
}

bool is_packed(const Expression& expression, base::DType dtype) {
  if (expression.type != declare::ValueType::scalar(dtype)) return false;
  const auto is_operand = [dtype](const Expression& e) { return is_packed(e, dtype); };
  switch (expression.kind) {
    case ExpressionKind::kConstant:
    case ExpressionKind::kLocal:
      return true;
    case ExpressionKind::kCall:
      return find_operation(expression.operation) != nullptr &&
             std::all_of(expression.operands.begin(), expression.operands.end(), is_operand);
    default:
      return false;
  }
}

std::string bits(base::DType dtype) { return std::to_string(base::info(dtype).n_bytes * 8); }

// A constant in each element of a word: its bits are what C++ makes of it as an unsigned number.
std::string packed_constant(const Expression& constant) {
  const bool is_signed = std::holds_alternative<std::int64_t>(constant.constant);
  const auto value = is_signed
                         ? static_cast<std::uint64_t>(std::get<std::int64_t>(constant.constant))
                         : std::get<std::uint64_t>(constant.constant);
  const bool is_byte = base::info(constant.type.dtype).n_bytes == 1;
  return "npp::in_each_element<" + bits(constant.type.dtype) + ">(" +
         std::to_string(value & (is_byte ? 0xff : 0xffff)) + "u)";
}

std::string print_packed(const Expression& expression, const Scope& scope) {
  if (expression.kind == ExpressionKind::kConstant) return packed_constant(expression);
  if (expression.kind == ExpressionKind::kLocal)
    return scope.locals.at(static_cast<std::size_t>(expression.index));
  std::vector<std::string> operands;
  for (const Expression& operand : expression.operands)
    operands.push_back(print_packed(operand, scope));
  const PackedOperation& operation = *find_operation(expression.operation);
  if (operation.function != nullptr)
    return std::string("npp::") + operation.function + "<" + bits(expression.type.dtype) + ">(" +
           base::join(operands, ", ") + ")";
  if (operands.size() == 1) return operation.infix + operands.front();
  return "(" + base::join(operands, operation.infix) + ")";
}

}  // namespace

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

std::string print_packed_struct(const declare::TypedKernel& kernel, const std::string& kernel_name,
                                const std::string& name) {
  const declare::Function& function = std::get<declare::PythonKernel>(kernel.body).function;
  Scope scope;
  std::vector<std::string> parameters;
  for (std::size_t i = 0; i < function.n_parameters; ++i) {
    scope.locals.push_back(scope.names.add(function.locals[i].name));
    parameters.push_back("npp::uint32 " + scope.locals.back());
  }
  return "// All elements of a word at once.\nstruct " + name + " : " + kernel_name +
         " {\n  NPP_FUNCTION static npp::uint32 call_packed(" + base::join(parameters, ", ") +
         ") {\n    return " + print_packed(*function.body.front().value, scope) + ";\n  }\n};\n";
}

}  // namespace numpy_plugin::emit
