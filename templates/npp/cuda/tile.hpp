// A full tile of the contiguous and rows forms: read as vectors of up to 16 bytes, entirely before
// anything is computed or written, so that an output may be an input.
#pragma once

#include "npp/core/ops.hpp"
#include "npp/cuda/errors.hpp"
#include "npp/cuda/operand.hpp"

namespace npp {

// A kernel that also has its body on words of cuda/packed.hpp: `call_packed`.
template <class Kernel>
inline constexpr bool kHasPackedCall = requires {
  &Kernel::call_packed;
};

// kWidth: elements per vector access; kVectors: accesses per thread and operand. Place provides a
// block's elements: `arguments`, and `address<T>(i)` of operand i; `errors` are those of the
// thread.
template <class Kernel, int kWidth, int kVectors, class Place, class InputIndices,
          class OutputIndices>
struct Tile;

template <class Kernel, int kWidth, int kVectors, class Place, int... inputs, int... outputs>
struct Tile<Kernel, kWidth, kVectors, Place, Indices<inputs...>, Indices<outputs...>> {
  using Index = typename Place::Index;
  template <int i>
  using Input = TypeAt<i, typename Kernel::Inputs>;
  template <int i>
  using Output = TypeAt<i, typename Kernel::Outputs>;

  static constexpr int kInputs = sizeof...(inputs);
  static constexpr int kItems = kWidth * kVectors;
  static constexpr uint32 kTile = kThreads * kItems;
  static constexpr int kWords = kItems * int(sizeof(Output<0>)) / 4;  // of one operand

  template <class T>
  using ItemsOf = Items<T, kWidth, kVectors>;
  using InputItems = Tuple<ItemsOf<Input<inputs>>...>;
  using OutputItems = Tuple<ItemsOf<Output<outputs>>...>;

  // A thread's first vector in a tile; the next is a block's width away.
  NPP_FUNCTION static Index first_vector(Index tile) {
    return tile * (kThreads * kVectors) + threadIdx.x;
  }

  NPP_FUNCTION static void read_vectors(const Place& place, Index vector, InputItems& in) {
    (read_input<inputs>(place, vector, get<inputs>(in)), ...);
  }

  NPP_FUNCTION static void read_vectors_or_scalars(const Place& place, Index vector,
                                                   InputItems& in) {
    (read_input_or_scalar<inputs>(place, vector, get<inputs>(in)), ...);
  }

  NPP_FUNCTION static void finish(const Place& place, Index vector, const InputItems& in) {
    OutputItems out;
    if constexpr (kHasPackedCall<Kernel>)
      compute_packed(in, out, MakeIndices<kWords>{});
    else
      compute(place, in, out, MakeIndices<kItems>{});
    (get<outputs>(out).write(vector_address<Output<outputs>>(place, kInputs + outputs, vector),
                             kThreads, MakeIndices<kVectors>{}),
     ...);
  }

  NPP_FUNCTION static void one_element(const Place& place, Index index) {
    write_results(place, index,
                  call_kernel<Kernel>(place.errors, read_element<inputs>(place, index)...));
  }

  // `count` elements below `end`, a block's width apart, all read before anything is written.
  template <int count>
  NPP_FUNCTION static void some_elements(const Place& place, Index first, Index end) {
    Tuple<Elements<Input<inputs>, count>...> in;
    (read_elements<inputs>(place, first, end, get<inputs>(in)), ...);
#pragma unroll
    for (int k = 0; k < count; ++k) {
      const Index index = first + k * kThreads;
      if (index < end)
        write_results(place, index, call_kernel<Kernel>(place.errors, get<inputs>(in).items[k]...));
    }
  }

 private:
  template <int... k>
  NPP_FUNCTION static void compute(const Place& place, const InputItems& in, OutputItems& out,
                                   Indices<k...>) {
    (compute_one<k>(place, in, out), ...);
  }

  template <int k>
  NPP_FUNCTION static void compute_one(const Place& place, const InputItems& in, OutputItems& out) {
    const auto results = call_kernel<Kernel>(place.errors, get<inputs>(in).get(k)...);
    (get<outputs>(out).set(k, result<outputs>(results)), ...);
  }

  template <int... w>
  NPP_FUNCTION static void compute_packed(const InputItems& in, OutputItems& out, Indices<w...>) {
    (compute_word<w>(in, get<0>(out)), ...);
  }

  template <int w>
  NPP_FUNCTION static void compute_word(const InputItems& in, ItemsOf<Output<0>>& out) {
    out.word(w) = Kernel::call_packed(get<inputs>(in).word(w)...);
  }

  template <class T>
  NPP_FUNCTION static typename ItemsOf<T>::Vector* vector_address(const Place& place, int operand,
                                                                  Index vector) {
    return place.template address<typename ItemsOf<T>::Vector>(operand) + vector;
  }

  template <int i>
  NPP_FUNCTION static void read_input(const Place& place, Index vector, ItemsOf<Input<i>>& items) {
    items.read(vector_address<Input<i>>(place, i, vector), kThreads, MakeIndices<kVectors>{});
  }

  template <int i>
  NPP_FUNCTION static void read_input_or_scalar(const Place& place, Index vector,
                                                ItemsOf<Input<i>>& items) {
    if (!has_bit(place.arguments.scalars, i)) return read_input<i>(place, vector, items);
    items.fill(read_scalar<i>(place), MakeIndices<kItems>{});
  }

  template <int i>
  NPP_FUNCTION static Input<i> read_scalar(const Place& place) {
    return has_bit(place.arguments.values, i)
               ? read_slot<Input<i>>(place.arguments.operands[i])
               : read<Input<i>>(place.template address<Stored<Input<i>>>(i));
  }

  template <int i>
  NPP_FUNCTION static Input<i> read_element(const Place& place, Index index) {
    if (has_bit(place.arguments.scalars, i)) return read_scalar<i>(place);
    return read<Input<i>>(place.template address<Stored<Input<i>>>(i) + index);
  }

  // Beyond the end the last element is read again.
  template <int i, int count>
  NPP_FUNCTION static void read_elements(const Place& place, Index first, Index end,
                                         Elements<Input<i>, count>& items) {
    if (has_bit(place.arguments.scalars, i)) {
      const Input<i> scalar = read_scalar<i>(place);
#pragma unroll
      for (int k = 0; k < count; ++k) items.items[k] = scalar;
    } else {
      const auto* const elements = place.template address<Stored<Input<i>>>(i);
#pragma unroll
      for (int k = 0; k < count; ++k)
        items.items[k] = read<Input<i>>(elements + min(first + k * kThreads, end - 1));
    }
  }

  template <class Results>
  NPP_FUNCTION static void write_results(const Place& place, Index index, const Results& results) {
    (write<Output<outputs>>(
         place.template address<Stored<Output<outputs>>>(kInputs + outputs) + index,
         result<outputs>(results)),
     ...);
  }
};

template <class Kernel, int kWidth, int kVectors, class Place>
using TileOf = Tile<Kernel, kWidth, kVectors, Place, MakeIndices<Kernel::Inputs::kCount>,
                    MakeIndices<Kernel::Outputs::kCount>>;

}  // namespace npp
