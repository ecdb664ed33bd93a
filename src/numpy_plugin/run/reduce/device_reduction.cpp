#include "numpy_plugin/run/reduce/device_reduction.hpp"

#include <utility>

#include "numpy_plugin/run/reduce/launch_reduction.hpp"

namespace numpy_plugin::run {

DeviceReduction::DeviceReduction(const std::shared_ptr<Device>& device, Recipe recipe)
    : recipe_(std::move(recipe)), kernels_(device, recipe_.compile, kReduceVariants) {}

ReducePlan DeviceReduction::plan(const ReduceCall& call, const ReduceDimensions& dimensions) const {
  const ReducePlan plan =
      plan_reduction(call, dimensions, item_layout({&kernel().signature.outputs[0].dtype, 1}),
                     recipe_.why_in_order.empty());
  NPP_ASSERT(plan.form.stored_input == recipe_.stored_input &&
                 plan.form.stored_output == recipe_.stored_output,
             recipe_.program.name);
  return plan;
}

emit::Source DeviceReduction::source(const ReducePlan& plan) const {
  return emit::emit_reduction(recipe_.program, plan.form);
}

void DeviceReduction::launch(const std::shared_ptr<Stream>& stream, const ReduceCall& call) const {
  const ReduceDimensions dimensions(call);
  if (call.method != ReduceMethod::kSegments) return launch_once(stream, call, dimensions);
  ReduceCall part = call;
  Segments& segments = part.segments;
  for (; segments.first < segments.n_indices; segments.first += segments.n) {
    segments.n = segments_at_once(part, dimensions);
    launch_once(stream, part, dimensions);
  }
}

void DeviceReduction::launch_once(const std::shared_ptr<Stream>& stream, const ReduceCall& call,
                                  const ReduceDimensions& dimensions) const {
  const ReducePlan plan = this->plan(call, dimensions);
  const LoadedKernel& launched =
      kernels_.get(reduce_variant(plan.form), [&] { return source(plan); });
  launch_reduction(stream, {call, dimensions, plan}, launched, {shared_from_this(), &kernel()});
}

ReductionExplanation DeviceReduction::explain(const ReduceCall& call) const {
  const ReduceDimensions dimensions(call);
  ReduceCall first = call;
  first.segments.n = segments_at_once(call, dimensions);
  const ReducePlan plan = this->plan(first, dimensions);
  ReductionExplanation found = explain_reduction({first, dimensions, plan}, recipe_.why_in_order);
  found.casts = cast_texts(kernel().signature.outputs[0].dtype, plan.form.stored_input,
                           plan.form.stored_output);
  found.is_loaded = kernels_.is_loaded(reduce_variant(plan.form));
  found.source = source(plan);
  return found;
}

}  // namespace numpy_plugin::run
