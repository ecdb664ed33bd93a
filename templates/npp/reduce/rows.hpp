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

// A chunk by a warp.
struct ByWarp {
  template <class Tree, class Source>
  NPP_FUNCTION static typename Tree::Item reduce(Errors& errors, const Source& source, int count) {
    return reduce_by_warp<Tree>(errors, source, count);
  }
  NPP_FUNCTION static bool is_last(uint32* ticket, int n_members) {
    return is_last_warp(ticket, n_members);
  }
};

template <class Kernel, bool kHasVectors>
NPP_FUNCTION void run_reduce_rows(const typename Kernel::Arguments& arguments, Errors& errors) {
  using Number = typename Kernel::Number;
  using Item = typename Kernel::Item;
  const bool is_first_lane = threadIdx.x % 32 == 0;
  const uint64 n_results = arguments.outputs.n;
  const uint64 warp = uint64(blockIdx.x) * kReduceWarps + threadIdx.x / 32;
  if (warp >= n_results * arguments.n_chunks) return;
  const uint64 number = warp / arguments.n_chunks;
  const uint64 chunk = warp - number * arguments.n_chunks;
  const auto result = Kernel::find_result(arguments, Number(number));
  LevelSource<ElementSource<Kernel, kHasVectors>, Item> source{
      {arguments, errors, result, Number(chunk * kChunk)}};
  const Level<Item> level = {bit_cast<Item*>(arguments.scratch),
                             bit_cast<uint32*>(arguments.tickets),
                             n_results,
                             n_results,
                             arguments.n_chunks,
                             chunk,
                             number,
                             number};
  const int count = elements_of_chunk(arguments.reduced.n, chunk);
  Item item;
  const bool has_result = reduce_levels<typename Kernel::Tree, ByWarp>(errors, source, level, count,
                                                                       is_first_lane, item);
  if (has_result && is_first_lane) Kernel::store(arguments, errors, result, item);
}

}  // namespace npp

#define NPP_REDUCE_ROWS(make, name, has_vectors, ...)         \
  using name##_kernel = npp::ReduceKernel<__VA_ARGS__>;       \
  using name##_arguments = typename name##_kernel::Arguments; \
  make(name, name##_arguments, npp::run_reduce_rows<name##_kernel, has_vectors>)
#define NPP_REDUCE_ROWS_KERNEL(...) NPP_REDUCE_ROWS(NPP_REDUCE_DEVICE_KERNEL, __VA_ARGS__)
#define NPP_RAISING_REDUCE_ROWS_KERNEL(...) \
  NPP_REDUCE_ROWS(NPP_RAISING_REDUCE_DEVICE_KERNEL, __VA_ARGS__)
