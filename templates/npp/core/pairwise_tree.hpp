// The shape of pairwise sums: halves, down to blocks with several accumulators, as that of NumPy's
// sums (numpy/_core/src/umath/loops_utils.h.src). It depends on the number of elements alone, so
// parts may be computed in any order, with interruptions between them, by any thread. Sums in
// kernels and those of the library (run/cpu/reduce/) share it.
#pragma once

#include "npp/core/prelude.hpp"

namespace npp {

// Of a block, in real numbers. Halves begin at multiples of the accumulators.
inline constexpr int kSumAccumulators = 8;
inline constexpr int kSumBlock = 128;

// Levels of the halves of any number of elements.
inline constexpr int kSumLevels = 57;

template <int n_accumulators>
NPP_FUNCTION constexpr long first_half(long n) {
  return long(uint64(n) / 2 / n_accumulators * n_accumulators);
}

// Adds the sums of parts with at most `n_most` elements, no less than a block, which `sum_of(first,
// n)` gives in order. Without recursion, which devices have no stack for.
template <class Value, int n_accumulators, class SumOf>
NPP_FUNCTION Value add_parts(long n, long n_most, const SumOf& sum_of) {
  Value lefts[kSumLevels];    // sums of the first halves around a part
  long n_rights[kSumLevels];  // of second halves to come; 0 where a part is in the second half
  int level = 0;
  for (long first = 0;;) {
    for (; n > n_most; ++level) {
      const long half = first_half<n_accumulators>(n);
      n_rights[level] = n - half;
      n = half;
    }
    Value sum = sum_of(first, n);
    first += n;
    for (; level > 0 && n_rights[level - 1] == 0; --level) sum = lefts[level - 1] + sum;
    if (level == 0) return sum;
    lefts[level - 1] = sum;
    n = n_rights[level - 1];
    n_rights[level - 1] = 0;
  }
}

}  // namespace npp
