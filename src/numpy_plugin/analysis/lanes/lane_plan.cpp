#include "numpy_plugin/analysis/lanes/lane_plan.hpp"

#include <algorithm>
#include <utility>

#include "numpy_plugin/analysis/lanes/complex_parts.hpp"
#include "numpy_plugin/analysis/lanes/lane_eligibility.hpp"

namespace numpy_plugin::analysis {
namespace {

using declare::Statement;
using declare::StatementKind;
using declare::ValueType;

// Device functions precede their callers.
void plan_called(const declare::PythonKernel& kernel, LanePlan& plan) {
  for (const declare::Function& function : kernel.device_functions)
    plan.called.push_back({find_uniform(function), find_live_locals(function),
                           has_guarded_parts(plan, function.body),
                           is_costly_in_lanes(plan, function.body)});
}

LaneDecision decide(const declare::TypedKernel& kernel, declare::MathMode math,
                    std::optional<std::size_t> refilled) {
  const auto& python = std::get<declare::PythonKernel>(kernel.body);
  LanePlan plan;
  plan.math = math;
  plan.uniform = find_uniform(python.function, refilled);
  plan_called(python, plan);
  Eligibility eligibility(math);
  if (kernel.layout)
    eligibility.generalized(python.function, plan.uniform);
  else
    eligibility.function(python.function, plan.uniform, refilled);
  if (kernel.layout) {
    for (const auto& output : kernel.signature.outputs)
      eligibility.type(ValueType::scalar(output.dtype), "results");
  } else {
    eligibility.type(python.function.result, "results");
  }
  for (std::size_t i = 0; i < plan.called.size(); ++i)
    eligibility.function(python.device_functions[i], plan.called[i].uniform);
  if (!eligibility.reason().empty()) return {{}, eligibility.reason()};
  if (eligibility.has_no_numbers()) return {{}, "bools only"};
  Profit profit{.kernel = python, .math = math};
  profit.block(python.function.body, false, false);
  if (std::string reason = why_not_worth(kernel, plan, profit); !reason.empty())
    return {{}, reason};
  plan.size = eligibility.size();
  if (!kernel.layout) plan.target = target_of(profit);  // others pay for their paths
  plan.library_since = profit.library_since;
  plan.has_loops = profit.has_loops;
  plan.has_times = profit.has_times;
  plan.live = find_live_locals(python.function);
  plan.refilled = refilled;
  plan.is_generalized = kernel.layout.has_value();
  return {std::move(plan), ""};
}

// Adds the second form. Both call the same functions, and have as many lanes.
void plan_refilling(const declare::TypedKernel& kernel, LaneDecision& decision) {
  const LanePlan& plan = *decision.plan;
  const auto refilled = find_refilled(std::get<declare::PythonKernel>(kernel.body), plan);
  if (!refilled) return;
  decision.refilling = decide(kernel, plan.math, refilled).plan;
  if (decision.refilling && decision.refilling->size != plan.size) decision.refilling.reset();
}

// Gives counters the size of the lanes: 4 bytes where they are the only larger numbers.
void convert_counters(const declare::TypedKernel& kernel, LaneDecision& decision) {
  for (const base::DType dtype : {base::DType::kInt32, base::DType::kInt64}) {
    auto converted = with_counters_of(kernel, dtype);
    if (!converted) continue;
    LaneDecision other = decide(*converted, decision.plan->math, {});
    if (!other.plan || other.plan->size != static_cast<int>(base::info(dtype).n_bytes)) continue;
    other.kernel = std::move(converted);
    decision = std::move(other);
    return;
  }
}

// Copying the parts of operands takes as long as what kernels without loops compute, which
// compilers vectorize with complex numbers, too.
bool pays_for_parts(const declare::TypedKernel& kernel, const LanePlan& plan) {
  return plan.has_loops || std::ranges::none_of(kernel.signature.inputs, [](const auto& input) {
           return base::is_complex(input.dtype);
         });
}

}  // namespace

LanePlan LanePlan::of_called(std::size_t function) const {
  LanePlan plan = *this;
  plan.uniform = called.at(function).uniform;
  plan.live = called.at(function).live;
  plan.refilled.reset();
  return plan;
}

bool parts_lanes(const Block& block) {
  return std::any_of(block.begin(), block.end(), [](const Statement& each) {
    switch (each.kind) {
      case StatementKind::kBreak:
      case StatementKind::kContinue:
      case StatementKind::kReturn:
      case StatementKind::kRaise:
        return true;
      case StatementKind::kWhile:
      case StatementKind::kForRange:
        return returns_inside(each);
      default:
        return parts_lanes(each.body) || parts_lanes(each.orelse);
    }
  });
}

bool returns_inside(const Statement& loop) {
  bool found = false;
  visit_statements(loop.body, [&](const Statement& each) {
    found |= each.kind == StatementKind::kReturn || each.kind == StatementKind::kRaise;
  });
  return found;
}

LaneDecision plan_lanes(const declare::TypedKernel& kernel, declare::MathMode math) {
  const auto* const python = std::get_if<declare::PythonKernel>(&kernel.body);
  if (python == nullptr) return {{}, "a body in C++"};
  if (python->prints) return {{}, "print"};
  if (auto parts = with_complex_parts(kernel, Differences::kPlain)) {
    LaneDecision decision = plan_lanes(*parts, math);
    if (!decision.plan) return decision;
    if (!pays_for_parts(kernel, *decision.plan)) return {{}, "complex operands without a loop"};
    if (!decision.kernel) decision.kernel = std::move(parts);
    decision.parts = with_complex_parts(kernel, Differences::kNegativeFactors);
    return decision;
  }
  LaneDecision decision = decide(kernel, math, {});
  if (!decision.plan || kernel.layout) return decision;
  convert_counters(kernel, decision);
  plan_refilling(decision.kernel ? *decision.kernel : kernel, decision);
  return decision;
}

}  // namespace numpy_plugin::analysis
