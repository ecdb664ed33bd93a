// The bytes that a generalized device kernel is launched with, as
// templates/npp/cuda/arguments.hpp lays them down. Nothing here needs a device.
#pragma once

#include "numpy_plugin/run/forms/generalized_choice.hpp"
#include "numpy_plugin/run/launch/launch_arguments.hpp"

namespace numpy_plugin::run {

// The dimensions of a call: the loop dimensions and, of a split call, one for each of its loops.
// Behind the operands' strides come those of npp_split's loops and of its last column, which has
// the strides of the first output, so that neighbouring threads write neighbouring elements.
class ItemIteration {
 public:
  ItemIteration(const GeneralizedCall& call, std::size_t n_inputs,
                std::span<const emit::SplitLoop> loops = {});

  const Iteration& iteration() const { return iteration_; }
  // Whether it takes 64 bits to count.
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

// The kernel's parameter into an empty buffer. Throws base::Error (kValue) where the call needs
// more blocks than a grid has.
GeneralizedGrid pack_items(const PlacedItems& placed, bool is_wide, const GeneralizedTraits& traits,
                           ArgumentBuffer& arguments);
GeneralizedGrid pack_staged(const PlacedItems& placed, ArgumentBuffer& arguments);

}  // namespace numpy_plugin::run
