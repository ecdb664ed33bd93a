// Sorts rows in shared memory, by a bitonic network: a block a row. Equal keys keep their order,
// because their positions are compared.
#pragma once

#include "npp/sort/arguments.hpp"
#include "npp/sort/keys.hpp"

namespace npp {

// Of a row that fits into shared memory.
using ShortPosition = UnsignedOfSize<2>;

template <class T, int kCapacity>
struct ShortRow {
  WholeKey<T> keys[kCapacity];
  ShortPosition positions[kCapacity];

  NPP_FUNCTION bool is_before(int a, int b) const {
    const int order = keys[a].compare(keys[b]);
    return order != 0 ? order < 0 : positions[a] < positions[b];
  }
  NPP_FUNCTION void swap(int a, int b) {
    const WholeKey<T> key = keys[a];
    const ShortPosition position = positions[a];
    keys[a] = keys[b], positions[a] = positions[b];
    keys[b] = key, positions[b] = position;
  }
};

// Compares pairs `distance` apart; blocks of `size` elements alternate in direction.
template <class T, int kCapacity>
NPP_FUNCTION void exchange_pairs(ShortRow<T, kCapacity>& row, int size, int distance) {
  const int pair = threadIdx.x;
  const int low = 2 * pair - (pair & (distance - 1));
  const bool ascends = (low & size) == 0;
  if (row.is_before(low + distance, low) == ascends) row.swap(low, low + distance);
}

// A block of kCapacity / 2 threads; `write` stores the element at a place of the row, given its
// position among the values.
template <class T, int kCapacity, class Write>
NPP_FUNCTION void sort_short_row(const ShortRowSort& arguments, Write write) {
  __shared__ ShortRow<T, kCapacity> row;
  const uint64 first = uint64(blockIdx.x) * arguments.n;
  const auto* const values = bit_cast<const StoredOf<T>*>(arguments.values) + first;
  const int n = int(arguments.n);
  for (int i = threadIdx.x; i < kCapacity; i += kCapacity / 2) {
    row.keys[i] = i < n ? WholeKey<T>::of(values[i]) : WholeKey<T>::last();
    row.positions[i] = ShortPosition(i);
  }
#pragma unroll 1
  for (int size = 2; size <= kCapacity; size *= 2) {
#pragma unroll 1
    for (int distance = size / 2; distance > 0; distance /= 2) {
      __syncthreads();
      exchange_pairs(row, size, distance);
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += kCapacity / 2) write(first + i, first, row.positions[i]);
}

template <class T, int kCapacity>
NPP_FUNCTION void argsort_short_rows(const ShortRowSort& arguments) {
  auto* const positions = bit_cast<int64*>(arguments.sorted);
  sort_short_row<T, kCapacity>(arguments,
                               [=](uint64 i, uint64, int64 position) { positions[i] = position; });
}

template <class T, int kCapacity>
NPP_FUNCTION void sort_short_rows(const ShortRowSort& arguments) {
  const auto* const values = bit_cast<const StoredOf<T>*>(arguments.values);
  auto* const sorted = bit_cast<StoredOf<T>*>(arguments.sorted);
  sort_short_row<T, kCapacity>(arguments, [=](uint64 i, uint64 first, int64 position) {
    sorted[i] = values[first + position];
  });
}

}  // namespace npp
