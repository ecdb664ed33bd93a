// Operations are exact, and so the same everywhere, or have a row in own_functions.def.
#include "numpy_plugin/emit/source/emit.hpp"

#include <string>

#include "numpy_plugin/analysis/lanes/lane_form.hpp"
#include "numpy_plugin/analysis/tree.hpp"
#include "numpy_plugin/base/text.hpp"

namespace numpy_plugin::emit {
namespace {

using declare::Expression;
using declare::Operation;

// Library functions whose results are exactly defined.
bool is_exact_function(Operation operation) {
  switch (operation) {
    case Operation::kNextAfter:
    case Operation::kFmod:
    case Operation::kLdexp:
    case Operation::kIeeeRemainder:
    case Operation::kFma:
      return true;
    default:
      return false;
  }
}

std::string known_functions() {
  std::vector<std::string> names;
  for (const analysis::OwnFunction& row : analysis::own_functions())
    names.emplace_back(row.own_name);
  return base::join(names, ", ");
}

void add_errors(const declare::Function& function, std::vector<declare::Diagnostic>& errors) {
  declare::visit_expressions(function.body, [&](const Expression& expression) {
    if (!analysis::is_library_call(expression) || analysis::own_function(expression) != nullptr)
      return;
    const auto operation = detail<Operation>(expression);
    const base::DType dtype = expression.operands.front().type.dtype;
    if (is_exact_function(operation) && !base::is_complex(dtype)) return;
    errors.push_back({.message = format("math=\"reproducible\" has no function '{}' of {}",
                                        declare::info(operation).name, base::info(dtype).name),
                      .place = expression.place,
                      .notes = {},
                      .hint = "of real numbers it has " + known_functions()});
  });
}

}  // namespace

std::vector<declare::Diagnostic> irreproducible_calls(const declare::TypedKernel& kernel) {
  std::vector<declare::Diagnostic> errors;
  const auto* const python = std::get_if<declare::PythonKernel>(&kernel.body);
  if (python == nullptr) return errors;
  add_errors(python->function, errors);
  for (const declare::Function& function : python->device_functions) add_errors(function, errors);
  return errors;
}

}  // namespace numpy_plugin::emit
