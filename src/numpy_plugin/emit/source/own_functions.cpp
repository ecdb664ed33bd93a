// A kernel asks for a function by type, as every variant takes time to compile, and for none that
// its lanes call themselves.
#include "numpy_plugin/emit/source/source_parts.hpp"

#include <functional>
#include <map>
#include <set>

#include "numpy_plugin/analysis/lanes/lane_form.hpp"
#include "numpy_plugin/analysis/tree.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/emit/lanes/lane_function.hpp"

namespace numpy_plugin::emit {
namespace {

using Visit = std::function<void(const declare::Expression&)>;

void visit_python(const declare::TypedKernel& kernel, const Visit& visit) {
  const auto* const python = std::get_if<declare::PythonKernel>(&kernel.body);
  if (python == nullptr) return;
  declare::visit_expressions(python->function.body, visit);
  for (const declare::Function& function : python->device_functions)
    declare::visit_expressions(function.body, visit);
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
  std::string text = format("#define {}(row)", macro);
  for (const std::string& row : rows) text += " row" + row;
  return text + "\n";
}

// Macros for targets on which some kernel that needs them has no lanes.
class RequestsWithoutLanes {
 public:
  void add(const std::string& macro, const analysis::LaneDecision& decision) {
    conditions_[macro].insert(decision.plan ? lane_condition(*decision.plan) : "0");
  }
  bool empty() const { return conditions_.empty(); }
  std::string print() const {
    std::map<std::set<std::string>, std::string> lines;
    for (const auto& [macro, conditions] : conditions_)
      lines[conditions] += format("#define {} 1\n", macro);
    std::string text;
    for (const auto& [conditions, defines] : lines) {
      const std::string all = base::join({conditions.begin(), conditions.end()}, " && ");
      const bool is_always = conditions.contains("0");
      text += is_always ? defines
                        : format("#include \"npp/cpu/lanes/target.hpp\"\n#if !({})\n{}#endif\n",
                                 all, defines);
    }
    return text;
  }

 private:
  std::map<std::string, std::set<std::string>> conditions_;  // for lanes of its kernels, by macro
};

std::string print_includes(const std::set<std::string>& headers) {
  std::string text;
  for (const std::string& header : headers)
    text += format("#include \"npp/vector_math/{}.hpp\"\n", header);
  return text;
}

// The headers of the functions that kernels' lanes call, on targets that have these lanes.
class LaneHeaders {
 public:
  void add(const declare::TypedKernel& kernel, const analysis::LanePlan& plan) {
    visit_python(kernel, [&](const declare::Expression& expression) {
      const analysis::OwnFunction* const function =
          analysis::own_lane_function(expression, plan.math);
      if (function != nullptr) headers_[lane_condition(plan)].insert(std::string(function->header));
    });
  }
  std::string print() const {
    std::string text;
    for (const auto& [condition, headers] : headers_)
      text += format("#if {}\n{}#endif\n", condition, print_includes(headers));
    return text;
  }

 private:
  std::map<std::string, std::set<std::string>> headers_;  // by condition
};

void add_requests(const declare::TypedKernel& kernel, const analysis::LaneDecision& decision,
                  RequestsWithoutLanes& requests) {
  visit_python(kernel, [&](const declare::Expression& expression) {
    if (is_power(expression))
      requests.add(is_double(expression) ? "NPP_ASKS_FOR_POW" : "NPP_ASKS_FOR_POWF", decision);
  });
}

}  // namespace

OwnFunctions own_functions_of_loops(const Program& program,
                                    const std::vector<analysis::LaneDecision>& decisions) {
  RequestsWithoutLanes requests;
  LaneHeaders headers;
  const bool is_reproducible = program.math == declare::MathMode::kReproducible;
  for (std::size_t i = 0; i < program.kernels.size(); ++i) {
    if (is_reproducible) requests.add("NPP_HAS_BLOCKS", decisions[i]);
    if (program.math == declare::MathMode::kVector)
      add_requests(program.kernels[i], decisions[i], requests);
    if (decisions[i].plan) headers.add(program.kernels[i], *decisions[i].plan);
  }
  const bool has_variants = !is_reproducible && !requests.empty();
  return {requests.print(),
          headers.print() + (has_variants ? print_includes({"power_variants"}) : "")};
}

std::string print_reproducible(const Program& program) {
  if (program.math != declare::MathMode::kReproducible) return "";
  Rows rows;
  for (const declare::TypedKernel& kernel : program.kernels) {
    visit_python(kernel, [&](const declare::Expression& expression) {
      const analysis::OwnFunction* const function = analysis::own_function(expression);
      if (function == nullptr) return;
      const std::string type = is_double(expression) ? "double" : "float";
      (function->n_arguments == 1 ? rows.of_one : rows.of_two)
          .insert(format("({}, {}, {})", type, function->library_name, function->own_name));
      rows.headers.insert(std::string(function->header));
    });
  }
  std::string text = print_rows("NPP_REPRODUCIBLE_OF_ONE", rows.of_one) +
                     print_rows("NPP_REPRODUCIBLE_OF_TWO", rows.of_two);
  return format("{}{}#include \"npp/vector_math/reproducible.hpp\"\n", text,
                print_includes(rows.headers));
}

}  // namespace numpy_plugin::emit
