// `accumulate` with one thread per line, adjacent threads on adjacent lines: for many lines along
// an axis that is not the innermost, and for short lines. What is combined with what is as in
// scan.hpp, so that the results have the same bits; each element is read once and written once.
#pragma once

#include "npp/reduce/scan.hpp"

namespace npp {

inline constexpr int kGroupLevels = 7;
static_assert(1 << kGroupLevels == kScanGroup);

// One line, from its first element to its last.
template <class Kernel>
struct ScanColumn {
  using Tree = typename Kernel::Tree;
  using Item = typename Kernel::Item;
  using Number = typename Kernel::Number;
  using Result = typename Kernel::Result;
  using Arguments = typename Kernel::Arguments;

  const Arguments& arguments;
  Errors& errors;
  const Result& result;
  uint64 n;

  // Prefixes of up to 32 elements, combined with what precedes them in 512, `carry`, which becomes
  // that of the next ones. Written combined with `before`, if that is there.
  NPP_FUNCTION void scan_row(uint64 first, bool has_carry, Item& carry, bool has_before,
                             const Item& before) const {
    const int count = n - first < 32 ? int(n - first) : 32;
    const ElementSource<Kernel, false> source(arguments, errors, result, Number(first));
    Item items[32] = {};
#pragma unroll
    for (int i = 0; i < 32; ++i) {
      if (i < count) items[i] = source.one(i);
    }
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
#pragma unroll
      for (int i = 31; i >= distance; --i) {
        if (i < count) items[i] = Tree::join(errors, items[i - distance], items[i]);
      }
    }
    const Item of_rows = carry;
#pragma unroll
    for (int i = 0; i < 32; ++i) {
      if (i >= count) continue;
      const Item item = has_carry ? Tree::join(errors, of_rows, items[i]) : items[i];
      carry = item;
      Kernel::write_element(arguments, errors, result, Number(first) + Number(i),
                            has_before ? Tree::join(errors, before, item) : item);
    }
  }

  // Up to 512 elements; returns what they are combined.
  NPP_FUNCTION Item scan_part(uint64 first, bool has_before, const Item& before) const {
    Item carry = {};
#pragma unroll 1
    for (int row = 0; row < kScanRows; ++row) {
      const uint64 begin = first + uint64(row) * 32;
      if (begin >= n) break;
      scan_row(begin, row > 0, carry, has_before, before);
    }
    return carry;
  }

  // Up to 4096 elements, likewise, after `prefix` if that is there.
  NPP_FUNCTION Item scan_tile(uint64 first, bool has_prefix, const Item& prefix) const {
    Item aggregate = {}, before = prefix;
#pragma unroll 1
    for (int part = 0; part < kReduceWarps; ++part) {
      const uint64 begin = first + uint64(part) * kScanOfWarp;
      if (begin >= n) break;
      const bool is_first = part == 0;
      const Item total = scan_part(begin, has_prefix || !is_first, before);
      aggregate = is_first ? total : Tree::join(errors, aggregate, total);
      before = is_first && !has_prefix ? total : Tree::join(errors, before, total);
    }
    return aggregate;
  }
};

template <class Kernel>
NPP_FUNCTION void run_scan_columns(const typename Kernel::Arguments& arguments, Errors& errors) {
  using Item = typename Kernel::Item;
  using Tree = typename Kernel::Tree;
  const uint64 number = uint64(blockIdx.x) * kReduceThreads + threadIdx.x;
  if (number >= arguments.outputs.n) return;
  const auto result = Kernel::find_result(arguments, typename Kernel::Number(number));
  const ScanColumn<Kernel> column{arguments, errors, result, arguments.reduced.n};
  GrowingTree<Tree, kGroupLevels> tiles;
  Item of_groups = {};
  bool has_groups = false;
#pragma unroll 1
  for (uint64 first = 0; first < column.n; first += kScanTile) {
    Item prefix = of_groups;
    if (tiles.n_items > 0) {
      prefix = tiles.root(errors);
      if (has_groups) prefix = Tree::join(errors, of_groups, prefix);
    }
    const Item aggregate = column.scan_tile(first, first > 0, prefix);
    if (tiles.n_items < kScanGroup - 1) {
      tiles.add(errors, aggregate);
      continue;
    }
    of_groups = Tree::join(errors, prefix, aggregate);
    has_groups = true;
    tiles.n_items = 0;
  }
}

}  // namespace npp

#define NPP_SCAN_COLUMNS_KERNEL(name, ...) \
  NPP_SCAN(NPP_REDUCE_DEVICE_KERNEL, name, npp::run_scan_columns, __VA_ARGS__)
#define NPP_RAISING_SCAN_COLUMNS_KERNEL(name, ...) \
  NPP_SCAN(NPP_RAISING_REDUCE_DEVICE_KERNEL, name, npp::run_scan_columns, __VA_ARGS__)
