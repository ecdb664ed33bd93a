#include "numpy_plugin/run/reduce/launch_reduction.hpp"

#include <algorithm>
#include <utility>

#include <npp/reduce/arguments.hpp>

#include "numpy_plugin/run/launch/launch_arguments.hpp"
#include "numpy_plugin/run/launch/launch_kernel.hpp"
#include "numpy_plugin/run/memory/device_copy.hpp"

namespace numpy_plugin::run {
namespace {

constexpr std::size_t kLimits = std::size(analysis::kDimensionLimits);

std::size_t limit_index(int n_dimensions) {
  const auto* const found = std::find(std::begin(analysis::kDimensionLimits),
                                      std::end(analysis::kDimensionLimits), n_dimensions);
  return static_cast<std::size_t>(found - std::begin(analysis::kDimensionLimits));
}

// Items and zeroed tickets of a launch; null where there is one chunk per result. A recorded launch
// keeps them.
std::shared_ptr<DeviceBuffer> make_scratch(const std::shared_ptr<Stream>& stream,
                                           const ReduceScratch& scratch, const std::string& name) {
  if (scratch.n_tickets == 0) return nullptr;
  const std::size_t ticket_bytes = scratch.n_tickets * sizeof(std::uint32_t);
  auto buffer = std::make_shared<DeviceBuffer>(stream, scratch.item_bytes + ticket_bytes,
                                               "scratch memory of " + name);
  if (stream->recording() != nullptr) stream->recording()->buffers.push_back(buffer);
  clear(stream, buffer, static_cast<std::int64_t>(scratch.item_bytes),
        static_cast<std::int64_t>(ticket_bytes));
  return buffer;
}

void put_dimensions(ArgumentBuffer& arguments, const Iteration& iteration, int room, bool is_wide) {
  put_strided_fields(arguments, iteration,
                     {.n_dimensions = static_cast<std::size_t>(room), .is_wide = is_wide});
}

void pack_reduction(const ReduceCall& call, const ReduceDimensions& dimensions,
                    const ReducePlan& plan, std::uint64_t scratch, ArgumentBuffer& arguments) {
  const Segments& segments = call.segments;
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    std::int64_t offset = dimensions.results().offset(i);
    if (i + 1 == call.operands.size()) offset += segments.first * segments.output_stride;
    put_operand(arguments, call.operands[i],
                call.operands[i].address + static_cast<std::uint64_t>(offset));
  }
  arguments.put(npp::ReduceFields{
      .scratch = scratch,
      .tickets = scratch + plan.scratch.item_bytes,
      .n_chunks = static_cast<std::uint64_t>(plan.n_chunks),
      .has_initial = call.initial.empty() ? 0u : 1u,
      .indices = segments.indices + static_cast<std::uint64_t>(segments.first) * sizeof(npp::int64),
      .n_indices = static_cast<std::uint64_t>(segments.n_indices - segments.first),
      .n_segments = static_cast<std::uint64_t>(segments.n),
      .segment_stride = segments.output_stride,
      .most_chunks = static_cast<std::uint64_t>(plan.most_chunks),
      .padding = 0,
  });
  if (call.initial.empty()) {
    arguments.put_zeros(plan.initial_bytes);
  } else {
    NPP_ASSERT(call.initial.size() == plan.initial_bytes, std::to_string(call.initial.size()));
    arguments.put_bytes(call.initial);
  }
  put_dimensions(arguments, dimensions.results(), plan.form.n_dimensions, plan.form.is_wide);
  put_dimensions(arguments, dimensions.elements(), plan.form.n_reduced, plan.form.is_wide);
}

}  // namespace

std::size_t reduce_variant(const analysis::ReduceForm& form) {
  std::size_t variant = static_cast<std::size_t>(form.launch);
  variant = variant * kLimits + limit_index(form.n_dimensions);
  variant = variant * kLimits + limit_index(form.n_reduced);
  return variant * 4 + (form.is_masked ? 2 : 0) + (form.is_wide ? 1 : 0);
}

void launch_reduction(const std::shared_ptr<Stream>& stream, const PlannedReduction& planned,
                      const LoadedKernel& launched,
                      std::shared_ptr<const declare::TypedKernel> kernel) {
  const auto& [call, dimensions, plan] = planned;
  const std::int64_t n = dimensions.elements().n_elements();
  NPP_ASSERT(n > 0 && dimensions.results().n_elements() > 0, kernel->name);
  const unsigned grid = checked_grid(plan.n_blocks, n);
  const auto scratch = make_scratch(
      stream, plan.scratch, format("{}.{}", kernel->name, analysis::method_name(plan.form.launch)));
  ArgumentBuffer arguments;
  pack_reduction(call, dimensions, plan, scratch == nullptr ? 0 : scratch->address(), arguments);
  launch_and_check(std::move(kernel), stream,
                   {launched.function, launched.name, grid, npp::kReduceThreads}, arguments);
}

}  // namespace numpy_plugin::run
