// Reductions of a matrix along its columns in kernels: on hosts row by row, so that memory is read
// as it lies, with the values of one column after the other.
#pragma once

#include "npp/core/element_blocks.hpp"

namespace npp {

// Calls `store(column, total)` with `join(total, element(column, row))` of all rows in order.
template <class T, class Element, class Join, class Store>
NPP_FUNCTION void fold_columns(int64 n_columns, int64 n_rows, T start, const Element& element,
                               const Join& join, const Store& store) {
#if NPP_DEVICE
  for (int64 column = 0; column < n_columns; ++column) {
    T total = start;
    for (int64 row = 0; row < n_rows; ++row) total = join(total, element(column, row));
    store(column, total);
  }
#else
  constexpr int64 kTogether = 2048 / sizeof(T);
  T totals[kTogether];
  NPP_ROLLED
  for (int64 first = 0; first < n_columns; first += kTogether) {
    const int64 count = n_columns - first < kTogether ? n_columns - first : kTogether;
    for (int64 k = 0; k < count; ++k) totals[k] = start;
    for (int64 row = 0; row < n_rows; ++row) {
      NPP_ANY_ORDER_BLOCK
      for (int64 k = 0; k < count; ++k) totals[k] = join(totals[k], element(first + k, row));
    }
    for (int64 k = 0; k < count; ++k) store(first + k, totals[k]);
  }
#endif
}

}  // namespace npp
