// Operands of generalized kernels in lanes: each lane has its own element of the loop dimensions,
// with core arrays of the same sizes.
//
//   CoreLanes    the elements themselves, for sizes that the layout fixes: a vector for each
//   CoreResults  likewise, without the elements that were there before
//   CoreReads    other inputs, read where they are
//
// Both have `load` and `store` with the mask of the lanes that do so, for one index in all lanes
// (int64) or for indices of their own (Lanes<int64, size>). Negative indices count from the end.
#pragma once

#include "npp/core/array.hpp"
#include "npp/cpu/lanes/calls.hpp"
#include "npp/cpu/memory.hpp"

namespace npp {

namespace lanes {

// The value that `load(lane)` returns for each lane.
template <class T, int size, class Load, int... lane>
NPP_FUNCTION PartOf<T, size> part_from(Load load, Indices<lane...>) {
  return PartOf<T, size>{load(lane)...};
}
template <class T, int size, class Load>
NPP_FUNCTION Lanes<T, size> from_each(Load load) {
  Lanes<T, size> value;
  if constexpr (kIsBool<T>) {
    return truth(from_each<UnsignedOfSize<size>, size>(load));
  } else {
    NPP_EACH_PART(k) {
      const auto load_in_part = [&](int lane) { return load(k * kWidth<size> + lane); };
      value.part[k] = part_from<T, size>(load_in_part, MakeIndices<kWidth<size>>());
    }
  }
  return value;
}

// Index `index` of a dimension.
NPP_FUNCTION constexpr int64 from_start(int64 index, int64 extent) {
  return index + (index >> 63 & extent);
}
template <int size>
NPP_FUNCTION Lanes<int64, size> from_start(Lanes<int64, size> index, int64 extent) {
  const Lanes<int64, size> zero(0);
  return select(less(index, zero), add(index, Lanes<int64, size>(extent)), index);
}

NPP_FUNCTION constexpr int64 next_position(int64 position, int64 extent, int64 index) {
  return position * extent + index;
}
template <int size>
NPP_FUNCTION Lanes<int64, size> next_position(Lanes<int64, size> position, int64 extent,
                                              Lanes<int64, size> index) {
  return add(multiply(position, Lanes<int64, size>(extent)), index);
}

// ---- transposition of n elements for each lane of a part, in n vectors in memory

// Lanes of `next` replace those that have their values there, in the order of elements or memory.
template <class T, int size, int n, int element, int source, int... lane>
NPP_FUNCTION PartOf<T, size> gathered(PartOf<T, size> lanes, PartOf<T, size> next,
                                      Indices<lane...>) {
  constexpr int kEach = kWidth<size>;
  constexpr auto from = [](int at) {
    const int place = at * n + element;
    if (place / kEach == source) return kEach + place % kEach;
    return source == 1 && place < kEach ? place : at;
  };
  return __builtin_shufflevector(lanes, next, from(lane)...);
}
template <class T, int size, int n, int vector, int source, int... lane>
NPP_FUNCTION PartOf<T, size> scattered(PartOf<T, size> lanes, PartOf<T, size> next,
                                       Indices<lane...>) {
  constexpr int kEach = kWidth<size>;
  constexpr auto from = [](int at) {
    const int place = vector * kEach + at;
    if (place % n == source) return kEach + place / n;
    return source == 1 && place % n == 0 ? place / n : at;
  };
  return __builtin_shufflevector(lanes, next, from(lane)...);
}

template <class T, int size, int n, int element, int... source>
NPP_FUNCTION PartOf<T, size> gather_element(const PartOf<T, size>* vectors, Indices<source...>) {
  PartOf<T, size> lanes = vectors[0];
  ((lanes = gathered<T, size, n, element, source + 1>(lanes, vectors[source + 1],
                                                      MakeIndices<kWidth<size>>())),
   ...);
  return lanes;
}
template <class T, int size, int n, int vector, int... source>
NPP_FUNCTION PartOf<T, size> scatter_vector(const Lanes<T, size>* elements, int part,
                                            Indices<source...>) {
  PartOf<T, size> lanes = elements[0].part[part];
  ((lanes = scattered<T, size, n, vector, source + 1>(lanes, elements[source + 1].part[part],
                                                      MakeIndices<kWidth<size>>())),
   ...);
  return lanes;
}

template <class T, int size, int n, int... element>
NPP_FUNCTION void load_transposed(Lanes<T, size>* elements, const char* first,
                                  Indices<element...>) {
  NPP_EACH_PART(k) {
    const char* const from = first + k * n * sizeof(elements->part[k]);
    const PartOf<T, size> vectors[] = {
        load_part<T, size>(from + element * sizeof(elements->part[k]))...};
    ((elements[element].part[k] =
          gather_element<T, size, n, element>(vectors, MakeIndices<n - 1>())),
     ...);
  }
}
template <class T, int size, int n>
NPP_FUNCTION void load_packed(Lanes<T, size> (&elements)[n], const char* first) {
  load_transposed<T, size, n>(elements, first, MakeIndices<n>());
}

template <class T, int size, int n, int... vector>
NPP_FUNCTION void store_transposed(const Lanes<T, size>* elements, char* first,
                                   Indices<vector...>) {
  NPP_EACH_PART(k) {
    char* const to = first + k * n * sizeof(elements->part[k]);
    (store_part<T, size>(to + vector * sizeof(elements->part[k]),
                         scatter_vector<T, size, n, vector>(elements, k, MakeIndices<n - 1>())),
     ...);
  }
}
template <class T, int size, int n>
NPP_FUNCTION void store_packed(const Lanes<T, size> (&elements)[n], char* first) {
  store_transposed<T, size, n>(elements, first, MakeIndices<n>());
}

}  // namespace lanes

template <class T, int size, intp... extents>
class CoreLanes {
 public:
  using Value = Lanes<T, size>;
  using Mask = Lanes<bool, size>;
  using Position = Lanes<int64, size>;
  static constexpr int kRank = sizeof...(extents);
  static constexpr int kCount = int((1 * ... * extents));
  static constexpr bool kIsInPlace = false;

  NPP_FUNCTION static constexpr intp shape(int axis) {
    constexpr intp sizes[] = {extents..., 1};
    return sizes[axis];
  }

  template <class... Index>
  NPP_FUNCTION Value load(Mask mask, Index... index) const {
    return load_at(mask, position(index...));
  }
  template <class... Index>
  NPP_FUNCTION void store(Mask mask, Value value, Index... index) {
    store_at(mask, value, position(index...));
  }

  // Moves the elements from or to arrays in memory, `step` bytes from lane to lane.
  NPP_FUNCTION void load_all(const char* first, intp step, const intp* strides) {
    if constexpr (kIsTransposed) {
      if (are_packed(step, strides)) return lanes::load_packed(elements_, first);
    }
    for (int i = 0; i < kCount; ++i) {
      const char* const from = first + offset(i, strides);
      elements_[i] =
          lanes::from_each<T, size>([&](int lane) { return Memory<T>::load(from + lane * step); });
    }
  }
  NPP_FUNCTION void store_all(char* first, intp step, const intp* strides) const {
    if constexpr (kIsTransposed) {
      if (are_packed(step, strides)) return lanes::store_packed(elements_, first);
    }
    for (int i = 0; i < kCount; ++i) {
      char* const to = first + offset(i, strides);
      for (int lane = 0; lane < lanes::kLanes<size>; ++lane)
        Memory<T>::store(to + lane * step, elements_[i].lane(lane));
    }
  }

 private:
  // Up to this many elements, a lane finds its own by comparisons.
  static constexpr int kMostCompared = 8;
  // With AVX-512's permutations of two vectors, arrays that follow one another are transposed.
  static constexpr bool kIsTransposed =
      NPP_MASK_REGISTERS != 0 && !kIsBool<T> && sizeof(T) >= 4 && kCount < lanes::kWidth<size>;

  NPP_FUNCTION static bool are_packed(intp step, const intp* strides) {
    intp expected = sizeof(T);
    for (int axis = kRank - 1; axis >= 0; --axis) {
      if (kCount > 1 && strides[axis] != expected) return false;
      expected *= shape(axis);
    }
    return step == expected;
  }

  // Position of the indices in C order.
  template <class Index, class... More>
  NPP_FUNCTION static Index position(Index first, More... more) {
    static_assert(1 + sizeof...(More) == kRank, "one index a dimension is expected");
    Index result = lanes::from_start(first, shape(0));
    int axis = 1;
    ((result = lanes::next_position(result, shape(axis), lanes::from_start(more, shape(axis))),
      ++axis),
     ...);
    return result;
  }

  // Offset in bytes of the element at a position.
  NPP_FUNCTION static intp offset(int position, const intp* strides) {
    intp result = 0;
    for (int axis = kRank - 1; axis >= 0; --axis) {
      result += position % shape(axis) * strides[axis];
      position /= int(shape(axis));
    }
    return result;
  }

  // An index that no lane uses may be out of bounds.
  NPP_FUNCTION Value load_at(Mask, int64 position) const {
    return uint64(position) < uint64(kCount) ? elements_[position] : Value(T(0));
  }
  NPP_FUNCTION void store_at(Mask mask, Value value, int64 position) {
    if (uint64(position) < uint64(kCount))
      elements_[position] = lanes::select(mask, value, elements_[position]);
  }

  NPP_FUNCTION Value load_at(Mask mask, Position position) const {
    if constexpr (kCount <= kMostCompared) {
      Value value = elements_[0];
      for (int i = 1; i < kCount; ++i)
        value = lanes::select(lanes::equal(position, Position(i)), elements_[i], value);
      return value;
    } else {
      const lanes::Buffer<int64, size> at(lanes::select(mask, position, Position(0)));
      return lanes::from_each<T, size>(
          [&](int lane) { return elements_[at.lane[lane]].lane(lane); });
    }
  }
  NPP_FUNCTION void store_at(Mask mask, Value value, Position position) {
    if constexpr (kCount <= kMostCompared) {
      for (int i = 0; i < kCount; ++i) {
        const Mask chosen = lanes::bitwise_and(mask, lanes::equal(position, Position(i)));
        elements_[i] = lanes::select(chosen, value, elements_[i]);
      }
    } else {
      for (int lane = 0; lane < lanes::kLanes<size>; ++lane)
        if (mask.lane(lane)) elements_[position.lane(lane)].set_lane(lane, value.lane(lane));
    }
  }

  Value elements_[kCount];
};

template <class T, int size, intp... extents>
class CoreResults : public CoreLanes<T, size, extents...> {};

namespace lanes {

// Indices in one dimension, from its start: the same for all lanes, or one for each.
template <int size, class Index>
struct ReadIndices {
  int64 index;

  NPP_FUNCTION ReadIndices(Lanes<bool, size>, Index value, intp extent)
      : index(from_start(value, extent)) {}
  NPP_FUNCTION int64 of(int) const { return index; }
};
template <int size>
struct ReadIndices<size, Lanes<int64, size>> {
  Buffer<int64, size> indices;

  NPP_FUNCTION ReadIndices(Lanes<bool, size> mask, Lanes<int64, size> values, intp extent)
      : indices(from_start(select(mask, values, Lanes<int64, size>(0)), extent)) {}
  NPP_FUNCTION int64 of(int lane) const { return indices.lane[lane]; }
};

}  // namespace lanes

template <class T, int size, class Operand>
class CoreReads {
 public:
  using Value = Lanes<T, size>;
  using Mask = Lanes<bool, size>;

  NPP_FUNCTION CoreReads(const Operand& first, intp step) : first_(first), step_(step) {}

  NPP_FUNCTION intp shape(int axis) const { return first_.shape(axis); }

  // Without active lanes there may be nothing at an index, and no element at all.
  template <class... Index>
  NPP_FUNCTION Value load(Mask mask, Index... index) const {
    if (!lanes::any(mask)) return Value(T(0));
    return load_at(MakeIndices<sizeof...(Index)>(), mask, index...);
  }

 private:
  template <int... axis, class... Index>
  NPP_FUNCTION Value load_at(Indices<axis...>, Mask mask, Index... index) const {
    const Tuple<lanes::ReadIndices<size, Index>...> indices(
        lanes::ReadIndices<size, Index>(mask, index, first_.shape(axis))...);
    return lanes::from_each<T, size>([&](int lane) {
      const intp offset =
          ((lane * step_) + ... + (get<axis>(indices).of(lane) * first_.stride(axis)));
      return Memory<T>::load(first_.data() + offset);
    });
  }

  Operand first_;  // of the first lane
  intp step_;      // from lane to lane, in bytes
};

// ---- how a block begins with an operand: from its first element, `step` bytes from lane to lane

template <class LaneOperand>
struct LaneOperandOf;

template <class T, int size>
struct LaneOperandOf<Lanes<T, size>> {
  NPP_FUNCTION static Lanes<T, size> begin(const char* first, intp step, const intp*, const intp*) {
    return lanes::from_each<T, size>(
        [&](int lane) { return Memory<T>::load(first + lane * step); });
  }
};

template <class T, int size, intp... extents>
struct LaneOperandOf<CoreLanes<T, size, extents...>> {
  NPP_FUNCTION static CoreLanes<T, size, extents...> begin(const char* first, intp step,
                                                           const intp*, const intp* strides) {
    CoreLanes<T, size, extents...> operand;
    operand.load_all(first, step, strides);
    return operand;
  }
};

template <class T, int size, intp... extents>
struct LaneOperandOf<CoreResults<T, size, extents...>> {
  NPP_FUNCTION static CoreResults<T, size, extents...> begin(const char*, intp, const intp*,
                                                             const intp*) {
    return CoreResults<T, size, extents...>();
  }
};

template <class T, int size, class Operand>
struct LaneOperandOf<CoreReads<T, size, Operand>> {
  NPP_FUNCTION static CoreReads<T, size, Operand> begin(char* first, intp step, const intp* sizes,
                                                        const intp* strides) {
    return {Operand(first, sizes, strides), step};
  }
};

}  // namespace npp
