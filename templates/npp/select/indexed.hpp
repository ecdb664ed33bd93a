// Elements that index arrays select, read and written. Elements are copied as words, whatever their
// dtype.
#pragma once

#include "npp/cuda/indexing.hpp"
#include "npp/select/arguments.hpp"

namespace npp {

// Elements of a thread, a block's width apart.
inline constexpr int kIndexedItems = 4;

// An element's place in the indexed array.
struct IndexedPlace {
  bool is_inside;  // whether all indices are in bounds
  int64 offset;    // in bytes
  uint64 number;   // of the place among all that the index arrays can select
};

template <class Arguments, class Offset, int kOperands>
NPP_FUNCTION IndexedPlace find_place(const Arguments& arguments,
                                     const Offset (&offsets)[kOperands]) {
  IndexedPlace place = {true, offsets[Arguments::kArray], 0};
#pragma unroll
  for (int i = 0; i < Arguments::kIndices; ++i) {
    const int operand = Arguments::kFirstIndex + i;
    const IndexedAxis& axis = arguments.axes[i];
    int64 index = *element_address<const int64>(arguments.call, operand, offsets[operand]);
    if (index < 0) index += axis.size;
    place.is_inside = place.is_inside && uint64(index) < uint64(axis.size);
    place.offset += index * axis.stride;
    place.number = place.number * uint64(axis.size) + uint64(index);
  }
  return place;
}

// Calls `visit(offsets, place)` for each of the thread's elements whose indices are in bounds, and
// sets the flag for others.
template <class Arguments, class Visit>
NPP_FUNCTION void for_each_place(const Arguments& arguments, const Visit& visit) {
  using Number = typename Arguments::Number;
  const Number first = Number(blockIdx.x) * (kThreads * kIndexedItems) + threadIdx.x;
  Number numbers[kIndexedItems];
#pragma unroll
  for (int k = 0; k < kIndexedItems; ++k) numbers[k] = first + Number(k) * kThreads;
  const auto offsets = find_offsets(arguments.call, numbers);
#pragma unroll
  for (int k = 0; k < kIndexedItems; ++k) {
    if (first + Number(k) * kThreads >= Number(arguments.call.n)) continue;
    const IndexedPlace place = find_place(arguments, offsets.bytes[k]);
    if (place.is_inside)
      visit(offsets.bytes[k], place);
    else if (arguments.fields.fault != 0)
      atomicCAS(bit_cast<uint32*>(arguments.fields.fault), 0u, 1u);
  }
}

template <int n_bytes>
NPP_FUNCTION void copy_words(char* to, const char* from, uint64 n_words) {
  using Raw = Words<n_bytes>;
  for (uint64 i = 0; i < n_words; ++i)
    reinterpret_cast<Raw*>(to)[i] = reinterpret_cast<const Raw*>(from)[i];
}

// values = array[index], in words of `n_bytes`.
template <int n_bytes, class Arguments>
NPP_FUNCTION void gather(const Arguments& arguments) {
  for_each_place(arguments, [&](const auto& offsets, const IndexedPlace& place) {
    copy_words<n_bytes>(
        element_address<char>(arguments.call, Arguments::kValues, offsets[Arguments::kValues]),
        address<char>(arguments.call.operands[Arguments::kArray]) + place.offset,
        arguments.fields.n_words);
  });
}

// The number of each place in the array, as the values: the array's strides are in elements, and
// its address is the number of its first one.
template <class Arguments>
NPP_FUNCTION void find_places(const Arguments& arguments) {
  const auto base = bit_cast<int64>(address<char>(arguments.call.operands[Arguments::kArray]));
  for_each_place(arguments, [&](const auto& offsets, const IndexedPlace& place) {
    *element_address<int64>(arguments.call, Arguments::kValues, offsets[Arguments::kValues]) =
        base + place.offset;
  });
}

// Only finds indices out of bounds.
template <class Arguments>
NPP_FUNCTION void check_places(const Arguments& arguments) {
  for_each_place(arguments, [](const auto&, const IndexedPlace&) {});
}

// Of all elements with the same place the last one in C order wins. `Rank` is an unsigned integer
// that holds their count.
template <class Rank, class Arguments>
NPP_FUNCTION Rank* winner_of(const Arguments& arguments, const IndexedPlace& place) {
  return bit_cast<Rank*>(arguments.fields.winners) + place.number;
}

// Finds the winner of each place, from zeros, and checks all indices.
template <class Rank, class Arguments>
NPP_FUNCTION void find_winners(const Arguments& arguments) {
  for_each_place(arguments, [&](const auto& offsets, const IndexedPlace& place) {
    atomicMax(winner_of<Rank>(arguments, place), Rank(offsets[Arguments::kNumber]) + 1);
  });
}

NPP_FUNCTION void mark_last(const LastMarks& arguments) {
  const uint64 i = uint64(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= arguments.n) return;
  const auto* const places = bit_cast<const int64*>(arguments.places);
  const auto* const order = bit_cast<const int64*>(arguments.order);
  bit_cast<bool*>(arguments.marks)[order[i]] =
      i + 1 == arguments.n || places[order[i]] != places[order[i + 1]];
}

template <class Rank, class Arguments>
NPP_FUNCTION bool is_winner(const Arguments& arguments, const IndexedPlace& place, uint64 number) {
  if (arguments.fields.winners == 0) return true;
  if constexpr (kIsSame<Rank, bool>)
    return bit_cast<const bool*>(arguments.fields.winners)[number];
  else
    return *winner_of<Rank>(arguments, place) == Rank(number) + 1;
}

// array[index] = values, in words of `n_bytes`. `Rank` is that of find_winners, or bool for marks.
template <int n_bytes, class Rank, class Arguments>
NPP_FUNCTION void scatter(const Arguments& arguments) {
  for_each_place(arguments, [&](const auto& offsets, const IndexedPlace& place) {
    if (!is_winner<Rank>(arguments, place, uint64(offsets[Arguments::kNumber]))) return;
    copy_words<n_bytes>(
        address<char>(arguments.call.operands[Arguments::kArray]) + place.offset,
        element_address<char>(arguments.call, Arguments::kValues, offsets[Arguments::kValues]),
        arguments.fields.n_words);
  });
}

}  // namespace npp
