// One thread per result, adjacent threads on adjacent results: for reduced dimensions whose
// elements are further apart than the results, and for short ones. The slots of a chunk are shared
// by the warps of a team, each of which combines a subtree.
#pragma once

#include "npp/reduce/levels.hpp"

namespace npp {

// The item of a chunk of `count` elements per thread, in the first warp of a team of 8, which is
// the block.
template <class Tree, class Source>
NPP_FUNCTION typename Tree::Item reduce_by_block(Errors& errors, const Source& source, int count) {
  using Item = typename Tree::Item;
  constexpr int kPart = kSlots / kReduceWarps;
  __shared__ Item parts[kReduceWarps][32];
  const int warp = int(threadIdx.x / 32), lane = int(threadIdx.x % 32);
  Item item = {};
  if (warp * kPart < count) {
    item = subtree_of_slots<Tree, kPart>(errors, source, warp * kPart, count);
    parts[warp][lane] = item;
  }
  __syncthreads();
  if (warp != 0) return item;
  Item items[kReduceWarps];
#pragma unroll
  for (int i = 0; i < kReduceWarps; ++i) {
    if (i * kPart < count) items[i] = parts[i][lane];
  }
  join_neighbours<Tree>(errors, items, (count + kPart - 1) / kPart);
  return items[0];
}

// A chunk of 32 results by a team of 1 or 8 warps.
template <int kTeam>
struct ByTeam {
  static_assert(kTeam == 1 || kTeam == kReduceWarps);
  template <class Tree, class Source>
  NPP_FUNCTION static typename Tree::Item reduce(Errors& errors, const Source& source, int count) {
    if constexpr (kTeam == 1)
      return subtree_of_slots<Tree, kSlots>(errors, source, 0, count);
    else
      return reduce_by_block<Tree>(errors, source, count);
  }
  template <class Level, class Item>
  NPP_FUNCTION static bool publish(const Level& level, const Item& item, bool is_writer,
                                   int n_members) {
    if (is_writer) *level.item() = item;
    __threadfence();  // all lanes have written
    if constexpr (kTeam == 1) {
      __syncwarp();
      return follow_first_lane(threadIdx.x % 32 == 0 && is_last(level.ticket(), n_members));
    } else {
      __shared__ bool is_last_of_block;
      __syncthreads();
      if (threadIdx.x == 0) is_last_of_block = is_last(level.ticket(), n_members);
      __syncthreads();
      return is_last_of_block;
    }
  }
  NPP_FUNCTION static uint64 number() {
    if constexpr (kTeam == 1)
      return uint64(blockIdx.x) * kReduceWarps + threadIdx.x / 32;
    else
      return uint64(blockIdx.x);
  }
  // Whether the thread has a chunk's item in the end.
  NPP_FUNCTION static bool has_item() { return kTeam == 1 || threadIdx.x < 32; }
};

template <class Kernel, int kTeam>
NPP_FUNCTION void run_reduce_columns(const typename Kernel::Arguments& arguments, Errors& errors) {
  using Number = typename Kernel::Number;
  using Item = typename Kernel::Item;
  using Form = ByTeam<kTeam>;
  const uint64 n_results = arguments.outputs.n;
  const uint64 n_strips = (n_results + 31) / 32;  // of 32 results
  const uint64 team = Form::number();
  if (team >= n_strips * arguments.n_chunks) return;
  const uint64 chunk = team / n_strips;
  const uint64 strip = team - chunk * n_strips;
  const uint64 column = strip * 32 + threadIdx.x % 32;
  // Threads beyond the last result repeat it.
  const bool is_own = column < n_results;
  const uint64 number = is_own ? column : n_results - 1;
  const bool is_writer = is_own && Form::has_item();
  const auto result = Kernel::find_result(arguments, Number(number));
  LevelSource<ElementSource<Kernel, false>, Item> source{
      {arguments, errors, result, Number(chunk * kChunk)}};
  const Level<Item> level = {bit_cast<Item*>(arguments.scratch),
                             bit_cast<uint32*>(arguments.tickets),
                             n_results,
                             n_strips,
                             arguments.n_chunks,
                             chunk,
                             number,
                             strip};
  const int count = elements_of_chunk(arguments.reduced.n, chunk);
  Item item;
  const bool has_result =
      reduce_levels<typename Kernel::Tree, Form>(errors, source, level, count, is_writer, item);
  if (has_result && is_writer) Kernel::store(arguments, errors, result, item);
}

}  // namespace npp

#define NPP_REDUCE_COLUMNS(make, name, team, ...)             \
  using name##_kernel = npp::ReduceKernel<__VA_ARGS__>;       \
  using name##_arguments = typename name##_kernel::Arguments; \
  make(name, name##_arguments, npp::run_reduce_columns<name##_kernel, team>)
#define NPP_REDUCE_COLUMNS_KERNEL(...) NPP_REDUCE_COLUMNS(NPP_CHUNKS_DEVICE_KERNEL, __VA_ARGS__)
#define NPP_RAISING_REDUCE_COLUMNS_KERNEL(...) \
  NPP_REDUCE_COLUMNS(NPP_RAISING_CHUNKS_DEVICE_KERNEL, __VA_ARGS__)
