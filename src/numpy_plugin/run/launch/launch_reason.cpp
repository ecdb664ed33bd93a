#include "numpy_plugin/run/launch/launch_choice.hpp"

#include "numpy_plugin/base/text.hpp"

namespace numpy_plugin::run {
namespace {

std::string operand_name(const PlacedCall& placed, std::size_t operand) {
  if (placed.is_input(operand)) return format("input {}", operand + 1);
  if (placed.is_mask(operand)) return "where=";
  const std::size_t first_output = placed.n_inputs + (placed.call.is_masked ? 1 : 0);
  return format("output {}", operand - first_output + 1);
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
      return format(
          "contiguous, one element per thread: under {} elements, tiles of {} would leave "
          "multiprocessors without work",
          std::int64_t{traits.n_multiprocessors} * traits.contiguous.tile, traits.contiguous.tile);
    case LaunchReason::kUnaligned:
      return format(
          "strided, in one dimension: {} is contiguous, but its address is not a multiple of {}",
          operand, vector_text(placed, choice.operand, traits.contiguous.width));
    case LaunchReason::kRows:
      return format("rows of {}: {} is not contiguous across rows", elements, operand);
    case LaunchReason::kShortRows:
      return format("short rows: several rows of {} per block, as vectors of {}", elements,
                    traits.rows.width);
    case LaunchReason::kBrokenRows:
      return format("strided: rows of {} are shorter than {}, half of what a block processes{}",
                    elements, shortest_row(traits),
                    traits.rows.width > 1
                        ? format(", and not aligned vectors of {} elements", traits.rows.width)
                        : "");
    case LaunchReason::kManyBlocks:
      return format("strided: {} rows of {} need more blocks than a launch can have",
                    iteration.n_elements() / iteration.size(0), elements);
    case LaunchReason::kTransposed:
      return format(
          "transposed: {} is contiguous along a dimension of {} and the outputs along one of {}, "
          "in tiles of {} by {} in shared memory",
          operand, base::counted(iteration.size(choice.turned), "element"), iteration.size(0),
          traits.transposed.tile / kTileSide, kTileSide);
    case LaunchReason::kStrides:
      return format("strided: elements of {} are {} apart along the innermost dimension, of {}",
                    operand, base::counted(iteration.strides(0)[choice.operand], "byte"), elements);
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
    text += format("; 64-bit indices: {} do not fit in 32 bits",
                   has_many ? "the elements' numbers" : "offsets");
  }
  return text;
}

}  // namespace numpy_plugin::run
