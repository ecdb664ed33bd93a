#include "numpy_plugin/run/reduce/device_reduction.hpp"

#include <utility>

#include "numpy_plugin/run/reduce/launch_reduction.hpp"

namespace numpy_plugin::run {

DeviceReduction::DeviceReduction(const std::shared_ptr<Device>& device, Recipe recipe)
    : recipe_(std::move(recipe)), kernels_(device, recipe_.compile, kReduceVariants) {}

void DeviceReduction::launch(const std::shared_ptr<Stream>& stream, const ReduceCall& call) const {
  const ReduceDimensions dimensions(call);
  const ReducePlan plan =
      plan_reduction(call, dimensions, item_layout({&kernel().signature.outputs[0].dtype, 1}),
                     recipe_.is_reassociable);
  NPP_ASSERT(plan.form.stored_input == recipe_.stored_input &&
                 plan.form.stored_output == recipe_.stored_output,
             recipe_.program.name);
  const LoadedKernel& launched = kernels_.get(
      reduce_variant(plan.form), [&] { return emit::emit_reduction(recipe_.program, plan.form); });
  launch_reduction(stream, {call, dimensions, plan}, launched, {shared_from_this(), &kernel()});
}

}  // namespace numpy_plugin::run
