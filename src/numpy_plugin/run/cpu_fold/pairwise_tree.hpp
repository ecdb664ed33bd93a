// The shape of pairwise sums: halves, down to blocks with several accumulators, as that of NumPy's
// sums (numpy/_core/src/umath/loops_utils.h.src). It depends on the number of elements alone, so
// parts may be computed in any order, with interruptions between them, by any thread.
#pragma once

#include <complex>

namespace numpy_plugin::run {

// Of a block, in real numbers. Halves begin at multiples of the accumulators.
inline constexpr long kAccumulators = 8;
inline constexpr long kPairwiseBlock = 128;

template <class Value>
inline constexpr long kComponents = 1;
template <class Real>
inline constexpr long kComponents<std::complex<Real>> = 2;

// In elements.
template <class Value>
inline constexpr long kBlockAccumulators = kAccumulators / kComponents<Value>;
template <class Value>
inline constexpr long kSumBlockElements = kPairwiseBlock / kComponents<Value>;

// A sum that starts from -0 keeps the signs of zeros.
template <class Value>
Value negative_zero() {
  if constexpr (kComponents<Value> == 1) return Value(-0.0);
  if constexpr (kComponents<Value> == 2) return Value(-0.0, -0.0);
}

template <class Value>
constexpr long first_half(long n) {
  return n / 2 - n / 2 % kBlockAccumulators<Value>;
}

// Adds the sums of parts with at most `n_most` elements, no less than a block, as `sum_of(first,
// n)` gives them.
template <class Value, class SumOf>
Value add_parts(long first, long n, long n_most, const SumOf& sum_of) {
  if (n <= n_most) return sum_of(first, n);
  const long half = first_half<Value>(n);
  const Value left = add_parts<Value>(first, half, n_most, sum_of);
  return left + add_parts<Value>(first + half, n - half, n_most, sum_of);
}

}  // namespace numpy_plugin::run
