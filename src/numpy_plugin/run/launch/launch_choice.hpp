// Selection of an elementwise call's device kernel: a function of the operands' memory layouts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "numpy_plugin/emit/source/emit.hpp"
#include "numpy_plugin/run/launch/elementwise_call.hpp"
#include "numpy_plugin/run/launch/iteration.hpp"

namespace numpy_plugin::run {

// A call of at least one element, and its iteration.
struct PlacedCall {
  const ElementwiseCall& call;
  const Iteration& iteration;
  std::size_t n_inputs;  // without the mask

  bool is_input(std::size_t operand) const { return operand < n_inputs; }
  bool is_mask(std::size_t operand) const { return call.is_masked && operand == n_inputs; }
  bool is_read(std::size_t operand) const { return is_input(operand) || is_mask(operand); }
  // The operand's address at the start of the iteration.
  std::uint64_t address(std::size_t operand) const;
  // Whether an input or the mask is constant along the innermost dimension.
  bool is_scalar(std::size_t operand) const;
  // Whether its elements are adjacent along the innermost dimension.
  bool is_contiguous(std::size_t operand) const;
  // Whether it is read, and contiguous along this dimension instead of the innermost one.
  bool is_turned(std::size_t operand, std::size_t dimension) const;
};

// Further inputs of the choice.
struct LaunchTraits {
  analysis::LaunchShape contiguous;
  analysis::LaunchShape rows;        // also short rows
  analysis::LaunchShape transposed;  // one element per thread: of no use
  analysis::LaunchShape line;        // strided in one dimension
  analysis::LaunchShape strided;     // in several
  int n_multiprocessors = 1;
};

enum class LaunchReason {
  kOneDimension,  // contiguous, as vectors
  kFewElements,   // contiguous, one element per thread
  kUnaligned,     // strided: contiguous, but misaligned for vectors
  kRows,          // `operand` is not contiguous from row to row
  kShortRows,     // several rows per block
  kBrokenRows,    // strided: too short for blocks of their own, and not of whole vectors
  kManyBlocks,    // strided: more blocks of rows than a grid allows
  kTransposed,    // `operand` is contiguous in another dimension than the outputs
  kStrides        // strided: `operand` is not contiguous in the innermost dimension
};

struct LaunchChoice {
  analysis::LaunchForm form = analysis::LaunchForm::kContiguous;
  bool is_wide = false;
  bool is_masked = false;
  bool has_vectors = false;        // contiguous, rows: there are full tiles; short rows: always
  bool is_spread = false;          // too few elements for tiles: one, or a vector, per thread
  bool has_short_vectors = false;  // as analysis::DeviceForm's
  int n_dimensions = 4;            // as analysis::DeviceForm's
  LaunchReason reason = LaunchReason::kOneDimension;
  std::size_t operand = 0;  // the operand that the reason names
  std::size_t turned = 0;   // transposed: the other dimension
};

// In rows that are not of whole vectors, shorter ones leave so many threads of a block idle that
// offsets in all dimensions are cheaper.
inline std::int64_t shortest_row(const LaunchTraits& traits) { return traits.rows.tile / 2; }
constexpr std::int64_t blocks_of(std::int64_t n_elements, std::int64_t tile) {
  return n_elements / tile + (n_elements % tile != 0 ? 1 : 0);
}
// A transposed kernel's tile along the dimension that is not the innermost one.
inline constexpr std::int64_t kTileSide = 32;
// Exclusive limit of a grid's blocks, and of a narrow kernel's elements and byte offsets.
inline constexpr std::int64_t kNarrowLimit = std::int64_t{1} << 31;

// Whether all offsets within the first operands fit 32 bits, whatever the strides' signs.
bool has_narrow_offsets(const Iteration& iteration, std::size_t n_operands);

// Throws base::Error (kValue) where the parameters exceed a launch's limit.
LaunchChoice choose_launch(const PlacedCall& placed, const LaunchTraits& traits);

// CUDA's limit of a launch's parameters, in bytes.
inline constexpr std::size_t kMaxParameterBytes = 32764;

// Throws the error for a call whose 64-bit strides exceed the limit.
[[noreturn]] void refuse_wide_call(std::size_t n_operands);

// The reason for a call's form of launch, as text.
std::string reason_text(const PlacedCall& placed, const LaunchChoice& choice,
                        const LaunchTraits& traits);

}  // namespace numpy_plugin::run
