// The contiguous launch form. A block takes one tile; a full tile is read as vectors of up to 16
// bytes, all of them before anything is computed or written, so that an output may be an input.
#pragma once

#include "numpy_plugin/cuda_operand.hpp"
#include "numpy_plugin/ops.hpp"

namespace npp {

template <class Kernel>
using ContiguousArgumentsOf = ContiguousArguments<Kernel::Inputs::kCount + Kernel::Outputs::kCount>;

// kWidth: elements of one vector access; kVectors: accesses a thread makes to each operand.
template <class Kernel, int kWidth, int kVectors, class InputIndices, class OutputIndices>
struct Contiguous;

template <class Kernel, int kWidth, int kVectors, int... inputs, int... outputs>
struct Contiguous<Kernel, kWidth, kVectors, Indices<inputs...>, Indices<outputs...>> {
  using Arguments = ContiguousArgumentsOf<Kernel>;
  template <int i>
  using Input = TypeAt<i, typename Kernel::Inputs>;
  template <int i>
  using Output = TypeAt<i, typename Kernel::Outputs>;

  static constexpr int kInputs = sizeof...(inputs);
  static constexpr int kItems = kWidth * kVectors;
  static constexpr uint32 kTile = kThreads * kItems;

  template <class T>
  using ItemsOf = Items<T, kWidth, kVectors>;
  using InputItems = Tuple<ItemsOf<Input<inputs>>...>;
  using OutputItems = Tuple<ItemsOf<Output<outputs>>...>;

  // A second copy of a short body saves the plain tiles the detour of a common end.
  static constexpr bool kIsShort = !Kernel::kHasVectorMath && !Kernel::kHasBranches;

  NPP_FUNCTION static void run(const Arguments& arguments) {
    // A thread's first vector in this block's tile; its next is a block's width away.
    const uint32 vector = blockIdx.x * (kThreads * kVectors) + threadIdx.x;
    InputItems in;
    if (kItems > 1 && blockIdx.x < arguments.plain_tiles) {
      (read_vectors<inputs>(arguments, vector, get<inputs>(in)), ...);
      if constexpr (kIsShort) return finish_tile(arguments, vector, in);
    } else if (kItems > 1 && blockIdx.x < arguments.full_tiles) {
      (read_vectors_or_scalar<inputs>(arguments, vector, get<inputs>(in)), ...);
    } else {
      return one_element(arguments);
    }
    finish_tile(arguments, vector, in);
  }

  NPP_FUNCTION static void finish_tile(const Arguments& arguments, uint32 vector,
                                       const InputItems& in) {
    OutputItems out;
    compute(in, out, MakeIndices<kItems>{});
    (get<outputs>(out).write(
         vector_address<Output<outputs>>(arguments.operands[kInputs + outputs], vector), kThreads,
         MakeIndices<kVectors>{}),
     ...);
  }

  template <int... k>
  NPP_FUNCTION static void compute(const InputItems& in, OutputItems& out, Indices<k...>) {
    (compute_one<k>(in, out), ...);
  }

  template <int k>
  NPP_FUNCTION static void compute_one(const InputItems& in, OutputItems& out) {
    const auto results = Kernel::call(get<inputs>(in).get(k)...);
    (get<outputs>(out).set(k, result<outputs>(results)), ...);
  }

  template <class T>
  NPP_FUNCTION static typename ItemsOf<T>::Vector* vector_address(const Operand& operand,
                                                                  uint32 vector) {
    return address<typename ItemsOf<T>::Vector>(operand) + vector;
  }

  template <int i>
  NPP_FUNCTION static void read_vectors(const Arguments& arguments, uint32 vector,
                                        ItemsOf<Input<i>>& items) {
    items.read(vector_address<Input<i>>(arguments.operands[i], vector), kThreads,
               MakeIndices<kVectors>{});
  }

  template <int i>
  NPP_FUNCTION static void read_vectors_or_scalar(const Arguments& arguments, uint32 vector,
                                                  ItemsOf<Input<i>>& items) {
    if (!has_bit(arguments.scalars, i)) return read_vectors<i>(arguments, vector, items);
    items.fill(read_scalar<i>(arguments), MakeIndices<kItems>{});
  }

  template <int i>
  NPP_FUNCTION static Input<i> read_scalar(const Arguments& arguments) {
    const Operand& operand = arguments.operands[i];
    return has_bit(arguments.values, i) ? read_slot<Input<i>>(operand)
                                        : read<Input<i>>(address<Stored<Input<i>>>(operand));
  }

  // Behind the full tiles, and in short calls.
  NPP_FUNCTION static void one_element(const Arguments& arguments) {
    const uint32 index =
        arguments.full_tiles * (kTile - kThreads) + blockIdx.x * kThreads + threadIdx.x;
    if (index >= arguments.n) return;
    const auto results = Kernel::call(read_element<inputs>(arguments, index)...);
    (write<Output<outputs>>(
         address<Stored<Output<outputs>>>(arguments.operands[kInputs + outputs]) + index,
         result<outputs>(results)),
     ...);
  }

  template <int i>
  NPP_FUNCTION static Input<i> read_element(const Arguments& arguments, uint32 index) {
    if (has_bit(arguments.scalars, i)) return read_scalar<i>(arguments);
    return read<Input<i>>(address<Stored<Input<i>>>(arguments.operands[i]) + index);
  }
};

template <class Kernel, int kWidth, int kVectors>
NPP_FUNCTION void run_contiguous(const ContiguousArgumentsOf<Kernel>& arguments) {
  Contiguous<Kernel, kWidth, kVectors, MakeIndices<Kernel::Inputs::kCount>,
             MakeIndices<Kernel::Outputs::kCount>>::run(arguments);
}

}  // namespace npp
