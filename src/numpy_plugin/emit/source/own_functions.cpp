// A kernel asks for a function by type, as every variant takes time to compile.
#include "numpy_plugin/emit/source/own_functions.hpp"

#include <functional>
#include <set>

#include "numpy_plugin/analysis/tree.hpp"
#include "numpy_plugin/emit/source/reproducible.hpp"

namespace numpy_plugin::emit {
namespace {

void visit_python(const Program& program,
                  const std::function<void(const declare::Expression&)>& visit) {
  for (const declare::TypedKernel& kernel : program.kernels) {
    const auto* const python = std::get_if<declare::PythonKernel>(&kernel.body);
    if (python == nullptr) continue;
    visit_expressions(python->function.body, visit);
    for (const declare::Function& function : python->device_functions)
      visit_expressions(function.body, visit);
  }
}

// float stands for the 16-bit types, too.
bool is_double(const declare::Expression& call) {
  return call.operands.front().type.dtype == base::DType::kFloat64;
}

bool is_power(const declare::Expression& expression) {
  return expression.kind == declare::ExpressionKind::kCall &&
         detail<declare::Operation>(expression) == declare::Operation::kPower &&
         base::is_floating(expression.type.dtype);
}

// The rows of a macro, "#define name(row) row(double, exp, exp)", and the headers they need.
struct Rows {
  std::set<std::string> of_one, of_two;
  std::set<std::string> headers;
};

std::string print_rows(const std::string& macro, const std::set<std::string>& rows) {
  std::string text = "#define " + macro + "(row)";
  for (const std::string& row : rows) text += " row" + row;
  return text + "\n";
}

}  // namespace

OwnFunctions own_vector_functions(const Program& program) {
  std::set<std::string> requests;
  visit_python(program, [&](const declare::Expression& expression) {
    if (!is_power(expression)) return;
    requests.insert(is_double(expression) ? "NPP_ASKS_FOR_POW" : "NPP_ASKS_FOR_POWF");
  });
  if (requests.empty()) return {};
  OwnFunctions own;
  for (const std::string& request : requests) own.before += "#define " + request + " 1\n";
  own.after = "#include \"npp/vector_math/power_variants.hpp\"\n";
  return own;
}

std::string print_reproducible(const Program& program) {
  if (program.math != declare::MathMode::kReproducible) return "";
  Rows rows;
  visit_python(program, [&](const declare::Expression& expression) {
    const ReproducibleFunction* const function = reproducible_function(expression);
    if (function == nullptr) return;
    const std::string type = is_double(expression) ? "double" : "float";
    (function->n_arguments == 1 ? rows.of_one : rows.of_two)
        .insert("(" + type + ", " + std::string(function->library_name) + ", " +
                std::string(function->own_name) + ")");
    rows.headers.insert(std::string(function->header));
  });
  std::string text = print_rows("NPP_REPRODUCIBLE_OF_ONE", rows.of_one) +
                     print_rows("NPP_REPRODUCIBLE_OF_TWO", rows.of_two);
  for (const std::string& header : rows.headers)
    text += "#include \"npp/vector_math/" + header + ".hpp\"\n";
  return text + "#include \"npp/vector_math/reproducible.hpp\"\n";
}

}  // namespace numpy_plugin::emit
