// One warp per chunk: adjacent lanes on adjacent elements.
#pragma once

#include "npp/reduce/levels.hpp"

namespace npp {

// Joins the lanes' quads of slots, of which the first `count` slots are there, in lane 0. A lane's
// quad is followed by those of the next lanes.
template <class Tree>
NPP_FUNCTION typename Tree::Item join_lanes(Errors& errors, typename Tree::Item item, int count) {
  using Item = typename Tree::Item;
  const int first = int(threadIdx.x % 32) * kQuad;
#pragma unroll
  for (int distance = kQuad; distance < kSlots; distance *= 2) {
    const Item other = shuffle_xor(0xffffffff, item, distance / kQuad);
    const bool is_right = (first & distance) != 0;
    const int right = (first & ~(2 * distance - 1)) + distance;
    if (right < count) item = Tree::join(errors, is_right ? other : item, is_right ? item : other);
  }
  return item;
}

// The item of a chunk of `count` elements, in lane 0.
template <class Tree, class Source>
NPP_FUNCTION typename Tree::Item reduce_by_warp(Errors& errors, const Source& source, int count) {
  const int first = int(threadIdx.x % 32) * kQuad;
  typename Tree::Item item = {};
  if (first < count) item = quad_of_slots<Tree>(errors, source, first, count);
  return join_lanes<Tree>(errors, item, count);
}

template <class Kernel, bool kHasVectors>
NPP_FUNCTION void run_reduce_rows(const typename Kernel::Arguments& arguments, Errors& errors) {
  using Number = typename Kernel::Number;
  using Item = typename Kernel::Item;
  using Tree = typename Kernel::Tree;
  const bool is_first_lane = threadIdx.x % 32 == 0;
  const uint64 warp = uint64(blockIdx.x) * kReduceWarps + threadIdx.x / 32;
  if (warp >= arguments.outputs.n * arguments.n_chunks) return;
  const uint64 number = warp / arguments.n_chunks;
  Level<Item> level(arguments, warp - number * arguments.n_chunks);
  const auto result = Kernel::find_result(arguments, Number(number));
  LevelSource<ElementSource<Kernel, kHasVectors>, Item> source{
      {arguments, errors, result, Number(level.chunk * kChunk)}};
  int count = elements_of_chunk(arguments.reduced.n, level.chunk);
  Item item;
#pragma unroll 1
  while (true) {
    item = reduce_by_warp<Tree>(errors, source, count);
    if (level.is_root()) break;
    Item* const items = level.items + number * level.n_chunks;
    if (is_first_lane) items[level.chunk] = item;
    uint32* const ticket = level.tickets + number * level.n_groups() + level.group();
    count = level.n_members();
    if (!is_last_warp(ticket, count)) return;
    source.items = items + level.group() * kChunk;
    level.go_up();
  }
  if (is_first_lane) Kernel::store(arguments, errors, result, item);
}

}  // namespace npp

#define NPP_REDUCE_ROWS(make, name, has_vectors, ...)         \
  using name##_kernel = npp::ReduceKernel<__VA_ARGS__>;       \
  using name##_arguments = typename name##_kernel::Arguments; \
  make(name, name##_arguments, npp::run_reduce_rows<name##_kernel, has_vectors>)
#define NPP_REDUCE_ROWS_KERNEL(...) NPP_REDUCE_ROWS(NPP_REDUCE_DEVICE_KERNEL, __VA_ARGS__)
#define NPP_RAISING_REDUCE_ROWS_KERNEL(...) \
  NPP_REDUCE_ROWS(NPP_RAISING_REDUCE_DEVICE_KERNEL, __VA_ARGS__)
