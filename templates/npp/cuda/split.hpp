// Generalized kernels whose outermost loops have independent iterations: one thread for each
// iteration and element of the loop dimensions. The kernel's `call` takes the loops' variables
// after its operands. cuda/arguments.hpp describes their launches.
#pragma once

#include "npp/cuda/generalized.hpp"

namespace npp {

// After the operands, a column of strides for each loop and one that only the host uses.
template <class Kernel, class Range>
using SplitArgumentsOf = GeneralizedArgumentsOf<Kernel, Range, Kernel::kNumberOfLoops + 1>;

// A loop's variable has stride 1 in its own dimension and 0 in all others: its offset is its value.
template <class Kernel, class Range, int... operands, int... loops>
NPP_FUNCTION void run_split(const SplitArgumentsOf<Kernel, Range>& arguments, Indices<operands...>,
                            Indices<loops...>) {
  using Number = typename Range::Index;
  Number numbers[1] = {Number(blockIdx.x) * blockDim.x + threadIdx.x};
  if (numbers[0] >= arguments.outer.n) return;
  const auto offsets = find_offsets(arguments.outer, numbers);
  Kernel::call(operand_at<Kernel, operands>(arguments, offsets.bytes[0][operands])...,
               int64(offsets.bytes[0][sizeof...(operands) + loops])...);
}

}  // namespace npp

#define NPP_SPLIT_KERNEL(name, Kernel, Range)                                              \
  extern "C" __global__ void __launch_bounds__(npp::kThreads)                              \
      name(const __grid_constant__ npp::SplitArgumentsOf<Kernel, Range> arguments) {       \
    npp::run_split<Kernel, Range>(arguments, npp::MakeIndices<Kernel::Operands::kCount>(), \
                                  npp::MakeIndices<Kernel::kNumberOfLoops>());             \
  }
