// Chunks of one result in one launch: whoever finishes the last chunk of a group of up to 2048
// reduces the group's items, and so on up to the result.
//
// `scratch` holds the items of level 1, one per chunk and result, then those of level 2, one per
// group, and so on; `tickets` one counter per group and result in the same order, zero at first.
#pragma once

#include "npp/reduce/sources.hpp"

namespace npp {

// The position of a chunk among those of its level. Adjacent results have adjacent items, and
// `n_counted` groups of results tickets of their own.
template <class Item>
struct Level {
  Item* items;
  uint32* tickets;
  uint64 n_results;
  uint64 n_counted;
  uint64 n_chunks;  // per result
  uint64 chunk;
  uint64 result;
  uint64 counted;  // the number of the result's group

  NPP_FUNCTION bool is_root() const { return n_chunks == 1; }
  NPP_FUNCTION uint64 n_groups() const { return (n_chunks + kChunk - 1) / kChunk; }
  NPP_FUNCTION uint64 group() const { return chunk / kChunk; }
  // Chunks in this chunk's group.
  NPP_FUNCTION int n_members() const {
    const uint64 left = n_chunks - group() * kChunk;
    return left < kChunk ? int(left) : kChunk;
  }
  NPP_FUNCTION Item* item() const { return items + chunk * n_results + result; }
  NPP_FUNCTION Item* items_of_group() const {
    return items + group() * kChunk * n_results + result;
  }
  NPP_FUNCTION uint32* ticket() const { return tickets + group() * n_counted + counted; }
  NPP_FUNCTION void go_up() {
    const uint64 groups = n_groups(), own = group();
    items += n_results * n_chunks;
    tickets += n_counted * groups;
    chunk = own;
    n_chunks = groups;
  }
};

// Whether the calling thread is the last of `n_members` to take a ticket. What it wrote before is
// visible to the last one, and what the others wrote to it.
NPP_FUNCTION bool is_last(uint32* ticket, int n_members) {
  __threadfence();
  const bool result = atomicAdd(ticket, 1u) == uint32(n_members) - 1;
  __threadfence();
  return result;
}

// Likewise for a warp, whose other lanes follow lane 0.
NPP_FUNCTION bool is_last_warp(uint32* ticket, int n_members) {
  __syncwarp();
  uint32 last = 0;
  if (threadIdx.x % 32 == 0) last = is_last(ticket, n_members);
  last = __shfl_sync(0xffffffff, last, 0);
  __syncwarp();
  return last != 0;
}

// Elements of a result's chunk.
NPP_FUNCTION int elements_of_chunk(uint64 length, uint64 chunk) {
  const uint64 left = length - chunk * kChunk;
  return left < kChunk ? int(left) : kChunk;
}

// Reduces a chunk of `count` elements and, where it is the last of its group that is finished, the
// group's items, and so on. Returns whether `item` is the result, in the threads that are writers.
// Form: how many threads reduce a chunk together.
template <class Tree, class Form, class Source>
NPP_FUNCTION bool reduce_levels(Errors& errors, Source& source, Level<typename Tree::Item> level,
                                int count, bool is_writer, typename Tree::Item& item) {
#pragma unroll 1
  while (true) {
    item = Form::template reduce<Tree>(errors, source, count);
    if (level.is_root()) return true;
    if (is_writer) {
      *level.item() = item;
      __threadfence();
    }
    count = level.n_members();
    if (!Form::is_last(level.ticket(), count)) return false;
    source.items = level.items_of_group();
    source.stride = level.n_results;
    level.go_up();
  }
}

// Defines a reduction's device kernel, with and without errors.
#define NPP_REDUCE_DEVICE_KERNEL(name, ArgumentsType, ...)          \
  extern "C" __global__ void __launch_bounds__(npp::kReduceThreads) \
      name(const __grid_constant__ ArgumentsType arguments) {       \
    npp::Errors errors;                                             \
    __VA_ARGS__(arguments, errors);                                 \
  }
#define NPP_RAISING_REDUCE_DEVICE_KERNEL(name, ArgumentsType, ...)                 \
  extern "C" __global__ void __launch_bounds__(npp::kReduceThreads)                \
      name(const __grid_constant__ ArgumentsType arguments, npp::Errors* record) { \
    npp::Errors errors;                                                            \
    __VA_ARGS__(arguments, errors);                                                \
    npp::store_errors(record, errors);                                             \
  }

}  // namespace npp
