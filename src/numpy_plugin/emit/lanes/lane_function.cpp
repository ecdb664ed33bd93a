// The signature and scope of the function.
#include "numpy_plugin/emit/lanes/lane_function.hpp"

#include <set>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/emit/lanes/lane_statement.hpp"

namespace numpy_plugin::emit {
namespace {

using declare::Function;

constexpr int kIndent = 4;

// Unlike the names of the scalar forms, which `call` finds outside of the struct, it does not end
// in a number.
std::string name_in_lanes(const Function& function, std::size_t index) {
  return cpp_identifier(function.name + "_" + std::to_string(index) + "_lanes");
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
  if (!mask.empty()) parameters.push_back(writer.mask_type() + " " + mask);
  for (std::size_t i = 0; i < function.n_parameters; ++i)
    parameters.push_back(writer.type(function.locals[i].type) + " " + scope.locals[i]);
  if (!scope.errors.empty())
    parameters.insert(parameters.begin(), writer.errors_type() + "& " + scope.errors);
  return "  NPP_FUNCTION static " + writer.type(function.result) + " " + name + "(" +
         base::join(parameters, ", ") + ") {\n" + writer.text() + "  }\n";
}

std::string device_function(const declare::PythonKernel& kernel, const LanePlan& kernel_plan,
                            std::size_t index) {
  const Function& function = kernel.device_functions[index];
  const LanePlan plan = kernel_plan.of_called(index);
  Scope scope = make_scope(kernel, function);
  const std::string mask = plan.called[index].is_guarded ? scope.names.add("active") : "";
  LaneWriter writer(scope.names, plan.size, kIndent);
  LaneStatementPrinter(function, plan, scope, writer).print_under(mask);
  return print_function(scope.device_functions[index], function, scope, mask, writer);
}

std::string refilled_function(const declare::PythonKernel& kernel, const LanePlan& plan) {
  Scope scope = make_scope(kernel, kernel.function);
  const std::string elements = scope.names.add("elements");
  LaneWriter writer(scope.names, plan.size, kIndent);
  LaneStatementPrinter(kernel.function, plan, scope, writer).print_refilled(elements);
  return "  static constexpr bool kRefillsLanes = true;\n  template <class Elements>\n  "
         "NPP_FUNCTION static void refilled_lanes(Elements& " +
         elements + ") {\n" + writer.text() + "  }\n";
}

std::string lane_function(const declare::PythonKernel& kernel, const LanePlan& plan) {
  if (plan.refilled) return refilled_function(kernel, plan);
  Scope scope = make_scope(kernel, kernel.function);
  LaneWriter writer(scope.names, plan.size, kIndent);
  LaneStatementPrinter(kernel.function, plan, scope, writer).print();
  return print_function("lanes", kernel.function, scope, "", writer);
}

std::string all_functions(const declare::PythonKernel& kernel, const LanePlan& plan) {
  std::string text;
  for (std::size_t i = 0; i < kernel.device_functions.size(); ++i)
    text += device_function(kernel, plan, i);
  return text + lane_function(kernel, plan);
}

}  // namespace

std::string lane_condition(const LanePlan& plan) {
  const std::string has_lanes =
      plan.needs_mask_registers ? "NPP_LANES && NPP_MASK_REGISTERS" : "NPP_LANES";
  const std::string has_own_math = "NPP_LIBMVEC < " + std::to_string(plan.library_since);
  switch (plan.target) {
    case LanePlan::Target::kAny:
      return has_lanes;
    case LanePlan::Target::kWideOrOwnMath:
      return plan.needs_mask_registers
                 ? has_lanes
                 : has_lanes + " && (NPP_MASK_REGISTERS || " + has_own_math + ")";
    case LanePlan::Target::kOwnMath:
      return has_lanes + " && " + has_own_math;
  }
  return has_lanes;
}

std::string print_lane_members(const declare::TypedKernel& kernel, const LaneDecision& decision) {
  if (!decision.plan) return "";
  return "#if " + lane_condition(*decision.plan) +
         "\n  static constexpr int kLaneSize = " + std::to_string(decision.plan->size) + ";\n" +
         all_functions(std::get<declare::PythonKernel>(kernel.body), *decision.plan) + "#endif\n";
}

std::string print_lane_include(const std::vector<LaneDecision>& decisions) {
  std::set<std::string> conditions;
  bool has_loops = false, is_refilled = false;
  for (const LaneDecision& decision : decisions) {
    if (!decision.plan) continue;
    conditions.insert("(" + lane_condition(*decision.plan) + ")");
    has_loops |= decision.plan->has_loops;
    is_refilled |= decision.plan->refilled.has_value();
  }
  if (conditions.empty()) return "";
  return "#include \"npp/cpu/lanes/target.hpp\"\n#if " +
         base::join({conditions.begin(), conditions.end()}, " || ") + "\n" +
         (has_loops ? "" : "#define NPP_LANE_PARTS 1\n") +
         (is_refilled ? "#include \"npp/cpu/lanes/refill.hpp\"\n"
                      : "#include \"npp/cpu/lanes/blocks.hpp\"\n") +
         "#endif\n";
}

}  // namespace numpy_plugin::emit
