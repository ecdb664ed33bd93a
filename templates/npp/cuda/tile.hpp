// A full tile of the contiguous and rows forms: read as vectors of up to 16 bytes (32 from sm_100
// on), entirely before anything is computed or written, so that an output may be an input.
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
// thread. With a mask, the kernel runs for wanted elements only, and only their results are
// written.
template <class Kernel, Mask mask, int kWidth, int kVectors, class Place, class InputIndices,
          class OutputIndices>
struct Tile;

template <class Kernel, Mask mask, int kWidth, int kVectors, class Place, int... inputs,
          int... outputs>
struct Tile<Kernel, mask, kWidth, kVectors, Place, Indices<inputs...>, Indices<outputs...>> {
  using Index = typename Place::Index;
  template <int i>
  using Input = TypeAt<i, typename Kernel::Inputs>;
  template <int i>
  using Output = TypeAt<i, typename Kernel::Outputs>;

  static constexpr bool kIsMasked = mask == Mask::kGiven;
  static constexpr int kInputs = sizeof...(inputs);
  static constexpr int kFirstOutput = kInputs + kIsMasked;
  static constexpr int kItems = kWidth * kVectors;
  static constexpr uint32 kTile = kThreads * kItems;
  static constexpr int kWords = kItems * int(sizeof(Output<0>)) / 4;  // of one operand
  // For short bodies, second copies cost less than the branches and registers they save.
  static constexpr bool kIsShort = !Kernel::kHasVectorMath && !Kernel::kHasBranches;

  template <class T>
  using ItemsOf = Items<T, kWidth, kVectors>;
  using OutputItems = Tuple<ItemsOf<Output<outputs>>...>;
  struct Read {
    ItemsOf<bool> wanted;  // with a mask
    Tuple<ItemsOf<Input<inputs>>...> items;
  };

  // A thread's first vector in a tile; the next is a block's width away.
  NPP_FUNCTION static Index first_vector(Index tile) {
    return tile * (kThreads * kVectors) + threadIdx.x;
  }

  NPP_FUNCTION static void read_vectors(const Place& place, Index vector, Read& in) {
    if constexpr (kIsMasked) read_items(place, kInputs, vector, in.wanted);
    (read_items(place, inputs, vector, get<inputs>(in.items)), ...);
  }

  NPP_FUNCTION static void read_vectors_or_scalars(const Place& place, Index vector, Read& in) {
    if constexpr (kIsMasked) read_items_or_scalar(place, kInputs, vector, in.wanted);
    (read_items_or_scalar(place, inputs, vector, get<inputs>(in.items)), ...);
  }

  NPP_FUNCTION static void finish(const Place& place, Index vector, const Read& in) {
    if constexpr (!kIsMasked)
      finish_all(place, vector, in);
    else if constexpr (kIsShort)
      is_full(in) ? finish_all(place, vector, in)
                  : finish_each(place, vector, in, MakeIndices<kItems>{});
    else
      finish_wanted(place, vector, in, MakeIndices<kItems>{});
  }

  NPP_FUNCTION static void one_element(const Place& place, Index index) {
    if constexpr (kIsMasked)
      if (!read_element<bool>(place, kInputs, index)) return;
    write_results(
        place, index,
        call_kernel<Kernel>(place.errors, read_element<Input<inputs>>(place, inputs, index)...));
  }

  // `count` elements below `end`, a block's width apart, all read before anything is written.
  template <int count>
  NPP_FUNCTION static void some_elements(const Place& place, Index first, Index end) {
    Elements<bool, count> wanted;
    Tuple<Elements<Input<inputs>, count>...> in;
    if constexpr (kIsMasked) read_elements(place, kInputs, first, end, wanted);
    (read_elements(place, inputs, first, end, get<inputs>(in)), ...);
#pragma unroll
    for (int k = 0; k < count; ++k) {
      const Index index = first + k * kThreads;
      if (index >= end) return;
      if constexpr (kIsMasked)
        if (!wanted.items[k]) continue;
      write_results(place, index, call_kernel<Kernel>(place.errors, get<inputs>(in).items[k]...));
    }
  }

 private:
  // In bit 0 of every byte. Other bytes than 0 and 1 are true, too, but are left to the slower way.
  NPP_FUNCTION static bool is_full(const Read& in) {
    return has_all_ones(in.wanted, MakeIndices<kVectors * ItemsOf<bool>::kWords>{});
  }
  template <int... w>
  NPP_FUNCTION static bool has_all_ones(const ItemsOf<bool>& wanted, Indices<w...>) {
    using Word = typename ItemsOf<bool>::Word;
    constexpr Word kOnes = Word(0x01010101);
    return (kOnes & ... & wanted.word(w)) == kOnes;
  }

  NPP_FUNCTION static void finish_all(const Place& place, Index vector, const Read& in) {
    OutputItems out;
    if constexpr (kHasPackedCall<Kernel>)
      compute_packed(in, out, MakeIndices<kWords>{});
    else
      compute(place, in, out, MakeIndices<kItems>{});
    write_vectors(place, vector, out);
  }

  // Each element by itself.
  template <int... k>
  NPP_FUNCTION static void finish_each(const Place& place, Index vector, const Read& in,
                                       Indices<k...>) {
    (finish_one<k>(place, vector, in), ...);
  }
  template <int k>
  NPP_FUNCTION static void finish_one(const Place& place, Index vector, const Read& in) {
    if (in.wanted.get(k)) write_results(place, index_of<k>(vector), results_of<k>(place, in));
  }

  // One copy of the body for full and other vectors.
  template <int... k>
  NPP_FUNCTION static void finish_wanted(const Place& place, Index vector, const Read& in,
                                         Indices<k...>) {
    OutputItems out;
    (compute_wanted<k>(place, in, out), ...);
    if (is_full(in)) return write_vectors(place, vector, out);
    (write_wanted<k>(place, vector, in, out), ...);
  }
  template <int k>
  NPP_FUNCTION static void compute_wanted(const Place& place, const Read& in, OutputItems& out) {
    if (in.wanted.get(k)) compute_one<k>(place, in, out);
  }
  template <int k>
  NPP_FUNCTION static void write_wanted(const Place& place, Index vector, const Read& in,
                                        const OutputItems& out) {
    if (in.wanted.get(k))
      (write_element<outputs>(place, index_of<k>(vector), get<outputs>(out).get(k)), ...);
  }

  // The index of a thread's k-th element.
  template <int k>
  NPP_FUNCTION static Index index_of(Index vector) {
    return (vector + k / kWidth * kThreads) * kWidth + k % kWidth;
  }

  template <int k>
  NPP_FUNCTION static auto results_of(const Place& place, const Read& in) {
    return call_kernel<Kernel>(place.errors, get<inputs>(in.items).get(k)...);
  }

  template <int... k>
  NPP_FUNCTION static void compute(const Place& place, const Read& in, OutputItems& out,
                                   Indices<k...>) {
    (compute_one<k>(place, in, out), ...);
  }
  template <int k>
  NPP_FUNCTION static void compute_one(const Place& place, const Read& in, OutputItems& out) {
    const auto results = results_of<k>(place, in);
    (get<outputs>(out).set(k, result<outputs>(results)), ...);
  }

  template <int... w>
  NPP_FUNCTION static void compute_packed(const Read& in, OutputItems& out, Indices<w...>) {
    (compute_word<w>(in, get<0>(out)), ...);
  }
  template <int w>
  NPP_FUNCTION static void compute_word(const Read& in, ItemsOf<Output<0>>& out) {
    out.word(w) = Kernel::call_packed(get<inputs>(in.items).word(w)...);
  }

  NPP_FUNCTION static void write_vectors(const Place& place, Index vector, const OutputItems& out) {
    (get<outputs>(out).write(vector_address<Output<outputs>>(place, kFirstOutput + outputs, vector),
                             kThreads, MakeIndices<kVectors>{}),
     ...);
  }

  template <class T>
  NPP_FUNCTION static typename ItemsOf<T>::Vector* vector_address(const Place& place, int operand,
                                                                  Index vector) {
    return place.template address<typename ItemsOf<T>::Vector>(operand) + vector;
  }

  template <class T>
  NPP_FUNCTION static void read_items(const Place& place, int operand, Index vector,
                                      Items<T, kWidth, kVectors>& items) {
    items.read(vector_address<T>(place, operand, vector), kThreads, MakeIndices<kVectors>{});
  }

  template <class T>
  NPP_FUNCTION static void read_items_or_scalar(const Place& place, int operand, Index vector,
                                                Items<T, kWidth, kVectors>& items) {
    if (!has_bit(place.arguments.scalars, operand))
      return read_items(place, operand, vector, items);
    items.fill(read_scalar<T>(place, operand), MakeIndices<kItems>{});
  }

  template <class T>
  NPP_FUNCTION static T read_scalar(const Place& place, int operand) {
    return has_bit(place.arguments.values, operand)
               ? read_slot<T>(place.arguments.operands[operand])
               : read<T>(place.template address<Stored<T>>(operand));
  }

  template <class T>
  NPP_FUNCTION static T read_element(const Place& place, int operand, Index index) {
    if (has_bit(place.arguments.scalars, operand)) return read_scalar<T>(place, operand);
    return read<T>(place.template address<Stored<T>>(operand) + index);
  }

  // Beyond the end the last element is read again.
  template <class T, int count>
  NPP_FUNCTION static void read_elements(const Place& place, int operand, Index first, Index end,
                                         Elements<T, count>& items) {
    if (has_bit(place.arguments.scalars, operand)) {
      const T scalar = read_scalar<T>(place, operand);
#pragma unroll
      for (int k = 0; k < count; ++k) items.items[k] = scalar;
    } else {
      const auto* const elements = place.template address<Stored<T>>(operand);
#pragma unroll
      for (int k = 0; k < count; ++k)
        items.items[k] = read<T>(elements + min(first + k * kThreads, end - 1));
    }
  }

  template <class Results>
  NPP_FUNCTION static void write_results(const Place& place, Index index, const Results& results) {
    (write_element<outputs>(place, index, result<outputs>(results)), ...);
  }
  template <int i>
  NPP_FUNCTION static void write_element(const Place& place, Index index, Output<i> value) {
    write<Output<i>>(place.template address<Stored<Output<i>>>(kFirstOutput + i) + index, value);
  }
};

template <class Kernel, Mask mask, int kWidth, int kVectors, class Place>
using TileOf = Tile<Kernel, mask, kWidth, kVectors, Place, MakeIndices<Kernel::Inputs::kCount>,
                    MakeIndices<Kernel::Outputs::kCount>>;

}  // namespace npp
