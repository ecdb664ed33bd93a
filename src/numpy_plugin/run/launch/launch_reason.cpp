#include "numpy_plugin/run/launch/launch_reason.hpp"

#include "numpy_plugin/base/text.hpp"

namespace numpy_plugin::run {
namespace {

std::string operand_name(const PlacedCall& placed, std::size_t operand) {
  if (placed.is_input(operand)) return "input " + std::to_string(operand + 1);
  if (placed.is_mask(operand)) return "where=";
  const std::size_t first_output = placed.n_inputs + (placed.call.is_masked ? 1 : 0);
  return "output " + std::to_string(operand - first_output + 1);
}

std::string vector_text(const PlacedCall& placed, std::size_t operand, int width) {
  const auto n_bytes = static_cast<std::int64_t>(placed.call.operands[operand].item_bytes());
  return base::counted(width * n_bytes, "byte");
}

std::string form_text(const PlacedCall& placed, const LaunchChoice& choice,
                      const LaunchTraits& traits) {
  const Iteration& iteration = placed.iteration;
  const std::string operand = operand_name(placed, choice.operand);
  const std::string elements = base::counted(iteration.size(0), "element");
  switch (choice.reason) {
    case LaunchReason::kOneDimension:
      return "contiguous: the operands are one dimension of " + elements;
    case LaunchReason::kFewElements:
      return "contiguous, one element per thread: under " +
             std::to_string(std::int64_t{traits.n_multiprocessors} * traits.contiguous.tile) +
             " elements, tiles of " + std::to_string(traits.contiguous.tile) +
             " would leave multiprocessors without work";
    case LaunchReason::kUnaligned:
      return "strided, in one dimension: " + operand + " is contiguous, but its address is not a " +
             "multiple of " + vector_text(placed, choice.operand, traits.contiguous.width);
    case LaunchReason::kRows:
      return "rows of " + elements + ": " + operand + " is not contiguous across rows";
    case LaunchReason::kShortRows:
      return "short rows: several rows of " + elements + " per block, as vectors of " +
             std::to_string(traits.rows.width);
    case LaunchReason::kBrokenRows:
      return "strided: rows of " + elements + " are shorter than " +
             std::to_string(shortest_row(traits)) + ", half of what a block processes" +
             (traits.rows.width > 1 ? ", and not aligned vectors of " +
                                          std::to_string(traits.rows.width) + " elements"
                                    : "");
    case LaunchReason::kManyBlocks:
      return "strided: " + std::to_string(iteration.n_elements() / iteration.size(0)) +
             " rows of " + elements + " need more blocks than a launch can have";
    case LaunchReason::kTransposed:
      return "transposed: " + operand + " is contiguous along a dimension of " +
             base::counted(iteration.size(choice.turned), "element") +
             " and the outputs along one of " + std::to_string(iteration.size(0)) +
             ", in tiles of " + std::to_string(traits.transposed.tile / kTileSide) + " by " +
             std::to_string(kTileSide) + " in shared memory";
    case LaunchReason::kStrides:
      return "strided: elements of " + operand + " are " +
             base::counted(iteration.strides(0)[choice.operand], "byte") +
             " apart along the innermost dimension, of " + elements;
  }
  base::fail_assertion("the reason is known", __FILE__, __LINE__, "");
}

}  // namespace

std::string reason_text(const PlacedCall& placed, const LaunchChoice& choice,
                        const LaunchTraits& traits) {
  std::string text = form_text(placed, choice, traits);
  if (choice.form == analysis::LaunchForm::kRows && !choice.has_vectors && traits.rows.width > 1) {
    text += "; rows do not begin at multiples of a vector";
  }
  if (choice.is_wide) {
    const bool has_many = placed.iteration.n_elements() >= kNarrowLimit;
    text += std::string("; 64-bit indices: ") + (has_many ? "the elements' numbers" : "offsets") +
            " do not fit in 32 bits";
  }
  return text;
}

}  // namespace numpy_plugin::run
