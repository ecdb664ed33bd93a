// Launches of reductions, whatever they compute, and their explanation from the same plan.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "numpy_plugin/emit/source/emit.hpp"
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

// How a reduction is launched, and why.
struct ReductionExplanation {
  std::string form = {};           // "vector_rows"
  std::string reason = {};         // in words; also where nothing is launched
  std::vector<std::string> casts;  // "input: int32 to float32"
  bool is_wide = false;
  std::int64_t grid = 0;  // blocks; 0: no launch
  unsigned block = 0;     // threads
  std::int64_t elements_per_thread = 0;
  std::size_t vector_bytes = 0;  // of the widest access; 0 where elements are accessed one by one
  std::int64_t n_chunks = 0;     // of a result; of all segments of a line
  std::uint64_t operand_bytes = 0;  // of all elements and the mask, each once
  std::size_t scratch_bytes = 0;    // of the chunks' values and tickets
  int n_driver_calls = 0;           // with results to be allocated, and a loaded kernel
  bool is_loaded = false;           // the kernel, on this device
  emit::Source source = {};         // of the kernel; empty where nothing is launched
};

// `why_in_order` is the reason for a form that keeps the elements' order.
ReductionExplanation explain_reduction(const PlannedReduction& planned,
                                       const std::string& why_in_order);

// The casts between an accumulator and the input and the output in memory.
std::vector<std::string> cast_texts(base::DType accumulator, base::DType stored_input,
                                    base::DType stored_output);

}  // namespace numpy_plugin::run
