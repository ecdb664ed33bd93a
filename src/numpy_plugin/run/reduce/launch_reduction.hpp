// Launches of reductions, whatever they compute.
#pragma once

#include <memory>

#include "numpy_plugin/kernel/kernel.hpp"
#include "numpy_plugin/run/device/stream.hpp"
#include "numpy_plugin/run/launch/kernel_variants.hpp"
#include "numpy_plugin/run/reduce/reduce_plan.hpp"

namespace numpy_plugin::run {

inline constexpr std::size_t kReduceVariants = std::size(analysis::kReduceLaunches) *
                                               std::size(analysis::kDimensionLimits) *
                                               std::size(analysis::kDimensionLimits) * 4;
// The number of a form among them.
std::size_t reduce_variant(const analysis::ReduceForm& form);

struct PlannedReduction {
  const ReduceCall& call;
  const ReduceDimensions& dimensions;
  const ReducePlan& plan;
};

// Makes one launch. Call without the GIL. `kernel` may raise; it also names the reduction. Throws
// base::Error (kValue), load::CudaError.
void launch_reduction(const std::shared_ptr<Stream>& stream, const PlannedReduction& planned,
                      const LoadedKernel& launched,
                      std::shared_ptr<const declare::TypedKernel> kernel);

}  // namespace numpy_plugin::run
