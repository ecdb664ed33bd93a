#include "numpy_plugin/run/reduce/reduce_plan.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <npp/reduce/arguments.hpp>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/run/launch/launch_choice.hpp"

namespace numpy_plugin::run {
namespace {

using analysis::ReduceLaunch;
using std::int64_t;
using std::size_t;

// As templates/npp/reduce/tree.hpp has it.
constexpr int64_t kChunk = 2048;
constexpr int64_t kScanTile = 4096;  // likewise scan.hpp
constexpr int64_t kScanGroup = 128;
constexpr int64_t kLanes = 32;
// Results of so few elements are shorter than a warp's access.
constexpr int64_t kShortLength = 32;
// From here on, a warp alone takes longer for a chunk than eight warps and a barrier.
constexpr int64_t kTeamLength = 64;
// So many lines keep a device busy with a thread each.
constexpr int64_t kManyLines = 2048;

// Bytes between an operand's first and last elements; the largest number where they overflow.
std::uint64_t reach(const Iteration& iteration, size_t operand) {
  std::uint64_t bytes = 0;
  for (size_t i = 0; i < iteration.n_dimensions(); ++i) {
    const auto steps = static_cast<std::uint64_t>(iteration.size(i) - 1);
    std::uint64_t of_dimension = 0;
    if (__builtin_mul_overflow(magnitude(iteration.strides(i)[operand]), steps, &of_dimension) ||
        __builtin_add_overflow(bytes, of_dimension, &bytes)) {
      return std::numeric_limits<int64_t>::max();
    }
  }
  return bytes;
}

// Bytes between the results of a line's first and last segments.
std::uint64_t reach_of_segments(const Segments& segments) {
  std::uint64_t bytes = 0;
  const auto steps = static_cast<std::uint64_t>(std::max<int64_t>(segments.n_indices - 1, 0));
  const bool overflows = __builtin_mul_overflow(magnitude(segments.output_stride), steps, &bytes);
  return overflows ? std::numeric_limits<int64_t>::max() : bytes;
}

bool is_narrow_reduction(const ReduceCall& call, const ReduceDimensions& dimensions) {
  constexpr auto kLimit = static_cast<std::uint64_t>(kNarrowLimit);
  for (size_t i = 0; i < call.operands.size(); ++i) {
    if (reach(dimensions.results(), i) + reach(dimensions.elements(), i) >= kLimit) return false;
  }
  if (reach(dimensions.results(), call.operands.size() - 1) + reach_of_segments(call.segments) >=
      kLimit) {
    return false;
  }
  const int64_t n_results = dimensions.results().n_elements();
  const int64_t n = dimensions.elements().n_elements();
  // Kernels count the chunks of all results.
  return n < kNarrowLimit && n_results < kNarrowLimit / std::max<int64_t>(blocks_of(n, kChunk), 1);
}

int dimension_limit(const Iteration& iteration) {
  const auto n = static_cast<int>(iteration.n_dimensions());
  return *std::lower_bound(std::begin(analysis::kDimensionLimits),
                           std::end(analysis::kDimensionLimits), n);
}

// Whether every four elements of each chunk are aligned for an access of up to 16 bytes.
bool has_vector_rows(const ReduceCall& call, const ReduceDimensions& dimensions) {
  const Iteration& elements = dimensions.elements();
  if (elements.n_dimensions() != 1 || elements.n_elements() < kChunk / 16) return false;
  for (size_t i = 0; i + call.n_outputs < call.operands.size(); ++i) {
    const auto item_bytes = static_cast<int64_t>(call.operands[i].item_bytes());
    const auto access = static_cast<std::uint64_t>(std::min<int64_t>(4 * item_bytes, 16));
    if (elements.strides(0)[i] != item_bytes) return false;
    const Iteration& results = dimensions.results();
    std::uint64_t places = call.operands[i].address + static_cast<std::uint64_t>(results.offset(i));
    for (size_t j = 0; j < results.n_dimensions(); ++j) places |= magnitude(results.strides(j)[i]);
    if (places % access != 0) return false;
  }
  return true;
}

// Whether results are nearer to each other than the elements of one are.
bool has_near_results(const ReduceDimensions& dimensions) {
  return magnitude(dimensions.results().strides(0)[0]) <
         magnitude(dimensions.elements().strides(0)[0]);
}

// As many results as lanes that are near to each other, or short ones.
bool has_columns(const ReduceDimensions& dimensions) {
  if (dimensions.results().n_elements() < kLanes) return false;
  return dimensions.elements().n_elements() <= kShortLength || has_near_results(dimensions);
}

ReduceLaunch form_in_order(ReduceMethod method) {
  if (method == ReduceMethod::kSegments) return ReduceLaunch::kSegmentsInOrder;
  return method == ReduceMethod::kAccumulate ? ReduceLaunch::kScanInOrder : ReduceLaunch::kInOrder;
}

ReduceLaunch form_of_segments(const ReduceCall& call, const ReduceDimensions& dimensions) {
  if (!has_columns(dimensions)) return ReduceLaunch::kSegments;
  const int64_t length = dimensions.elements().n_elements() / call.segments.n_indices;
  const bool is_short = std::min(length, call.segments.longest) <= kTeamLength;
  return is_short ? ReduceLaunch::kColumnSegments : ReduceLaunch::kTeamColumnSegments;
}

ReduceLaunch form_of_scan(const ReduceDimensions& dimensions) {
  const bool is_short = dimensions.elements().n_elements() <= kShortLength;
  const bool is_busy = is_short || dimensions.results().n_elements() >= kManyLines;
  return is_busy && has_columns(dimensions) ? ReduceLaunch::kScanColumns : ReduceLaunch::kScan;
}

ReduceLaunch choose_form(const ReduceCall& call, const ReduceDimensions& dimensions,
                         bool is_reassociable) {
  if (!is_reassociable) return form_in_order(call.method);
  if (call.method == ReduceMethod::kSegments) return form_of_segments(call, dimensions);
  if (call.method == ReduceMethod::kAccumulate) return form_of_scan(dimensions);
  if (has_columns(dimensions)) {
    const bool is_short = dimensions.elements().n_elements() <= kTeamLength;
    return is_short ? ReduceLaunch::kColumns : ReduceLaunch::kTeamColumns;
  }
  return has_vector_rows(call, dimensions) ? ReduceLaunch::kVectorRows : ReduceLaunch::kWarpRows;
}

int64_t round_up_to(int64_t number, int64_t multiple) {
  return blocks_of(number, multiple) * multiple;
}

size_t n_bytes_of(base::DType dtype) { return base::info(dtype).n_bytes; }

int64_t alignment_of(base::DType dtype) {
  const auto n_bytes = static_cast<int64_t>(n_bytes_of(dtype));
  return base::is_complex(dtype) ? n_bytes / 2 : n_bytes;
}

// Size of npp::Partial of the accumulator with a mask.
int64_t scratch_item_bytes(ItemLayout accumulator, bool is_masked) {
  const auto n_bytes = static_cast<int64_t>(accumulator.n_bytes);
  if (!is_masked) return n_bytes;
  const auto alignment = static_cast<int64_t>(accumulator.alignment);
  return round_up_to(round_up_to(n_bytes, 4) + 4, std::max<int64_t>(alignment, 4));
}

// `n_counted` is the number of results, or of groups of results, that have tickets of their own.
ReduceScratch scratch_of(int64_t n_chunks, int64_t n_results, int64_t n_counted,
                         int64_t item_bytes) {
  int64_t n_items = 0, n_tickets = 0;
  while (n_chunks > 1) {
    n_items += n_results * n_chunks;
    n_chunks = blocks_of(n_chunks, kChunk);
    n_tickets += n_counted * n_chunks;
  }
  return {static_cast<size_t>(round_up_to(n_items * item_bytes, 16)),
          static_cast<size_t>(n_tickets)};
}

// As templates/npp/reduce/scan.hpp has it.
ReduceScratch scratch_of_scan(int64_t n_tiles, int64_t n_lines, int64_t item_bytes) {
  if (n_tiles == 1) return {};
  constexpr int64_t kItemsOfGroup = 3;
  const int64_t n_groups = n_tiles > kScanGroup ? blocks_of(n_tiles, kScanGroup) : 0;
  const int64_t n_items = n_lines * (n_tiles + kItemsOfGroup * n_groups);
  return {static_cast<size_t>(round_up_to(n_items * item_bytes, 16)),
          static_cast<size_t>(1 + n_lines * (n_tiles + n_groups))};
}

bool has_strips(ReduceLaunch launch) {
  return launch == ReduceLaunch::kColumns || launch == ReduceLaunch::kTeamColumns ||
         launch == ReduceLaunch::kColumnSegments || launch == ReduceLaunch::kTeamColumnSegments;
}

// Whether each result's chunks are spread over warps.
bool has_chunks(ReduceLaunch launch) {
  return launch == ReduceLaunch::kColumns || launch == ReduceLaunch::kTeamColumns ||
         launch == ReduceLaunch::kWarpRows || launch == ReduceLaunch::kVectorRows;
}

// Teams of a line's segments and the room for their items, as templates/npp/reduce/segments.hpp has
// it.
void plan_segments(const Segments& segments, const ReduceDimensions& dimensions, int64_t item_bytes,
                   ReducePlan& plan) {
  plan.n_chunks = segments.n;
  if (plan.form.launch == ReduceLaunch::kSegmentsInOrder) {
    plan.most_chunks = has_near_results(dimensions) ? 1 : 0;
    return;
  }
  const int64_t most_chunks = blocks_of(segments.longest, kChunk);
  if (most_chunks == 1) return;
  const int64_t n_lines = dimensions.results().n_elements();
  int64_t n_slots = dimensions.elements().n_elements() / kChunk;
  if (segments.ascend) {
    plan.n_chunks += (dimensions.elements().n_elements() - 1) / kChunk;
  } else {
    plan.most_chunks = most_chunks;
    plan.n_chunks = n_slots = segments.n * most_chunks;
  }
  const int64_t n_counted = has_strips(plan.form.launch) ? blocks_of(n_lines, kLanes) : n_lines;
  plan.scratch = {static_cast<size_t>(round_up_to(2 * n_slots * n_lines * item_bytes, 16)),
                  static_cast<size_t>(n_slots * n_counted)};
}

// Warps for a number of results.
int64_t warps_of(ReduceLaunch launch, int64_t n_results, int64_t n_chunks) {
  const int64_t n_strips = blocks_of(n_results, kLanes);
  switch (launch) {
    case ReduceLaunch::kWarpRows:
    case ReduceLaunch::kVectorRows:
    case ReduceLaunch::kSegments:
      return n_results * n_chunks;
    case ReduceLaunch::kColumns:
    case ReduceLaunch::kColumnSegments:
      return n_strips * n_chunks;
    case ReduceLaunch::kTeamColumns:
    case ReduceLaunch::kTeamColumnSegments:
      return n_strips * n_chunks * npp::kReduceWarps;
    case ReduceLaunch::kScan:
      return n_results * n_chunks * npp::kReduceWarps;
    case ReduceLaunch::kSegmentsInOrder:
      return blocks_of(n_results * n_chunks, kLanes);
    case ReduceLaunch::kInOrder:
    case ReduceLaunch::kScanColumns:
    case ReduceLaunch::kScanInOrder:
      return n_strips;
  }
  NPP_ASSERT(false, std::to_string(static_cast<int>(launch)));
  return 0;
}

}  // namespace

// Sizes and strides of some of a call's dimensions.
class ReduceDimensions::Part {
 public:
  Part(const ReduceCall& call, bool is_reduced) {
    for (size_t axis = 0; axis < call.shape.size(); ++axis) {
      if (call.is_reduced[axis] != is_reduced) continue;
      for (size_t i = 0; i < call.operands.size(); ++i) {
        strides_[i][n_dimensions_] = call.operands[i].strides[axis];
      }
      shape_[n_dimensions_++] = call.shape[axis];
    }
    for (size_t i = 0; i < call.operands.size(); ++i) operands_[i] = strides_[i].data();
  }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  std::span<const int64_t> shape() const { return {shape_.data(), n_dimensions_}; }
  std::span<const int64_t* const> strides(size_t n_operands) const {
    return {operands_.data(), n_operands};
  }

 private:
  static constexpr size_t kMostOperands = kMaxOperands + 1;  // including a mask
  size_t n_dimensions_ = 0;
  std::array<int64_t, kMaxDimensions> shape_;
  std::array<std::array<int64_t, kMaxDimensions>, kMostOperands> strides_;
  std::array<const int64_t*, kMostOperands> operands_;
};

ReduceDimensions::ReduceDimensions(const ReduceCall& call)
    : ReduceDimensions(call, Part(call, false), Part(call, true)) {}

ReduceDimensions::ReduceDimensions(const ReduceCall& call, const Part& results,
                                   const Part& elements)
    : results_(results.shape(), results.strides(call.operands.size())),
      elements_(elements.shape(), elements.strides(call.operands.size()), call.order) {}

ItemLayout item_layout(std::span<const base::DType> dtypes) {
  int64_t alignment = 1;
  for (const base::DType dtype : dtypes) alignment = std::max(alignment, alignment_of(dtype));
  const auto end = static_cast<int64_t>(item_offsets(dtypes).back() + n_bytes_of(dtypes.back()));
  return {static_cast<size_t>(round_up_to(end, alignment)), static_cast<size_t>(alignment)};
}

std::vector<size_t> item_offsets(std::span<const base::DType> dtypes) {
  std::vector<size_t> offsets;
  int64_t end = 0;
  for (const base::DType dtype : dtypes) {
    offsets.push_back(static_cast<size_t>(round_up_to(end, alignment_of(dtype))));
    end = static_cast<int64_t>(offsets.back() + n_bytes_of(dtype));
  }
  return offsets;
}

int64_t segments_at_once(const ReduceCall& call, const ReduceDimensions& dimensions) {
  constexpr int64_t kMostTeams = int64_t{1} << 16;
  const Segments& segments = call.segments;
  const int64_t left = segments.n_indices - segments.first;
  if (segments.ascend || segments.longest <= kChunk) return left;
  const int64_t teams = blocks_of(segments.longest, kChunk) * dimensions.results().n_elements();
  return std::min(left, std::max<int64_t>(kMostTeams / teams, 1));
}

ReducePlan plan_reduction(const ReduceCall& call, const ReduceDimensions& dimensions,
                          ItemLayout accumulator, bool is_reassociable) {
  const int64_t n_results = dimensions.results().n_elements();
  ReducePlan plan;
  plan.form = {.launch = choose_form(call, dimensions, is_reassociable),
               .is_wide = !is_narrow_reduction(call, dimensions),
               .is_masked = call.is_masked(),
               .stored_input = call.operands.front().dtype,
               .stored_output = call.operands.back().dtype,
               .n_dimensions = dimension_limit(dimensions.results()),
               .n_reduced = dimension_limit(dimensions.elements())};
  plan.initial_bytes = blocks_of(static_cast<int64_t>(accumulator.n_bytes), 16) * 16;
  const ReduceLaunch launch = plan.form.launch;
  const int64_t n = dimensions.elements().n_elements();
  const int64_t item_bytes = scratch_item_bytes(accumulator, plan.form.is_masked);
  if (call.method == ReduceMethod::kSegments) {
    plan_segments(call.segments, dimensions, item_bytes, plan);
  } else if (launch == ReduceLaunch::kScan) {
    plan.n_chunks = blocks_of(n, kScanTile);
    plan.scratch = scratch_of_scan(plan.n_chunks, n_results, item_bytes);
  } else if (has_chunks(launch)) {
    plan.n_chunks = blocks_of(n, kChunk);
    plan.scratch =
        scratch_of(plan.n_chunks, n_results,
                   has_strips(launch) ? blocks_of(n_results, kLanes) : n_results, item_bytes);
  }
  plan.n_blocks = blocks_of(warps_of(launch, n_results, plan.n_chunks), npp::kReduceWarps);
  return plan;
}

}  // namespace numpy_plugin::run
