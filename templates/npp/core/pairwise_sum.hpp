// Sums in kernels: of the values that a function gives for 0, 1, ..., n - 1, in the order of
// pairwise_tree.hpp on every target.
#pragma once

#include "npp/core/element_blocks.hpp"
#include "npp/core/ops.hpp"
#include "npp/core/pairwise_tree.hpp"

namespace npp {

template <class T>
inline constexpr int kSumComponents = sizeof(T) / sizeof(Real<T>);
template <class T>
inline constexpr int kBlockAccumulators = kSumAccumulators / kSumComponents<T>;
template <class T>
inline constexpr int kBlockElements = kSumBlock / kSumComponents<T>;

// A sum that starts from -0 keeps the signs of zeros.
template <class T>
NPP_FUNCTION constexpr T negative_zero() {
  if constexpr (kIsComplex<T>) return T(-0.0, -0.0);
  if constexpr (!kIsComplex<T>) return T(-0.0);
}

// Neighbours, then neighbouring pairs, and so on.
template <int n, class T>
NPP_FUNCTION T sum_of_neighbours(const T* values) {
  if constexpr (n == 1) return *values;
  if constexpr (n > 1)
    return sum_of_neighbours<n / 2>(values) + sum_of_neighbours<n / 2>(values + n / 2);
}

// Adds an element to the first accumulator, which becomes the last one: the next element's is
// first.
template <int n, class T>
NPP_FUNCTION void add_in_turn(T (&sums)[n], T element) {
  const T sum = sums[0] + element;
  NPP_UNROLLED
  for (int next = 1; next < n; ++next) sums[next - 1] = sums[next];
  sums[n - 1] = sum;
}

// `is_repeated`: whether the compiler sees an element's code several times: with constant indices,
// the accumulators of a host are vectors.
template <class T, bool is_repeated, class Element>
NPP_FUNCTION T sum_of_block(int64 first, int64 n, const Element& element) {
  constexpr int kCount = kBlockAccumulators<T>;
  T sums[kCount];
  NPP_UNROLLED
  for (int k = 0; k < kCount; ++k) sums[k] = negative_zero<T>();
  int64 i = 0;
  NPP_ROLLED
  for (; i + kCount <= n; i += kCount) {
    if constexpr (is_repeated) {
      NPP_UNROLLED
      for (int k = 0; k < kCount; ++k) sums[k] = sums[k] + element(first + i + k);
    } else {
      NPP_ROLLED
      for (int k = 0; k < kCount; ++k) add_in_turn(sums, element(first + i + k));
    }
  }
  T sum = i > 0 ? sum_of_neighbours<kCount>(sums) : negative_zero<T>();
  NPP_ROLLED
  for (; i < n; ++i) sum = sum + element(first + i);
  return sum;
}

#if !NPP_DEVICE
// The elements are computed first, in a loop like any other, which compilers vectorize.
template <class T, class Element>
NPP_FUNCTION T sum_of_computed(int64 first, int64 n, const Element& element) {
  T values[kBlockElements<T>];
  NPP_ANY_ORDER_BLOCK
  for (int64 i = 0; i < n; ++i) values[i] = element(first + i);
  return sum_of_block<T, true>(0, n, [&](int64 i) NPP_ELEMENT { return values[i]; });
}
#endif

// Properties of the elements' code.
enum class Terms {
  kSmall,    // may be there several times
  kWidened,  // likewise, but hosts vectorize it in loops of its own alone
  kLarge,    // is there once
  kNested    // likewise, with a loop in it
};

template <class T, Terms terms, class Element>
NPP_FUNCTION T pairwise_sum(int64 n, const Element& element) {
#if !NPP_DEVICE
  if (terms != Terms::kNested && n < kBlockAccumulators<T>) {
    // The same order without the tree, which takes longer than a few elements.
    T sum = negative_zero<T>();
    for (int64 i = 0; i < n; ++i) sum = sum + element(i);
    return sum;
  }
#endif
  constexpr bool kIsRepeated = terms == Terms::kSmall || terms == Terms::kWidened;
  return add_parts<T, kBlockAccumulators<T>>(
      n, kBlockElements<T>, [&](int64 first, int64 n_block) NPP_ELEMENT {
#if !NPP_DEVICE
        if constexpr (terms != Terms::kSmall) return sum_of_computed<T>(first, n_block, element);
#endif
        return sum_of_block<T, kIsRepeated>(first, n_block, element);
      });
}

// Sums of the columns of a matrix, each in the same order, with which `store(column, sum)` is
// called. Hosts read row by row, as memory lies.
#if NPP_DEVICE
template <class T, Terms terms, class Element, class Store>
NPP_FUNCTION void sum_columns(int64 n_columns, int64 n_rows, const Element& element,
                              const Store& store) {
  for (int64 column = 0; column < n_columns; ++column) {
    store(column, T(0) + pairwise_sum<T, terms>(
                             n_rows, [&](int64 row) { return T(element(column, row)); }));
  }
}
#else
template <class T>
struct ColumnSums {
  static constexpr int64 kMost = 512 / sizeof(T);
  int64 n;
  T values[kMost];

  NPP_FUNCTION ColumnSums operator+(const ColumnSums& other) const {
    ColumnSums sums;
    sums.n = n;
    for (int64 k = 0; k < n; ++k) sums.values[k] = values[k] + other.values[k];
    return sums;
  }
};

template <class T, class Element>
NPP_FUNCTION ColumnSums<T> sums_of_block(int64 n_columns, int64 first, int64 n,
                                         const Element& element) {
  constexpr int kCount = kBlockAccumulators<T>;
  const auto add_row = [&](ColumnSums<T>& sums, int64 row) NPP_ELEMENT {
    NPP_ANY_ORDER_BLOCK
    for (int64 k = 0; k < n_columns; ++k) sums.values[k] = sums.values[k] + element(k, row);
  };
  ColumnSums<T> sums[kCount], sum;
  for (ColumnSums<T>& each : sums)
    for (int64 k = 0; k < n_columns; ++k) each.values[k] = negative_zero<T>();
  sum.n = n_columns;
  int64 i = 0;
  for (; i < n / kCount * kCount; ++i) add_row(sums[i % kCount], first + i);
  for (int64 k = 0; k < n_columns; ++k) {
    T parts[kCount];
    NPP_UNROLLED
    for (int part = 0; part < kCount; ++part) parts[part] = sums[part].values[k];
    sum.values[k] = i > 0 ? sum_of_neighbours<kCount>(parts) : negative_zero<T>();
  }
  for (; i < n; ++i) add_row(sum, first + i);
  return sum;
}

template <class T, Terms terms, class Element, class Store>
NPP_FUNCTION void sum_columns(int64 n_columns, int64 n_rows, const Element& element,
                              const Store& store) {
  constexpr int64 kTogether = ColumnSums<T>::kMost;
  for (int64 first = 0; first < n_columns; first += kTogether) {
    const int64 count = n_columns - first < kTogether ? n_columns - first : kTogether;
    const ColumnSums<T> sums = add_parts<ColumnSums<T>, kBlockAccumulators<T>>(
        n_rows, kBlockElements<T>, [&](int64 row, int64 n_block) NPP_ELEMENT {
          return sums_of_block<T>(count, row, n_block, [&](int64 k, int64 i) NPP_ELEMENT {
            return T(element(first + k, i));
          });
        });
    for (int64 k = 0; k < count; ++k) store(first + k, T(0) + sums.values[k]);
  }
}
#endif

}  // namespace npp
