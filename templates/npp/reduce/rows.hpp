// One warp per chunk: adjacent lanes on adjacent elements.
#pragma once

#include "npp/reduce/levels.hpp"

namespace npp {

// Joins the lanes' quads of slots, of which the first `count` slots are there, in lane 0. A lane's
// quad is followed by those of the next lanes.
template <class Tree>
NPP_FUNCTION typename Tree::Item join_lanes(Errors& errors, typename Tree::Item item, int count) {
  const int lane = int(threadIdx.x % 32);
  const int n_lanes = (count + kQuad - 1) / kQuad - lane;  // from this one on
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const typename Tree::Item right = shuffle_down(0xffffffff, item, distance);
    // Other lanes' values are not used; simple functions may compute them.
    const bool is_left = Tree::kIsSimple || lane % (2 * distance) == 0;
    if (is_left && distance < n_lanes) item = Tree::join(errors, item, right);
  }
  return item;
}

// The item of a chunk of `count` elements in the lanes' slots, in lane 0.
template <class Tree>
NPP_FUNCTION typename Tree::Item join_slots(Errors& errors, typename Tree::Item (&slots)[kQuad],
                                            int count) {
  join_neighbours<Tree>(errors, slots, count - int(threadIdx.x % 32) * kQuad);
  return join_lanes<Tree>(errors, slots[0], count);
}

// A chunk by a warp.
struct ByWarp {
  template <class Tree, class Source>
  NPP_FUNCTION static typename Tree::Item reduce(Errors& errors, const Source& source, int count) {
    typename Tree::Item slots[kQuad] = {};
    source.template fill<Tree>(errors, int(threadIdx.x % 32) * kQuad, count, slots);
    return join_slots<Tree>(errors, slots, count);
  }
  template <class Level, class Item>
  NPP_FUNCTION static bool publish(const Level& level, const Item& item, bool is_first_lane,
                                   int n_members) {
    bool is_last_warp = false;
    if (is_first_lane) {
      *level.item() = item;
      is_last_warp = is_last(level.ticket(), n_members);
    }
    return follow_first_lane(is_last_warp);
  }
};

template <class Kernel, bool kHasVectors>
NPP_FUNCTION void run_reduce_rows(const typename Kernel::Arguments& arguments, Errors& errors) {
  using Number = typename Kernel::Number;
  using Item = typename Kernel::Item;
  using Tree = typename Kernel::Tree;
  const bool is_first_lane = threadIdx.x % 32 == 0;
  const Number n_chunks = Number(arguments.n_chunks), n_results = Number(arguments.outputs.n);
  const Number warp = Number(blockIdx.x) * kReduceWarps + threadIdx.x / 32;
  if (warp >= n_results * n_chunks) return;
  const Number number = n_results == 1 ? 0 : warp / n_chunks;
  const Number chunk = warp - number * n_chunks;
  const auto result = Kernel::find_result(arguments, number);
  Level<Item, Number> level = {bit_cast<Item*>(arguments.scratch),
                               bit_cast<uint32*>(arguments.tickets),
                               n_results,
                               n_results,
                               n_chunks,
                               chunk,
                               number,
                               number};
  int count = elements_of_chunk(Number(arguments.reduced.n), chunk);
  // As reduce_levels() does it, but elements are read before the loop: in fewer instructions.
  const int first = int(threadIdx.x % 32) * kQuad;
  const ElementSource<Kernel, kHasVectors> elements(arguments, errors, result, chunk * kChunk);
  Item slots[kQuad] = {};
  elements.template fill<Tree>(errors, first, count, slots);
  Item item;
#pragma unroll 1
  while (true) {
    item = join_slots<Tree>(errors, slots, count);
    if (level.is_root()) break;
    count = level.n_members();
    if (!ByWarp::publish(level, item, is_first_lane, count)) return;
    const ItemSource<Item> items{level.items_of_group(), n_results};
    items.template fill<Tree>(errors, first, count, slots);
    level.go_up();
  }
  if (is_first_lane) Kernel::store(arguments, errors, result, item);
}

}  // namespace npp

#define NPP_REDUCE_ROWS(make, name, has_vectors, ...)         \
  using name##_kernel = npp::ReduceKernel<__VA_ARGS__>;       \
  using name##_arguments = typename name##_kernel::Arguments; \
  make(name, name##_arguments, npp::run_reduce_rows<name##_kernel, has_vectors>)
#define NPP_REDUCE_ROWS_KERNEL(...) NPP_REDUCE_ROWS(NPP_CHUNKS_DEVICE_KERNEL, __VA_ARGS__)
#define NPP_RAISING_REDUCE_ROWS_KERNEL(...) \
  NPP_REDUCE_ROWS(NPP_RAISING_CHUNKS_DEVICE_KERNEL, __VA_ARGS__)
