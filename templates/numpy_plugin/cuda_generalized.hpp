// The device kernels of a generalized kernel: one thread for each element of the loop dimensions,
// with views of its core arrays. cuda_arguments.hpp says how they are launched.
#pragma once

#include "numpy_plugin/array.hpp"
#include "numpy_plugin/cuda_indexing.hpp"
#include "numpy_plugin/ops.hpp"

namespace npp {

template <class T>
struct OperandTraits {
  static constexpr bool kIsArray = false;
  static constexpr int kCoreDimensions = 0;
};
template <class T, class... Dims>
struct OperandTraits<Array<T, Dims...>> {
  static constexpr bool kIsArray = true;
  static constexpr int kCoreDimensions = Array<T, Dims...>::kStrides;
};

template <class Operands>
struct CoreLayout;
template <class... Ts>
struct CoreLayout<Types<Ts...>> {
  static constexpr int kOperands = sizeof...(Ts);
  static constexpr int kCoreDimensions = (0 + ... + OperandTraits<Ts>::kCoreDimensions);
  // Where the strides of an operand begin among those of all operands.
  NPP_FUNCTION static constexpr int first_stride(int operand) {
    constexpr int counts[] = {OperandTraits<Ts>::kCoreDimensions...};
    int first = 0;
    for (int i = 0; i < operand; ++i) first += counts[i];
    return first;
  }
};

template <class Kernel>
using GeneralizedArgumentsOf =
    GeneralizedArguments<CoreLayout<typename Kernel::Operands>::kOperands, Kernel::kNumberOfNames,
                         CoreLayout<typename Kernel::Operands>::kCoreDimensions>;

// Operand i as the kernel takes it.
template <class Kernel, int i, int kOperands>
NPP_FUNCTION auto operand_at(const GeneralizedArgumentsOf<Kernel>& arguments,
                             const Offsets<int32, kOperands, 1>& offsets) {
  using T = TypeAt<i, typename Kernel::Operands>;
  constexpr int kFirstStride = CoreLayout<typename Kernel::Operands>::first_stride(i);
  const int32 offset = offsets.bytes[0][i];
  if constexpr (OperandTraits<T>::kIsArray)
    return T(element_address<char>(arguments.outer, i, offset), arguments.core_sizes,
             arguments.core_strides + kFirstStride);
  else
    return read_operand<T>(arguments.outer, i, offset);
}

template <class Kernel, int... operands>
NPP_FUNCTION void run_generalized(const GeneralizedArgumentsOf<Kernel>& arguments,
                                  Indices<operands...>) {
  uint32 numbers[1] = {blockIdx.x * blockDim.x + threadIdx.x};
  if (numbers[0] >= arguments.outer.n) return;
  const auto offsets = find_offsets(arguments.outer, numbers);
  Kernel::call(operand_at<Kernel, operands>(arguments, offsets)...);
}

}  // namespace npp

#define NPP_GENERALIZED_KERNEL(name, Kernel)                                               \
  extern "C" __global__ void __launch_bounds__(npp::kThreads)                              \
      name(const __grid_constant__ npp::GeneralizedArgumentsOf<Kernel> arguments) {        \
    npp::run_generalized<Kernel>(arguments, npp::MakeIndices<Kernel::Operands::kCount>()); \
  }
