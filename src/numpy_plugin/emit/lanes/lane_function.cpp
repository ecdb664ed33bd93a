// The signature and scope of the function.
#include "numpy_plugin/emit/lanes/lane_function.hpp"

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/emit/lanes/lane_statement.hpp"

namespace numpy_plugin::emit {
namespace {

using declare::Function;
using declare::ValueType;

std::string result_type(const Function& function, const LaneWriter& writer) {
  if (function.result.kind != ValueType::Kind::kTuple) return writer.type(function.result.dtype);
  std::vector<std::string> items;
  for (const ValueType& item : function.result.items) items.push_back(writer.type(item.dtype));
  return "npp::Tuple<" + base::join(items, ", ") + ">";
}

constexpr int kIndent = 4;

std::string refilled_function(const Function& function, const LanePlan& plan) {
  Scope scope;
  const std::string elements = scope.names.add("elements");
  for (const declare::Local& local : function.locals)
    scope.locals.push_back(scope.names.add(local.name));
  LaneWriter writer(scope.names, plan.size, kIndent);
  LaneStatementPrinter(function, plan, scope, writer).print_refilled(elements);
  return "  static constexpr bool kRefillsLanes = true;\n  template <class Elements>\n  "
         "NPP_FUNCTION static void refilled_lanes(Elements& " +
         elements + ") {\n" + writer.text() + "  }\n";
}

std::string lane_function(const declare::PythonKernel& kernel, const LanePlan& plan) {
  const Function& function = kernel.function;
  if (plan.refilled) return refilled_function(function, plan);
  Scope scope;
  if (!kernel.exceptions.empty()) scope.errors = scope.names.add("errors");
  for (const declare::Local& local : function.locals)
    scope.locals.push_back(scope.names.add(local.name));
  LaneWriter writer(scope.names, plan.size, kIndent);
  LaneStatementPrinter(function, plan, scope, writer).print();
  std::vector<std::string> parameters;
  if (!scope.errors.empty()) {
    parameters.push_back("npp::LaneErrors<" + std::to_string(plan.size) + ">& " + scope.errors);
  }
  for (std::size_t i = 0; i < function.n_parameters; ++i)
    parameters.push_back(writer.type(function.locals[i].type.dtype) + " " + scope.locals[i]);
  return "  NPP_FUNCTION static " + result_type(function, writer) + " lanes(" +
         base::join(parameters, ", ") + ") {\n" + writer.text() + "  }\n";
}

}  // namespace

std::string lane_condition(const LanePlan& plan) {
  return plan.needs_mask_registers ? "NPP_LANES && NPP_MASK_REGISTERS" : "NPP_LANES";
}

std::string print_lane_members(const declare::TypedKernel& kernel, const LaneDecision& decision) {
  if (!decision.plan) return "";
  return "#if " + lane_condition(*decision.plan) +
         "\n  static constexpr int kLaneSize = " + std::to_string(decision.plan->size) + ";\n" +
         lane_function(std::get<declare::PythonKernel>(kernel.body), *decision.plan) + "#endif\n";
}

std::string print_lane_include(const std::vector<LaneDecision>& decisions) {
  bool is_needed = false, has_loops = false, is_refilled = false;
  for (const LaneDecision& decision : decisions) {
    is_needed |= decision.plan.has_value();
    has_loops |= decision.plan && decision.plan->has_loops;
    is_refilled |= decision.plan && decision.plan->refilled;
  }
  if (!is_needed) return "";
  return std::string(has_loops ? "" : "#define NPP_LANE_PARTS 1\n") +
         (is_refilled ? "#include \"npp/cpu/lanes/refill.hpp\"\n"
                      : "#include \"npp/cpu/lanes/blocks.hpp\"\n");
}

}  // namespace numpy_plugin::emit
