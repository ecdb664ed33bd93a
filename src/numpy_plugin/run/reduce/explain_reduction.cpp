#include "numpy_plugin/run/reduce/launch_reduction.hpp"

#include <algorithm>

#include <npp/reduce/arguments.hpp>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/run/launch/launch_choice.hpp"

namespace numpy_plugin::run {
namespace {

using analysis::ReduceLaunch;
using base::counted;

// The elements of each result, and their chunks.
std::string elements_text(const PlannedReduction& planned) {
  const std::int64_t n = planned.dimensions.elements().n_elements();
  const std::int64_t n_results = planned.dimensions.results().n_elements();
  const std::string of = n_results == 1 ? "the whole, " : counted(n_results, "result") + " of ";
  const std::int64_t n_chunks = planned.plan.n_chunks;
  return of + counted(n, "element") + (n_chunks > 1 ? " in " + counted(n_chunks, "chunk") : "");
}

std::string scan_text(const PlannedReduction& planned) {
  return format("{} of {} in {}", counted(planned.dimensions.results().n_elements(), "line"),
                counted(planned.dimensions.elements().n_elements(), "element"),
                counted(planned.plan.n_chunks, "tile"));
}

std::string segments_text(const PlannedReduction& planned) {
  return counted(planned.call.segments.n_indices, "segment") + " of a line";
}

std::string reason_of(const PlannedReduction& planned, const std::string& why_in_order) {
  const std::string in_order =
      format("NumPy's order, because {}: a thread for each ", why_in_order);
  switch (planned.plan.form.launch) {
    case ReduceLaunch::kWarpRows:
      return "rows: a warp for each chunk, one element at a time; " + elements_text(planned);
    case ReduceLaunch::kVectorRows:
      return "rows: a warp for each chunk, in aligned vectors; " + elements_text(planned);
    case ReduceLaunch::kColumns:
      return "columns: a warp for 32 adjacent results; " + elements_text(planned);
    case ReduceLaunch::kTeamColumns:
      return "columns: eight warps for 32 adjacent results; " + elements_text(planned);
    case ReduceLaunch::kSegments:
      return "segments: a warp for each chunk of " + segments_text(planned);
    case ReduceLaunch::kColumnSegments:
      return "segments: a warp for each chunk of 32 adjacent lines; " + segments_text(planned);
    case ReduceLaunch::kTeamColumnSegments:
      return "segments: eight warps for each chunk of 32 adjacent lines; " + segments_text(planned);
    case ReduceLaunch::kScan:
      return "scan: a block for each tile; " + scan_text(planned);
    case ReduceLaunch::kScanColumns:
      return "scan: a thread for each line; " + scan_text(planned);
    case ReduceLaunch::kInOrder:
      return format("{}result; {}", in_order, elements_text(planned));
    case ReduceLaunch::kSegmentsInOrder:
      return format("{}of {}", in_order, segments_text(planned));
    case ReduceLaunch::kScanInOrder:
      return format("{}line; {}", in_order, scan_text(planned));
  }
  NPP_ASSERT(false, why_in_order);
  return {};
}

std::int64_t n_elements(const ReduceCall& call) {
  std::int64_t n = 1;
  for (const std::int64_t size : call.shape) n *= size;
  return n;
}

std::uint64_t operand_bytes(const ReduceCall& call) {
  std::uint64_t n_bytes = call.is_masked() ? sizeof(bool) : 0;
  for (std::size_t i = 0; i < call.n_inputs; ++i) n_bytes += call.operands[i].item_bytes();
  return n_bytes * static_cast<std::uint64_t>(n_elements(call));
}

std::size_t vector_bytes(const PlannedReduction& planned) {
  if (planned.plan.form.launch != ReduceLaunch::kVectorRows) return 0;
  std::size_t widest = 0;
  for (std::size_t i = 0; i < planned.call.n_inputs; ++i) {
    widest = std::max(widest, std::min<std::size_t>(4 * planned.call.operands[i].item_bytes(), 16));
  }
  return widest;
}

int n_driver_calls(const PlannedReduction& planned) {
  // Memory of each result, and the launch.
  int n = static_cast<int>(planned.call.n_outputs) + 1;
  // Scratch memory: allocated, its tickets cleared, freed.
  if (planned.plan.scratch.n_tickets > 0) n += 3;
  // Indices: likewise, but copied, and waited for.
  if (planned.call.method == ReduceMethod::kSegments) n += 4;
  return n;
}

}  // namespace

ReductionExplanation explain_reduction(const PlannedReduction& planned,
                                       const std::string& why_in_order) {
  const ReducePlan& plan = planned.plan;
  ReductionExplanation found;
  found.form = analysis::info(plan.form.launch).name;
  found.reason = reason_of(planned, why_in_order);
  found.is_wide = plan.form.is_wide;
  found.grid = plan.n_blocks;
  found.block = npp::kReduceThreads;
  found.elements_per_thread = blocks_of(n_elements(planned.call), found.grid * found.block);
  found.vector_bytes = vector_bytes(planned);
  found.n_chunks = plan.n_chunks;
  found.operand_bytes = operand_bytes(planned.call);
  found.scratch_bytes = plan.scratch.item_bytes + plan.scratch.n_tickets * sizeof(std::uint32_t);
  found.n_driver_calls = n_driver_calls(planned);
  return found;
}

std::vector<std::string> cast_texts(base::DType accumulator, base::DType stored_input,
                                    base::DType stored_output) {
  std::vector<std::string> texts;
  const std::string own(base::name(accumulator));
  if (stored_input != accumulator) {
    texts.push_back(format("the array: {} to {}", base::name(stored_input), own));
  }
  if (stored_output != accumulator) {
    texts.push_back(format("the result: {} to {}", own, base::name(stored_output)));
  }
  return texts;
}

}  // namespace numpy_plugin::run
