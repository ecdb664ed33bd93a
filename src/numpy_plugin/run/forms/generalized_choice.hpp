// Selection of a generalized call's device kernel, with the reason as text: a function of the
// kernel and of the operands' memory layouts.
#pragma once

#include <string>
#include <vector>

#include "numpy_plugin/analysis/generalized_kernel.hpp"
#include "numpy_plugin/emit/source/emit.hpp"
#include "numpy_plugin/run/launch/elementwise_call.hpp"
#include "numpy_plugin/run/launch/iteration.hpp"

namespace numpy_plugin::run {

// One call of a generalized ufunc on device memory: loop dimensions, and the core dimensions of
// each operand. Plain data, non-owning.

struct CoreOperand {
  CallOperand loop;  // address, and strides of the loop dimensions
  // In bytes, one per core dimension of the operand; 0 where it is broadcast.
  const std::int64_t* core_strides = nullptr;
};

struct GeneralizedCall {
  std::span<const std::int64_t> shape;       // of the loop dimensions; may be empty or hold zeros
  std::span<const std::int64_t> core_sizes;  // one per name of the layout; 1 where omitted ("n?")
  std::span<const CoreOperand> operands;     // inputs, then outputs, of the kernel's own dtypes
};

// Properties of a kernel that do not depend on the call.
struct GeneralizedTraits {
  declare::CoreSignature layout;
  analysis::SplitLoops split;
  std::vector<std::string> loop_names;  // the variables of split.loops
  std::string staging_obstacle;         // empty where items can be staged
  analysis::MatrixProduct product;      // with a reason where it is none
  int n_multiprocessors = 1;
};
GeneralizedTraits generalized_traits(const declare::TypedKernel& kernel, int n_multiprocessors);

// A call of at least one item, and its iteration over the loop dimensions.
struct PlacedItems {
  const GeneralizedCall& call;
  const Iteration& iteration;  // its first operands are those of the call
  std::size_t n_inputs;

  // Address of the first item of the iteration.
  std::uint64_t address(std::size_t operand) const;
  // Whether an input has one item for the whole call.
  bool is_repeated(std::size_t operand) const;
};

struct GeneralizedChoice {
  analysis::LaunchForm form = analysis::LaunchForm::kGeneralized;
  std::string obstacle;   // why items cannot be staged; empty where they can
  std::string not_tiled;  // likewise tiled
  int tile_items = 0;     // of tiled, as in DeviceForm
};

// Sizes of a matrix product, with the numbers of tiles.
struct TiledSizes {
  std::int64_t rows = 0, columns = 0, depth = 0;

  std::int64_t row_tiles(int tile_items) const { return n_tiles(rows, tile_items); }
  std::int64_t column_tiles(int tile_items) const { return n_tiles(columns, tile_items); }

 private:
  static std::int64_t n_tiles(std::int64_t n_lines, int tile_items) {
    const std::int64_t side = std::int64_t{analysis::kTileLanes} * tile_items;
    return (n_lines + side - 1) / side;
  }
};
TiledSizes tiled_sizes(const GeneralizedCall& call, const analysis::MatrixProduct& product);

GeneralizedChoice choose_generalized(const PlacedItems& placed, const GeneralizedTraits& traits);
std::string generalized_reason(const GeneralizedChoice& choice, const GeneralizedTraits& traits);

}  // namespace numpy_plugin::run
