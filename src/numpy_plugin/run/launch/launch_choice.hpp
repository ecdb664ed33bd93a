// Which device kernel an elementwise call is launched with: a function of where its operands are.
#pragma once

#include <cstddef>
#include <cstdint>

#include "numpy_plugin/emit/source/emit.hpp"
#include "numpy_plugin/run/launch/elementwise_call.hpp"
#include "numpy_plugin/run/launch/iteration.hpp"

namespace numpy_plugin::run {

// A call of at least one element, and the dimensions it goes through.
struct PlacedCall {
  const ElementwiseCall& call;
  const Iteration& iteration;
  std::size_t n_inputs;  // without the mask

  bool is_input(std::size_t operand) const { return operand < n_inputs; }
  // Of the operand's element where the iteration begins.
  std::uint64_t address(std::size_t operand) const;
  // Whether an input has one element for the whole innermost dimension.
  bool is_scalar(std::size_t operand) const;
  // Whether its elements are neighbours along the innermost dimension.
  bool is_contiguous(std::size_t operand) const;
};

// Inputs of the choice beside the call.
struct LaunchTraits {
  emit::LaunchShape contiguous;
  emit::LaunchShape rows;
  int n_multiprocessors = 1;
};

enum class LaunchReason {
  kOneDimension,  // contiguous, as vectors
  kFewElements,   // contiguous, one element a thread
  kUnaligned,     // strided: contiguous, but not at multiples of a vector
  kRows,          // `operand` is not contiguous from row to row
  kShortRows,     // strided: too short for blocks of their own
  kManyBlocks,    // strided: more blocks of rows than a grid has
  kStrides,       // strided: `operand` is so along the innermost dimension
  kMasked         // strided: where= is given
};

struct LaunchChoice {
  emit::LaunchForm form = emit::LaunchForm::kContiguous;
  bool is_wide = false;
  bool is_masked = false;
  bool has_vectors = false;  // contiguous, rows: there are full tiles
  LaunchReason reason = LaunchReason::kOneDimension;
  std::size_t operand = 0;  // the one the reason speaks of
};

// Shorter rows leave so many threads of a block without work that offsets in all dimensions cost
// less.
inline std::int64_t shortest_row(const LaunchTraits& traits) { return traits.rows.tile / 2; }
// A grid has fewer blocks, a narrow kernel fewer elements and smaller offsets in bytes.
inline constexpr std::int64_t kNarrowLimit = std::int64_t{1} << 31;

// Whether all offsets within the first operands fit 32 bits, whatever the signs of their strides.
bool has_narrow_offsets(const Iteration& iteration, std::size_t n_operands);

// Throws base::Error (kValue) where the choice takes more parameters than a launch has.
LaunchChoice choose_launch(const PlacedCall& placed, const LaunchTraits& traits);

// Bytes of parameters that CUDA's launches have.
inline constexpr std::size_t kMaxParameterBytes = 32764;

// The error of a call whose 64-bit strides take more.
[[noreturn]] void refuse_wide_call(std::size_t n_operands);

}  // namespace numpy_plugin::run
