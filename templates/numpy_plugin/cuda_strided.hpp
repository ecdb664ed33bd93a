// The strided launch form: each thread takes kItems elements, a block's width apart, so that
// neighbouring threads read neighbouring elements.
#pragma once

#include "numpy_plugin/cuda_indexing.hpp"
#include "numpy_plugin/ops.hpp"

namespace npp {

template <class Kernel>
using StridedArgumentsOf = StridedArguments<Kernel::Inputs::kCount + Kernel::Outputs::kCount>;

template <class Kernel, int kItems, class InputIndices, class OutputIndices>
struct Strided;

template <class Kernel, int kItems, int... inputs, int... outputs>
struct Strided<Kernel, kItems, Indices<inputs...>, Indices<outputs...>> {
  using Arguments = StridedArgumentsOf<Kernel>;
  template <int i>
  using Input = TypeAt<i, typename Kernel::Inputs>;
  template <int i>
  using Output = TypeAt<i, typename Kernel::Outputs>;

  static constexpr int kInputs = sizeof...(inputs);
  static constexpr int kOperands = kInputs + sizeof...(outputs);

  // A thread past the end computes the last element again and writes nothing.
  NPP_FUNCTION static void run(const Arguments& arguments) {
    const uint32 first = blockIdx.x * (kThreads * kItems) + threadIdx.x;
    uint32 numbers[kItems];
#pragma unroll
    for (int k = 0; k < kItems; ++k) numbers[k] = min(first + k * kThreads, arguments.n - 1);
    const Offsets<kOperands, kItems> offsets = find_offsets(arguments, numbers);

    Tuple<Elements<Input<inputs>, kItems>...> in;
    (read_items<inputs>(arguments, offsets, get<inputs>(in)), ...);
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      const auto results = Kernel::call(get<inputs>(in).items[k]...);
      if (first + k * kThreads >= arguments.n) return;
      (write_output<outputs>(arguments, offsets.bytes[k][kInputs + outputs],
                             result<outputs>(results)),
       ...);
    }
  }

  template <int i>
  NPP_FUNCTION static void read_items(const Arguments& arguments,
                                      const Offsets<kOperands, kItems>& offsets,
                                      Elements<Input<i>, kItems>& items) {
    const bool is_value = has_bit(arguments.values, i);
#pragma unroll
    for (int k = 0; k < kItems; ++k)
      items.items[k] = is_value ? read_slot<Input<i>>(arguments.operands[i])
                                : read<Input<i>>(element_address<Stored<Input<i>>>(
                                      arguments, i, offsets.bytes[k][i]));
  }

  template <int i>
  NPP_FUNCTION static void write_output(const Arguments& arguments, int32 offset, Output<i> value) {
    write<Output<i>>(element_address<Stored<Output<i>>>(arguments, kInputs + i, offset), value);
  }
};

template <class Kernel, int kItems>
NPP_FUNCTION void run_strided(const StridedArgumentsOf<Kernel>& arguments) {
  Strided<Kernel, kItems, MakeIndices<Kernel::Inputs::kCount>,
          MakeIndices<Kernel::Outputs::kCount>>::run(arguments);
}

}  // namespace npp
