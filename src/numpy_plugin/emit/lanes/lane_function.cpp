// The signature and scope of the function.
#include "numpy_plugin/emit/lanes/lane_function.hpp"

#include <set>

#include "numpy_plugin/analysis/lanes/lane_plan.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/emit/lanes/lane_statement.hpp"
#include "numpy_plugin/emit/printing/cpp_text.hpp"

namespace numpy_plugin::emit {
namespace {

using declare::Function;

constexpr int kIndent = 4;

// Unlike the names of the scalar forms, which `call` finds outside of the struct, it does not end
// in a number.
std::string name_in_lanes(const Function& function, std::size_t index) {
  return cpp_identifier(format("{}_{}_lanes", function.name, index));
}

Scope make_scope(const declare::PythonKernel& kernel, const Function& function) {
  Scope scope;
  if (!kernel.exceptions.empty()) scope.errors = scope.names.add("errors");
  for (std::size_t i = 0; i < kernel.device_functions.size(); ++i)
    scope.device_functions.push_back(scope.names.add(name_in_lanes(kernel.device_functions[i], i)));
  for (const declare::Local& local : function.locals)
    scope.locals.push_back(scope.names.add(local.name));
  return scope;
}

// `mask`: of a function that takes one; else empty.
std::string print_function(const std::string& name, const Function& function, const Scope& scope,
                           const std::string& mask, const LaneWriter& writer) {
  std::vector<std::string> parameters;
  if (!mask.empty()) parameters.push_back(format("{} {}", writer.mask_type(), mask));
  for (std::size_t i = 0; i < function.n_parameters; ++i)
    parameters.push_back(format("{} {}", writer.type(function.locals[i].type), scope.locals[i]));
  if (!scope.errors.empty())
    parameters.insert(parameters.begin(), format("{}& {}", writer.errors_type(), scope.errors));
  return format("  NPP_FUNCTION static {} {}({}) {\n{}  }\n", writer.type(function.result), name,
                base::join(parameters, ", "), writer.text());
}

std::string device_function(const declare::PythonKernel& kernel,
                            const analysis::LanePlan& kernel_plan, std::size_t index) {
  const Function& function = kernel.device_functions[index];
  const analysis::LanePlan plan = kernel_plan.of_called(index);
  Scope scope = make_scope(kernel, function);
  const std::string mask = plan.called[index].is_guarded ? scope.names.add("active") : "";
  LaneWriter writer(scope.names, plan.size, kIndent);
  LaneStatementPrinter(function, plan, scope, writer).print_under(mask);
  return print_function(scope.device_functions[index], function, scope, mask, writer);
}

std::string refilled_function(const declare::PythonKernel& kernel, const analysis::LanePlan& plan) {
  Scope scope = make_scope(kernel, kernel.function);
  const std::string elements = scope.names.add("elements");
  if (!kernel.exceptions.empty()) scope.errors = elements;
  LaneWriter writer(scope.names, plan.size, kIndent);
  LaneStatementPrinter(kernel.function, plan, scope, writer).print_refilled(elements);
  return format(
      "  static constexpr bool kRefillsLanes = true;\n"
      "  template <class Elements>\n"
      "  NPP_FUNCTION static void refilled_lanes(Elements& {}) {\n"
      "{}  }\n",
      elements, writer.text());
}

// "npp::CoreLanes<double, 8, 3, 3>".
std::string core_type(const declare::TypedKernel& kernel, const analysis::LanePlan& plan,
                      std::size_t operand) {
  const Function& function = std::get<declare::PythonKernel>(kernel.body).function;
  const std::string element(base::info(function.locals[operand].type.dtype).cpp_name);
  const std::string arguments = format("{}, {}", element, plan.size);
  const analysis::CoreForm form = analysis::core_form(kernel, operand);
  if (form == analysis::CoreForm::kNumber) return format("npp::Lanes<{}>", arguments);
  if (form == analysis::CoreForm::kRead)
    return format("npp::CoreReads<{}, {}>", arguments, generalized_types(kernel)[operand]);
  std::string type =
      (form == analysis::CoreForm::kResult ? "npp::CoreResults<" : "npp::CoreLanes<") + arguments;
  for (const declare::CoreDimension& core : kernel.layout->operands[operand]) {
    const auto name = static_cast<std::size_t>(core.name_index);
    type += format(", {}", kernel.layout->names[name].frozen_size);
  }
  // A result without core dimensions is an array of one element.
  return type + (kernel.layout->operands[operand].empty() ? ", 1>" : ">");
}

std::vector<std::string> core_types(const declare::TypedKernel& kernel,
                                    const analysis::LanePlan& plan) {
  std::vector<std::string> types;
  for (std::size_t i = 0; i < kernel.layout->operands.size(); ++i)
    types.push_back(core_type(kernel, plan, i));
  return types;
}

std::string generalized_function(const declare::TypedKernel& typed,
                                 const analysis::LanePlan& plan) {
  const auto& kernel = std::get<declare::PythonKernel>(typed.body);
  Scope scope = make_scope(kernel, kernel.function);
  LaneWriter writer(scope.names, plan.size, kIndent);
  LaneStatementPrinter(kernel.function, plan, scope, writer).print();
  const std::vector<std::string> types = core_types(typed, plan);
  std::vector<std::string> parameters;
  if (!scope.errors.empty())
    parameters.push_back(format("{}& {}", writer.errors_type(), scope.errors));
  for (std::size_t i = 0; i < types.size(); ++i)
    parameters.push_back(format("{}& {}", types[i], scope.locals[i]));
  return format(
      "  using LaneOperands = npp::Types<{}>;\n"
      "  NPP_FUNCTION static void lanes({}) {\n"
      "{}  }\n",
      base::join(types, ", "), base::join(parameters, ", "), writer.text());
}

std::string lane_function(const declare::TypedKernel& typed, const analysis::LanePlan& plan) {
  if (plan.is_generalized) return generalized_function(typed, plan);
  const auto& kernel = std::get<declare::PythonKernel>(typed.body);
  Scope scope = make_scope(kernel, kernel.function);
  LaneWriter writer(scope.names, plan.size, kIndent);
  LaneStatementPrinter(kernel.function, plan, scope, writer).print();
  return print_function("lanes", kernel.function, scope, "", writer);
}

std::string all_functions(const declare::TypedKernel& typed,
                          const analysis::LaneDecision& decision) {
  const auto& kernel = std::get<declare::PythonKernel>(typed.body);
  std::string text;
  for (std::size_t i = 0; i < kernel.device_functions.size(); ++i)
    text += device_function(kernel, *decision.plan, i);
  text += lane_function(typed, *decision.plan);
  if (!decision.refilling) return text;
  return text + refilled_function(kernel, *decision.refilling);
}

}  // namespace

std::string lane_condition(const analysis::LanePlan& plan) {
  const std::string has_own_math = format("NPP_LIBMVEC < {}", plan.library_since);
  switch (plan.target) {
    case analysis::LanePlan::Target::kAny:
      return "NPP_LANES";
    case analysis::LanePlan::Target::kWideOrOwnMath:
      return format("NPP_LANES && (NPP_MASK_REGISTERS || {})", has_own_math);
    case analysis::LanePlan::Target::kOwnMath:
      return format("NPP_LANES && {}", has_own_math);
    case analysis::LanePlan::Target::kOnlyAvx2:
      return "NPP_LANES && !NPP_MASK_REGISTERS && !NPP_NEON";
  }
  return "NPP_LANES";
}

std::string print_lane_members(const declare::TypedKernel& kernel,
                               const analysis::LaneDecision& decision) {
  if (!decision.plan) return "";
  return format("#if {}\n  static constexpr int kLaneSize = {};\n{}#endif\n",
                lane_condition(*decision.plan), decision.plan->size,
                all_functions(decision.kernel ? *decision.kernel : kernel, decision));
}

std::string print_lane_include(const std::vector<analysis::LaneDecision>& decisions) {
  std::set<std::string> conditions;
  bool is_generalized = false, has_loops = false, is_refilled = false, has_times = false;
  for (const analysis::LaneDecision& decision : decisions) {
    if (!decision.plan) continue;
    conditions.insert(format("({})", lane_condition(*decision.plan)));
    is_generalized |= decision.plan->is_generalized;
    has_loops |= decision.plan->has_loops;
    is_refilled |= decision.refilling.has_value();
    has_times |= decision.plan->has_times;
  }
  if (conditions.empty()) return "";
  const std::string head = format("#include \"npp/cpu/lanes/target.hpp\"\n#if {}\n",
                                  base::join({conditions.begin(), conditions.end()}, " || "));
  const std::string times = has_times ? "#include \"npp/cpu/lanes/time.hpp\"\n" : "";
  // Each operand has several vectors for each part.
  if (is_generalized)
    return head + "#define NPP_LANE_PARTS 2\n#include \"npp/cpu/lanes/generalized.hpp\"\n" + times +
           "#endif\n";
  return head + (has_loops ? "" : "#define NPP_LANE_PARTS 1\n") +
         (is_refilled ? "#include \"npp/cpu/lanes/refill.hpp\"\n"
                      : "#include \"npp/cpu/lanes/blocks.hpp\"\n") +
         times + "#endif\n";
}

}  // namespace numpy_plugin::emit
