// Launches of generalized device kernels: the parameter's bytes, and scratch memory.
#pragma once

#include <cstdint>
#include <string>

#include "numpy_plugin/run/device/device.hpp"
#include "numpy_plugin/run/forms/generalized_choice.hpp"
#include "numpy_plugin/run/launch/launch_arguments.hpp"

namespace numpy_plugin::run {

// Parameter bytes of a generalized device kernel, laid out as in templates/npp/cuda/arguments.hpp.
// Needs no device.

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

// Scratch memory of a launch: one buffer, for as many threads as fit at a time.

struct ScratchLimits {
  std::int64_t threads = 0;  // that the device's multiprocessors hold at a time
  std::int64_t n_bytes = 0;  // of a launch: a quarter of the device's memory
};
ScratchLimits scratch_limits(const Device& device);

// Bytes of a launch whose threads have `thread_bytes` each. Reduces a grid with more threads than
// fit at a time: they compute several elements each. Throws base::Error (kDeviceMemory), naming the
// kernel, where not even one warp fits.
std::int64_t fit_scratch(const std::string& name, std::int64_t thread_bytes,
                         const ScratchLimits& limits, GeneralizedGrid& grid);

// "4096 bytes of scratch memory for 128 threads".
std::string scratch_text(std::int64_t n_bytes, const GeneralizedGrid& grid);

}  // namespace numpy_plugin::run
