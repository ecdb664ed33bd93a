// Parameter bytes of a generalized device kernel, laid out as in templates/npp/cuda/arguments.hpp.
// Needs no device.
#pragma once

#include "numpy_plugin/run/forms/generalized_choice.hpp"
#include "numpy_plugin/run/launch/launch_arguments.hpp"

namespace numpy_plugin::run {

// Dimensions of a call: the loop dimensions and, for a split call, one per split loop. After the
// operands' strides come those of npp_split's loops and a last column with the strides of the first
// output, so that neighbouring threads write neighbouring elements.
class ItemIteration {
 public:
  ItemIteration(const GeneralizedCall& call, std::size_t n_inputs,
                std::span<const analysis::SplitLoop> loops = {});

  const Iteration& iteration() const { return iteration_; }
  // Whether its indices take 64 bits.
  bool is_wide() const;

 private:
  class Columns;
  ItemIteration(const GeneralizedCall& call, const Columns& columns);

  std::size_t n_operands_;
  Iteration iteration_;
};

struct GeneralizedGrid {
  unsigned grid = 0;   // blocks
  unsigned block = 0;  // threads
};

// Packs the kernel's parameter into an empty buffer. Throws base::Error (kValue) where the call
// exceeds a grid's number of blocks.
GeneralizedGrid pack_items(const PlacedItems& placed, bool is_wide, const GeneralizedTraits& traits,
                           ArgumentBuffer& arguments);
GeneralizedGrid pack_tiled(const PlacedItems& placed, int tile_items,
                           const GeneralizedTraits& traits, ArgumentBuffer& arguments);
GeneralizedGrid pack_staged(const PlacedItems& placed, ArgumentBuffer& arguments);

}  // namespace numpy_plugin::run
