#include "numpy_plugin/run/reduce/device_map_reduction.hpp"

#include <utility>

#include "numpy_plugin/run/reduce/launch_reduction.hpp"

namespace numpy_plugin::run {

DeviceMapReduction::DeviceMapReduction(const std::shared_ptr<Device>& device, Recipe recipe)
    : recipe_(std::move(recipe)), kernels_(device, recipe_.compile, kReduceVariants) {}

std::vector<base::DType> DeviceMapReduction::items() const {
  std::vector<base::DType> dtypes;
  for (const auto& output : map().signature.outputs) dtypes.push_back(output.dtype);
  return dtypes;
}

ReducePlan DeviceMapReduction::plan(const ReduceCall& call,
                                    const ReduceDimensions& dimensions) const {
  return plan_reduction(call, dimensions, item_layout(items()), /*is_reassociable=*/true);
}

emit::Source DeviceMapReduction::source(const ReducePlan& plan) const {
  return emit::emit_map_reduction(recipe_.program, plan.form, recipe_.has_number);
}

void DeviceMapReduction::launch(const std::shared_ptr<Stream>& stream,
                                const ReduceCall& call) const {
  const ReduceDimensions dimensions(call);
  const ReducePlan plan = this->plan(call, dimensions);
  const LoadedKernel& launched =
      kernels_.get(reduce_variant(plan.form), [&] { return source(plan); });
  launch_reduction(stream, {call, dimensions, plan}, launched, {shared_from_this(), &map()});
}

ReductionExplanation DeviceMapReduction::explain(const ReduceCall& call) const {
  const ReduceDimensions dimensions(call);
  const ReducePlan plan = this->plan(call, dimensions);
  ReductionExplanation found = explain_reduction({call, dimensions, plan}, "");
  found.is_loaded = kernels_.is_loaded(reduce_variant(plan.form));
  found.source = source(plan);
  return found;
}

}  // namespace numpy_plugin::run
