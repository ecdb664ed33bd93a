// Searches in sorted rows, and runs of equal elements of them.
#pragma once

#include "npp/sort/arguments.hpp"
#include "npp/sort/keys.hpp"

namespace npp {

NPP_FUNCTION uint64 thread_number() { return uint64(blockIdx.x) * kThreads + threadIdx.x; }

// The number of the first elements, of n, for which `is_before` holds.
template <class IsBefore>
NPP_FUNCTION uint64 partition_point(uint64 n, const IsBefore& is_before) {
  uint64 low = 0;
  while (low < n) {
    const uint64 middle = low + (n - low) / 2;
    if (is_before(middle))
      low = middle + 1;
    else
      n = middle;
  }
  return low;
}

// The place where each key keeps the row sorted: before equal elements, or behind them.
template <class T, bool is_right>
NPP_FUNCTION void search_sorted(const SortedSearch& arguments) {
  const uint64 i = thread_number();
  if (i >= arguments.n_keys) return;
  const auto* const sorted = bit_cast<const StoredOf<T>*>(arguments.sorted);
  const auto key = WholeKey<T>::of(bit_cast<const StoredOf<T>*>(arguments.keys)[i]);
  const uint64 place = partition_point(arguments.n, [&](uint64 at) {
    const int order = WholeKey<T>::of(sorted[at]).compare(key);
    return is_right ? order <= 0 : order < 0;
  });
  bit_cast<int64*>(arguments.positions)[i] = int64(place);
}

template <class T, bool is_nan_equal>
NPP_FUNCTION void find_run_heads(const RunHeads& arguments) {
  const uint64 i = thread_number();
  if (i >= arguments.n) return;
  const auto* const sorted = bit_cast<const StoredOf<T>*>(arguments.sorted);
  bool is_head = i == 0;
  if (!is_head && SortKey<T>::is_nan(sorted[i]))
    is_head = !is_nan_equal || !SortKey<T>::is_nan(sorted[i - 1]);
  else if (!is_head)
    is_head = WholeKey<T>::of(sorted[i]).compare(WholeKey<T>::of(sorted[i - 1])) != 0;
  bit_cast<uint8*>(arguments.heads)[i] = is_head;
}

NPP_FUNCTION void write_run_numbers(const RunNumbers& arguments) {
  const uint64 i = thread_number();
  if (i >= arguments.n) return;
  const int64* const starts = bit_cast<const int64*>(arguments.starts);
  const uint64 n_before =
      partition_point(arguments.n_runs, [&](uint64 run) { return starts[run] <= int64(i); });
  const int64 place = bit_cast<const int64*>(arguments.positions)[i];
  bit_cast<int64*>(arguments.numbers)[place] = int64(n_before) - 1;
}

}  // namespace npp
