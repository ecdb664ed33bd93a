// Device kernels of a generalized kernel: one thread for each element of the loop dimensions, with
// views of its core arrays. cuda/arguments.hpp describes their launches.
#pragma once

#include "npp/core/array.hpp"
#include "npp/core/ops.hpp"
#include "npp/cuda/errors.hpp"
#include "npp/cuda/indexing.hpp"

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
  // Index of an operand's first stride among those of all operands.
  NPP_FUNCTION static constexpr int first_stride(int operand) {
    constexpr int counts[] = {OperandTraits<Ts>::kCoreDimensions...};
    int first = 0;
    for (int i = 0; i < operand; ++i) first += counts[i];
    return first;
  }
};

// kMore: columns of strides after those of the operands.
template <class Kernel, class Range, int kMore = 0>
using GeneralizedArgumentsOf =
    GeneralizedArguments<Range, CoreLayout<typename Kernel::Operands>::kOperands + kMore,
                         Kernel::kNumberOfNames,
                         CoreLayout<typename Kernel::Operands>::kCoreDimensions>;

// Operand i in the form the kernel takes.
template <class Kernel, int i, class Arguments, class Offset>
NPP_FUNCTION auto operand_at(const Arguments& arguments, Offset offset) {
  using T = TypeAt<i, typename Kernel::Operands>;
  constexpr int kFirstStride = CoreLayout<typename Kernel::Operands>::first_stride(i);
  if constexpr (OperandTraits<T>::kIsArray)
    return T(element_address<char>(arguments.outer, i, offset), arguments.core_sizes,
             arguments.core_strides + kFirstStride);
  else
    return read_operand<T>(arguments.outer, i, offset);
}

template <class Kernel, class Range, int... operands>
NPP_FUNCTION void run_item(const GeneralizedArgumentsOf<Kernel, Range>& arguments, Errors& errors,
                           Indices<operands...>) {
  using Number = typename Range::Index;
  Number numbers[1] = {Number(blockIdx.x) * blockDim.x + threadIdx.x};
  if (numbers[0] >= arguments.outer.n) return;
  const auto offsets = find_offsets(arguments.outer, numbers);
  call_kernel<Kernel>(errors,
                      operand_at<Kernel, operands>(arguments, offsets.bytes[0][operands])...);
}

template <class Kernel, class Range>
NPP_FUNCTION void run_generalized(const GeneralizedArgumentsOf<Kernel, Range>& arguments,
                                  Errors& errors) {
  run_item<Kernel, Range>(arguments, errors, MakeIndices<Kernel::Operands::kCount>());
}

// With scratch arrays, for as many threads as there is memory for: each computes several elements.
template <class Kernel, class Range, class Scratch, int... operands>
NPP_FUNCTION void run_items(const GeneralizedArgumentsOf<Kernel, Range>& arguments, Errors& errors,
                            Scratch& scratch, Indices<operands...>) {
  using Number = typename Range::Index;
  const Number n_threads = Number(gridDim.x) * blockDim.x;
  Number numbers[1] = {Number(blockIdx.x) * blockDim.x + threadIdx.x};
  for (; numbers[0] < arguments.outer.n && !errors.any(); numbers[0] += n_threads) {
    const auto offsets = find_offsets(arguments.outer, numbers);
    Kernel::call(errors, scratch,
                 operand_at<Kernel, operands>(arguments, offsets.bytes[0][operands])...);
  }
}

}  // namespace npp

// After the arguments, the address of the scratch memory; then that of the errors.
#define NPP_SCRATCH_GENERALIZED_KERNEL(name, Kernel, Range)                              \
  extern "C" __global__ void __launch_bounds__(npp::kThreads)                            \
      name(const __grid_constant__ npp::GeneralizedArgumentsOf<Kernel, Range> arguments, \
           char* memory, npp::Errors* record) {                                          \
    npp::Errors errors;                                                                  \
    npp::Scratch scratch(memory, Kernel::kScratchItemBytes);                             \
    npp::run_items<Kernel, Range>(arguments, errors, scratch,                            \
                                  npp::MakeIndices<Kernel::Operands::kCount>());         \
    npp::store_errors(record, errors);                                                   \
  }
#define NPP_GENERALIZED(make, name, Kernel, Range)                     \
  using name##_arguments = npp::GeneralizedArgumentsOf<Kernel, Range>; \
  make(name, name##_arguments, npp::run_generalized<Kernel, Range>)
#define NPP_GENERALIZED_KERNEL(...) NPP_GENERALIZED(NPP_DEVICE_KERNEL, __VA_ARGS__)
#define NPP_RAISING_GENERALIZED_KERNEL(...) NPP_GENERALIZED(NPP_RAISING_DEVICE_KERNEL, __VA_ARGS__)
