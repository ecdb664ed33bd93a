// The strided launch form: each thread processes kItems elements, a block's width apart, so that
// adjacent threads read adjacent elements.
#pragma once

#include "npp/core/ops.hpp"
#include "npp/cuda/errors.hpp"
#include "npp/cuda/indexing.hpp"

namespace npp {

template <class Kernel, class Range, Mask mask>
using StridedArgumentsOf = StridedArguments<Range, kOperandsOf<Kernel, mask>>;

template <class Kernel, class Range, Mask mask, int kItems, class InputIndices, class OutputIndices>
struct Strided;

template <class Kernel, class Range, Mask mask, int kItems, int... inputs, int... outputs>
struct Strided<Kernel, Range, mask, kItems, Indices<inputs...>, Indices<outputs...>> {
  using Arguments = StridedArgumentsOf<Kernel, Range, mask>;
  using Number = typename Range::Index;
  using Offset = typename Range::Offset;
  template <int i>
  using Input = TypeAt<i, typename Kernel::Inputs>;
  template <int i>
  using Output = TypeAt<i, typename Kernel::Outputs>;

  static constexpr bool kIsMasked = mask == Mask::kGiven;
  static constexpr int kInputs = sizeof...(inputs);

  // A thread beyond the end reads the last element again and writes nothing.
  NPP_FUNCTION static void run(const Arguments& arguments, Errors& errors) {
    const Number n = Number(arguments.n);
    const Number first = Number(blockIdx.x) * (kThreads * kItems) + threadIdx.x;
    Number numbers[kItems];
#pragma unroll
    for (int k = 0; k < kItems; ++k) numbers[k] = min(first + k * kThreads, n - 1);
    const auto offsets = find_offsets(arguments, numbers);

    Tuple<Elements<Input<inputs>, kItems>...> in;
    Elements<bool, kItems> is_wanted;
    (read_items<inputs>(arguments, offsets, get<inputs>(in)), ...);
    if constexpr (kIsMasked) read_items<kInputs>(arguments, offsets, is_wanted);
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      if (first + k * kThreads >= n) return;
      if constexpr (kIsMasked)
        if (!is_wanted.items[k]) continue;
      const auto results = call_kernel<Kernel>(errors, get<inputs>(in).items[k]...);
      (write_output<outputs>(arguments, offsets.bytes[k][kInputs + kIsMasked + outputs],
                             result<outputs>(results)),
       ...);
    }
  }

  template <int i, class T>
  NPP_FUNCTION static void read_items(const Arguments& arguments,
                                      const OffsetsOf<Arguments, kItems>& offsets,
                                      Elements<T, kItems>& items) {
    const bool is_value = has_bit(arguments.values, i);
#pragma unroll
    for (int k = 0; k < kItems; ++k)
      items.items[k] = is_value
                           ? read_slot<T>(arguments.operands[i])
                           : read<T>(element_address<Stored<T>>(arguments, i, offsets.bytes[k][i]));
  }

  template <int i>
  NPP_FUNCTION static void write_output(const Arguments& arguments, Offset offset,
                                        Output<i> value) {
    write<Output<i>>(element_address<Stored<Output<i>>>(arguments, kInputs + kIsMasked + i, offset),
                     value);
  }
};

template <class Kernel, class Range, Mask mask, int kItems>
NPP_FUNCTION void run_strided(const StridedArgumentsOf<Kernel, Range, mask>& arguments,
                              Errors& errors) {
  Strided<Kernel, Range, mask, kItems, MakeIndices<Kernel::Inputs::kCount>,
          MakeIndices<Kernel::Outputs::kCount>>::run(arguments, errors);
}

}  // namespace npp

#define NPP_STRIDED(make, name, Kernel, Range, mask, n_items)            \
  using name##_arguments = npp::StridedArgumentsOf<Kernel, Range, mask>; \
  make(name, name##_arguments, npp::run_strided<Kernel, Range, mask, n_items>)
#define NPP_STRIDED_KERNEL(...) NPP_STRIDED(NPP_DEVICE_KERNEL, __VA_ARGS__)
#define NPP_RAISING_STRIDED_KERNEL(...) NPP_STRIDED(NPP_RAISING_DEVICE_KERNEL, __VA_ARGS__)
