// `accumulate`: one block per tile of a line, in one launch; or one thread per line, in order.
//
// A tile is 4096 elements, a group 128 tiles. In a tile, a warp scans rows of 32 elements, one
// after the other; the totals of the warps are combined in order. A tile's prefix combines the
// group's with the tree (tree.hpp) of the aggregates of the group's earlier tiles; a group's is the
// one before with that tree of all its tiles but the last, then with the last one's aggregate. What
// is combined with what depends only on the numbers of elements.
//
// No tile waits for a chain of groups: it looks back from its own to the nearest one whose prefix
// is known, and combines the parts of those after it itself (decoupled look-back, Merrill and
// Garland 2016, in a fixed order).
//
// Scratch: `scratch` has an item per tile, then three per group; `tickets` a counter, a flag per
// tile, then one per group. Tiles are taken by the counter, so that whatever a tile waits for is
// running.
#pragma once

#include "npp/reduce/in_order.hpp"
#include "npp/reduce/rows.hpp"
#include "npp/reduce/scan_state.hpp"

namespace npp {

inline constexpr int kScanRows = 16;  // of a warp
inline constexpr int kScanOfWarp = 32 * kScanRows;
inline constexpr int kScanTile = kReduceWarps * kScanOfWarp;
inline constexpr int kScanGroup = kSlots;  // tiles

// One tile of a line.
template <class Kernel>
struct ScanTile {
  using Tree = typename Kernel::Tree;
  using Item = typename Kernel::Item;
  using Number = typename Kernel::Number;
  using Arguments = typename Kernel::Arguments;

  const Arguments& arguments;
  Errors& errors;
  uint64 line;
  uint64 tile;
  int count;  // elements

  NPP_FUNCTION static int lane() { return int(threadIdx.x % 32); }
  NPP_FUNCTION static int warp() { return int(threadIdx.x / 32); }
  NPP_FUNCTION int index(int row) const { return warp() * kScanOfWarp + row * 32 + lane(); }
  NPP_FUNCTION uint64 n_tiles() const { return arguments.n_chunks; }
  NPP_FUNCTION uint64 n_groups() const { return (n_tiles() + kScanGroup - 1) / kScanGroup; }
  NPP_FUNCTION bool is_last() const { return tile + 1 == n_tiles(); }

  NPP_FUNCTION ScanTiles<Item> tiles() const {
    return {bit_cast<Item*>(arguments.scratch) + line * n_tiles(),
            bit_cast<uint32*>(arguments.tickets) + 1 + line * n_tiles()};
  }
  NPP_FUNCTION ScanGroups<Item> groups() const {
    using Group = typename ScanGroups<Item>::Group;
    const uint64 n_all = arguments.outputs.n * n_tiles();
    auto* const items = bit_cast<Item*>(arguments.scratch) + n_all;
    return {reinterpret_cast<Group*>(items) + line * n_groups(),
            bit_cast<uint32*>(arguments.tickets) + 1 + n_all + line * n_groups()};
  }

  // Inclusive prefixes within the warp's elements.
  NPP_FUNCTION void scan_warp(Item (&items)[kScanRows]) const {
#pragma unroll
    for (int row = 0; row < kScanRows; ++row) {
      Item item = items[row];
      const bool is_present = index(row) < count;
#pragma unroll
      for (int distance = 1; distance < 32; distance *= 2) {
        const Item other = shuffle_up(0xffffffff, item, distance);
        if (is_present && lane() >= distance) item = Tree::join(errors, other, item);
      }
      if (row > 0) {
        const Item carry = shuffle(0xffffffff, items[row - 1], 31);
        if (is_present) item = Tree::join(errors, carry, item);
      }
      items[row] = item;
    }
  }

  // What precedes a group that is not the line's first, in lane 0.
  NPP_FUNCTION Item find_group_prefix(uint64 group) const {
    const int distance = groups().wait_for_prefix(group, lane());
    const auto* const own = groups().groups + (group - 1 - lane());
    Item tree = {}, last = {}, prefix = {};
    if (lane() == distance - 1) prefix = own->prefix;
    if (lane() < distance - 1) tree = own->tree, last = own->last;
    prefix = shuffle(0xffffffff, prefix, distance - 1);
#pragma unroll 1
    for (int i = distance - 2; i >= 0; --i) {
      const Item middle = shuffle(0xffffffff, tree, i), end = shuffle(0xffffffff, last, i);
      if (lane() == 0) prefix = Tree::join(errors, Tree::join(errors, prefix, middle), end);
    }
    return prefix;
  }

  // The prefix of a tile that is not the line's first, in lane 0 of the first warp. The last tile
  // of a group adds its aggregate, and publishes the group's parts and prefix.
  NPP_FUNCTION Item find_prefix(const Item& aggregate) const {
    const uint64 group = tile / kScanGroup;
    const int n_before = int(tile % kScanGroup);
    const bool publishes = n_before == kScanGroup - 1 && !is_last() && lane() == 0;
    const Item tree = find_tree(group, n_before);
    Item prefix = tree;
    if (group > 0) {
      if (publishes) groups().put_parts(group, tree, aggregate);
      prefix = find_group_prefix(group);
      if (n_before > 0 && lane() == 0) prefix = Tree::join(errors, prefix, tree);
    }
    if (publishes) groups().put_prefix(group, Tree::join(errors, prefix, aggregate));
    return prefix;
  }

  // The tree of a group's first tiles, in lane 0.
  NPP_FUNCTION Item find_tree(uint64 group, int count) const {
    const int first = lane() * kQuad;
    Item items[kQuad] = {};
#pragma unroll
    for (int i = 0; i < kQuad; ++i) {
      if (first + i < count) items[i] = tiles().wait_for(group * kScanGroup + first + i);
    }
    if (first < count) join_neighbours<Tree>(errors, items, count - first);
    return join_lanes<Tree>(errors, items[0], count);
  }
};

template <class Kernel>
NPP_FUNCTION void run_scan(const typename Kernel::Arguments& arguments, Errors& errors) {
  using Item = typename Kernel::Item;
  using Tree = typename Kernel::Tree;
  using Number = typename Kernel::Number;
  __shared__ uint64 block;
  __shared__ Item totals[kReduceWarps];
  __shared__ Item first_prefix;  // what precedes the tile, else the first warp's total
  if (threadIdx.x == 0) {
    block = arguments.n_chunks == 1 ? uint64(blockIdx.x)
                                    : atomicAdd(bit_cast<uint32*>(arguments.tickets), 1u);
  }
  __syncthreads();
  const uint64 line = block / arguments.n_chunks, number = block - line * arguments.n_chunks;
  const uint64 first = number * kScanTile, left = arguments.reduced.n - first;
  const ScanTile<Kernel> tile{arguments, errors, line, number,
                              left < kScanTile ? int(left) : kScanTile};
  const auto result = Kernel::find_result(arguments, Number(line));
  const ElementSource<Kernel, false> source(arguments, errors, result, Number(first));
  Item items[kScanRows] = {};
#pragma unroll
  for (int row = 0; row < kScanRows; ++row) {
    if (tile.index(row) < tile.count) items[row] = source.one(tile.index(row));
  }
  tile.scan_warp(items);
  if (tile.lane() == 31) totals[tile.warp()] = items[kScanRows - 1];
  __syncthreads();
  const bool has_prefix = number > 0;
  if (tile.warp() == 0) {
    Item aggregate = totals[0];
    if (tile.lane() == 0 && !tile.is_last()) {
#pragma unroll 1
      for (int i = 1; i < kReduceWarps; ++i) aggregate = Tree::join(errors, aggregate, totals[i]);
      tile.tiles().put(number, aggregate);
    }
    if (!has_prefix && tile.lane() == 0) first_prefix = totals[0];
    if (has_prefix) {
      const Item prefix = tile.find_prefix(aggregate);
      if (tile.lane() == 0) first_prefix = prefix;
    }
  }
  __syncthreads();
  if (tile.warp() * kScanOfWarp >= tile.count) return;
  Item before = first_prefix;
#pragma unroll 1
  for (int i = has_prefix ? 0 : 1; i < tile.warp(); ++i)
    before = Tree::join(errors, before, totals[i]);
  const bool is_first = !has_prefix && tile.warp() == 0;
#pragma unroll
  for (int row = 0; row < kScanRows; ++row) {
    if (tile.index(row) >= tile.count) continue;
    const Item item = is_first ? items[row] : Tree::join(errors, before, items[row]);
    Kernel::write_element(arguments, errors, result, Number(first) + Number(tile.index(row)), item);
  }
}

template <class Kernel>
NPP_FUNCTION void run_scan_in_order(const typename Kernel::Arguments& arguments, Errors& errors) {
  using Number = typename Kernel::Number;
  using Source = ElementSource<Kernel, false>;
  const uint64 number = uint64(blockIdx.x) * kReduceThreads + threadIdx.x;
  if (number >= arguments.outputs.n) return;
  const auto result = Kernel::find_result(arguments, Number(number));
  InOrder<Kernel> order{};
#pragma unroll 1
  for (Number i = 0; i < Number(arguments.reduced.n); ++i) {
    order.template take<1>(errors, Source(arguments, errors, result, i));
    Kernel::write_element(arguments, errors, result, i, order.value);
  }
}

}  // namespace npp

#define NPP_SCAN(make, name, run, ...)                        \
  using name##_kernel = npp::ReduceKernel<__VA_ARGS__>;       \
  using name##_arguments = typename name##_kernel::Arguments; \
  make(name, name##_arguments, run<name##_kernel>)
#define NPP_SCAN_KERNEL(name, ...) \
  NPP_SCAN(NPP_REDUCE_DEVICE_KERNEL, name, npp::run_scan, __VA_ARGS__)
#define NPP_RAISING_SCAN_KERNEL(name, ...) \
  NPP_SCAN(NPP_RAISING_REDUCE_DEVICE_KERNEL, name, npp::run_scan, __VA_ARGS__)
#define NPP_SCAN_IN_ORDER_KERNEL(name, ...) \
  NPP_SCAN(NPP_REDUCE_DEVICE_KERNEL, name, npp::run_scan_in_order, __VA_ARGS__)
#define NPP_RAISING_SCAN_IN_ORDER_KERNEL(name, ...) \
  NPP_SCAN(NPP_RAISING_REDUCE_DEVICE_KERNEL, name, npp::run_scan_in_order, __VA_ARGS__)
