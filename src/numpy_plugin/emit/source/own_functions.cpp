// A kernel asks for a function by type, as every variant takes time to compile.
#include "numpy_plugin/emit/source/own_functions.hpp"

#include "numpy_plugin/analysis/tree.hpp"

namespace numpy_plugin::emit {
namespace {

// The types of floating-point powers: float stands for the 16-bit types, too.
struct Powers {
  bool of_float = false, of_double = false;
};

void add_powers(const declare::Function& function, Powers& powers) {
  visit_expressions(function.body, [&](const declare::Expression& expression) {
    if (expression.kind != declare::ExpressionKind::kCall) return;
    if (detail<declare::Operation>(expression) != declare::Operation::kPower) return;
    const base::DType dtype = expression.type.dtype;
    if (!base::is_floating(dtype)) return;
    (dtype == base::DType::kFloat64 ? powers.of_double : powers.of_float) = true;
  });
}

}  // namespace

OwnFunctions own_functions(const Program& program) {
  Powers powers;
  for (const declare::TypedKernel& kernel : program.kernels) {
    const auto* const python = std::get_if<declare::PythonKernel>(&kernel.body);
    if (python == nullptr) continue;
    add_powers(python->function, powers);
    for (const declare::Function& function : python->device_functions) add_powers(function, powers);
  }
  OwnFunctions own;
  if (powers.of_double) own.requests += "#define NPP_ASKS_FOR_POW 1\n";
  if (powers.of_float) own.requests += "#define NPP_ASKS_FOR_POWF 1\n";
  if (!own.requests.empty()) own.includes = "#include \"npp/vector_math/power_variants.hpp\"\n";
  return own;
}

}  // namespace numpy_plugin::emit
