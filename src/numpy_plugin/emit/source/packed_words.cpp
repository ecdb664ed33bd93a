// Emits the second version of a packed body.
#include "numpy_plugin/emit/source/source_parts.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "numpy_plugin/analysis/device_form.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/emit/printing/expression.hpp"

namespace numpy_plugin::emit {
namespace {

using declare::Expression;
using declare::ExpressionKind;

std::string bits(base::DType dtype) { return std::to_string(base::info(dtype).n_bytes * 8); }

// A constant in each element of a word: its bits are those of the C++ conversion to unsigned.
std::string packed_constant(const Expression& constant) {
  const auto& number = detail<declare::ConstantValue>(constant);
  const bool is_signed = std::holds_alternative<std::int64_t>(number);
  const auto value = is_signed ? static_cast<std::uint64_t>(std::get<std::int64_t>(number))
                               : std::get<std::uint64_t>(number);
  const bool is_byte = base::info(constant.type.dtype).n_bytes == 1;
  return format("npp::in_each_element<{}>({}u)", bits(constant.type.dtype),
                value & (is_byte ? 0xff : 0xffff));
}

std::string print_packed(const Expression& expression, const Scope& scope) {
  if (expression.kind == ExpressionKind::kConstant) return packed_constant(expression);
  if (const auto local = declare::read_local(expression))
    return scope.locals.at(static_cast<std::size_t>(*local));
  std::vector<std::string> operands;
  for (const Expression& operand : expression.operands)
    operands.push_back(print_packed(operand, scope));
  const analysis::PackedOperation& operation =
      *analysis::find_packed_operation(detail<declare::Operation>(expression));
  if (operation.function != nullptr)
    return format("npp::{}<{}>({})", operation.function, bits(expression.type.dtype),
                  base::join(operands, ", "));
  if (operands.size() == 1) return operation.infix + operands.front();
  return format("({})", base::join(operands, operation.infix));
}

}  // namespace

std::string print_packed_struct(const declare::TypedKernel& kernel, const std::string& kernel_name,
                                const std::string& name) {
  const declare::Function& function = std::get<declare::PythonKernel>(kernel.body).function;
  Scope scope;
  std::vector<std::string> parameters;
  for (std::size_t i = 0; i < function.n_parameters; ++i) {
    scope.locals.push_back(scope.names.add(function.locals[i].name));
    parameters.push_back("npp::uint32 " + scope.locals.back());
  }
  return format(
      "// All elements of a word at once.\n"
      "struct {} : {} {\n"
      "  NPP_FUNCTION static npp::uint32 call_packed({}) {\n"
      "    return {};\n"
      "  }\n"
      "};\n",
      name, kernel_name, base::join(parameters, ", "),
      print_packed(*function.body.front().value, scope));
}

}  // namespace numpy_plugin::emit
