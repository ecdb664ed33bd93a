// Where the items of a chunk come from: elements in memory, or items of the level below.
#pragma once

#include "npp/reduce/reduction.hpp"

namespace npp {

// The elements of one result from number `start` on. Vectors: all operands that are read are
// contiguous along the single reduced dimension, and four elements aligned as an access.
template <class Kernel, bool kHasVectors, class InputIndices>
struct ElementSourceOf;

template <class Kernel, bool kHasVectors, int... inputs>
struct ElementSourceOf<Kernel, kHasVectors, Indices<inputs...>> {
  using Arguments = typename Kernel::Arguments;
  using Reduction = typename Kernel::Reduced;
  using Item = typename Kernel::Item;
  using Number = typename Kernel::Number;
  using Offset = typename Kernel::Offset;
  using Bits = typename Kernel::Bits;
  static constexpr int kRead = Kernel::kInputs + Kernel::kIsMasked;
  static constexpr bool kIsLine = Arguments::kReducedDimensions == 1;
  template <int i>
  using Input = TypeAt<i, typename Reduction::Inputs>;
  // Bytes in flight, within the registers.
  static constexpr int kQuadBytes =
      kQuad * ((int(sizeof(Input<inputs>)) + ... + 0) + int(Kernel::kIsMasked));
  static constexpr int kRoundsAtOnce = kQuadBytes <= 8 && !Kernel::kIsMasked ? 8
                                       : kQuadBytes <= 16                    ? 4
                                       : kQuadBytes <= 32                    ? 2
                                                                             : 1;
  static constexpr bool kHasWholeChunks = kHasVectors && !Kernel::kIsMasked;

  const Arguments& arguments;
  Errors& errors;
  const char* places[kRead > 0 ? kRead : 1];  // of element `start` on a line, else of element 0
  Number start;

  NPP_FUNCTION ElementSourceOf(const Arguments& given, Errors& given_errors,
                               const typename Kernel::Result& result, Number first)
      : arguments(given), errors(given_errors), start(first) {
#pragma unroll
    for (int i = 0; i < kRead; ++i) {
      places[i] = element_address<char>(arguments, i, result.bytes[i]);
      if (kIsLine) places[i] += Offset(Bits(start) * stride(i));
    }
  }

  NPP_FUNCTION Item one(int index) const {
    Item items[1];
    some(index, items);
    return items[0];
  }

  template <int count>
  NPP_FUNCTION void rounds(int first, Item (&items)[count][kQuad]) const {
#pragma unroll
    for (int round = 0; round < count; ++round) {
      if constexpr (kHasVectors)
        vectors(first + round * kSlots, items[round]);
      else
        some(first + round * kSlots, items[round]);
    }
  }
  NPP_FUNCTION void round(int first, int count, Item (&items)[kQuad]) const {
    if constexpr (kHasVectors) {
      if (first + kQuad <= count) return vectors(first, items);
    }
#pragma unroll
    for (int i = 0; i < kQuad; ++i) items[i] = one(first + i < count ? first + i : count - 1);
  }
  template <class Tree>
  NPP_FUNCTION void fill(Errors& for_errors, int first, int count, Item (&slots)[kQuad]) const {
    fill_slots<Tree>(for_errors, *this, first, count, slots);
  }

  // An element as it is read, for reductions in order.
  struct Read {
    Tuple<Input<inputs>...> values;
    bool is_wanted;
  };
  NPP_FUNCTION Read read_one(int index) const {
    const auto found = offsets_of<1>(index);
    Read result{Tuple<Input<inputs>...>(element<inputs>(found.bytes[0])...), true};
    if constexpr (Kernel::kIsMasked) result.is_wanted = wanted(found.bytes[0]);
    return result;
  }
  template <class Accumulator>
  NPP_FUNCTION static Accumulator next(Errors& errors, Accumulator left, const Read& element) {
    return Reduction::next(errors, left, get<inputs>(element.values)...);
  }
  NPP_FUNCTION static auto first(Errors& errors, const Read& element) {
    return Reduction::first(errors, 0, get<inputs>(element.values)...);
  }

 private:
  template <int count>
  struct Found {
    Offset bytes[count][Kernel::kOperands];
  };

  template <int count>
  NPP_FUNCTION Found<count> offsets_of(int index) const {
    Found<count> found;
    if constexpr (kIsLine) {
#pragma unroll
      for (int k = 0; k < count; ++k) {
#pragma unroll
        for (int i = 0; i < kRead; ++i) found.bytes[k][i] = Offset(Bits(index + k) * stride(i));
      }
    } else {
      Number numbers[count];
#pragma unroll
      for (int k = 0; k < count; ++k) numbers[k] = start + Number(index + k);
      const auto offsets = find_offsets(arguments.reduced, numbers);
#pragma unroll
      for (int k = 0; k < count; ++k) {
#pragma unroll
        for (int i = 0; i < kRead; ++i) found.bytes[k][i] = offsets.bytes[k][i];
      }
    }
    return found;
  }

  // Of a line.
  NPP_FUNCTION Bits stride(int operand) const {
    if constexpr (kHasVectors) {
      constexpr int kSizes[] = {int(sizeof(Input<inputs>))..., 1};
      return Bits(kSizes[operand]);
    }
    return Bits(arguments.reduced.strides[0][operand]);
  }

  template <int i>
  NPP_FUNCTION Input<i> element(const Offset (&offsets)[Kernel::kOperands]) const {
    return read<Input<i>>(reinterpret_cast<const Stored<Input<i>>*>(places[i] + offsets[i]));
  }
  NPP_FUNCTION bool wanted(const Offset (&offsets)[Kernel::kOperands]) const {
    return read<bool>(reinterpret_cast<const uint8*>(places[kRead - 1] + offsets[kRead - 1]));
  }

  NPP_FUNCTION int64 number_of(int index) const { return int64(start) + index; }
  // Elements that a mask excludes are not mapped: they may be outside the map's domain.
  template <class... Values>
  NPP_FUNCTION Item partial(bool is_wanted, int index, Values... values) const {
    Item item = {};
    if (!is_wanted) return item;
    item.value = Reduction::first(errors, number_of(index), values...);
    item.is_present = 1;
    return item;
  }

  template <int count>
  NPP_FUNCTION void some(int index, Item (&items)[count]) const {
    const auto found = offsets_of<count>(index);
#pragma unroll
    for (int k = 0; k < count; ++k) {
      if constexpr (Kernel::kIsMasked)
        items[k] = partial(wanted(found.bytes[k]), index + k, element<inputs>(found.bytes[k])...);
      else
        items[k] =
            Reduction::first(errors, number_of(index + k), element<inputs>(found.bytes[k])...);
    }
  }

  template <class T>
  static constexpr int kWidth = sizeof(T) * kQuad <= 16 ? kQuad : 16 / int(sizeof(T));
  template <class T>
  using Vectors = Items<T, kWidth<T>, kQuad / kWidth<T>>;

  template <class T>
  NPP_FUNCTION Vectors<T> read_vectors(int operand, int index) const {
    Vectors<T> result;
    const char* const first = places[operand] + Offset(index) * Offset(sizeof(T));
    result.read(reinterpret_cast<const typename Vectors<T>::Vector*>(first), 1,
                MakeIndices<kQuad / kWidth<T>>{});
    return result;
  }

  NPP_FUNCTION void vectors(int index, Item (&items)[kQuad]) const {
    const Tuple<Vectors<Input<inputs>>...> read{read_vectors<Input<inputs>>(inputs, index)...};
    if constexpr (Kernel::kIsMasked) {
      const Vectors<bool> mask = read_vectors<bool>(kRead - 1, index);
#pragma unroll
      for (int k = 0; k < kQuad; ++k)
        items[k] = partial(mask.get(k), index + k, get<inputs>(read).get(k)...);
    } else {
#pragma unroll
      for (int k = 0; k < kQuad; ++k) {
        items[k] = Reduction::first(errors, number_of(index + k), get<inputs>(read).get(k)...);
      }
    }
  }
};

template <class Kernel, bool kHasVectors>
using ElementSource = ElementSourceOf<Kernel, kHasVectors, MakeIndices<Kernel::kInputs>>;

// Items of the level below in scratch memory, `stride` items apart.
template <class Item>
struct ItemSource {
  static constexpr int kRoundsAtOnce = 1;
  static constexpr bool kHasWholeChunks = false;
  const Item* items;
  uint64 stride;

  template <int count>
  NPP_FUNCTION void rounds(int first, Item (&read)[count][kQuad]) const {
    round(first, first + kQuad, read[0]);
  }
  NPP_FUNCTION void round(int first, int count, Item (&read)[kQuad]) const {
#pragma unroll
    for (int i = 0; i < kQuad; ++i)
      read[i] = items[(first + i < count ? first + i : count - 1) * stride];
  }
  template <class Tree>
  NPP_FUNCTION void fill(Errors& errors, int first, int count, Item (&slots)[kQuad]) const {
    fill_slots<Tree>(errors, *this, first, count, slots);
  }
};

// Elements of a result, or items: one copy of the tree's code for both.
template <class Elements, class Item>
struct LevelSource {
  Elements elements;
  ItemSource<Item> items = {nullptr, 1};  // null: the elements

  template <class Tree>
  NPP_FUNCTION void fill(Errors& errors, int first, int count, Item (&slots)[kQuad]) const {
    if (items.items == nullptr)
      fill_slots<Tree>(errors, elements, first, count, slots);
    else
      fill_slots<Tree>(errors, items, first, count, slots);
  }
};

}  // namespace npp
