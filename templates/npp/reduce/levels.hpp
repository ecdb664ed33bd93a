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
template <class Item, class Number = uint64>
struct Level {
  Item* items;
  uint32* tickets;
  Number n_results;
  Number n_counted;
  Number n_chunks;  // per result
  Number chunk;
  Number result;
  Number counted;  // the number of the result's group

  NPP_FUNCTION bool is_root() const { return n_chunks == 1; }
  NPP_FUNCTION Number n_groups() const { return (n_chunks + kChunk - 1) / kChunk; }
  NPP_FUNCTION Number group() const { return chunk / kChunk; }
  // Chunks in this chunk's group.
  NPP_FUNCTION int n_members() const {
    const Number left = n_chunks - group() * kChunk;
    return left < kChunk ? int(left) : kChunk;
  }
  NPP_FUNCTION Item* item() const { return items + (chunk * n_results + result); }
  NPP_FUNCTION Item* items_of_group() const {
    return items + (group() * kChunk * n_results + result);
  }
  NPP_FUNCTION uint32* ticket() const { return tickets + (group() * n_counted + counted); }
  NPP_FUNCTION void go_up() {
    const Number groups = n_groups(), own = group();
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
  if (atomicAdd(ticket, 1u) != uint32(n_members) - 1) return false;
  __threadfence();
  return true;
}

// Whether lane 0 is the last; the warp's other lanes follow it.
NPP_FUNCTION bool follow_first_lane(bool is_last) {
  const bool result = __shfl_sync(0xffffffff, uint32(is_last), 0) != 0;
  __syncwarp();
  return result;
}

// Elements of a result's chunk.
template <class Number>
NPP_FUNCTION int elements_of_chunk(Number length, Number chunk) {
  const Number left = length - chunk * kChunk;
  return left < kChunk ? int(left) : kChunk;
}

// Reduces a chunk of `count` elements and, where it is the last of its group that is finished, the
// group's items, and so on. Returns whether `item` is the result, in the threads that are writers.
// Form: how many threads reduce a chunk together; it publishes items, and returns whether they are
// the last of a group.
template <class Tree, class Form, class Source, class Number>
NPP_FUNCTION bool reduce_levels(Errors& errors, Source& source,
                                Level<typename Tree::Item, Number> level, int count, bool is_writer,
                                typename Tree::Item& item) {
#pragma unroll 1
  while (true) {
    item = Form::template reduce<Tree>(errors, source, count);
    if (level.is_root()) return true;
    count = level.n_members();
    if (!Form::publish(level, item, is_writer, count)) return false;
    source.items = {level.items_of_group(), level.n_results};
    level.go_up();
  }
}

// Blocks of rows and columns that a multiprocessor has at least. With more, registers would not do
// for the bytes in flight; where nothing is said, the compiler saves some and spills others.
template <class Kernel>
inline constexpr int kChunkBlocks = Kernel::kIsMasked || !Kernel::Tree::kIsSimple ? 1
                                    : sizeof(typename Kernel::Item) <= 4          ? 4
                                    : sizeof(typename Kernel::Item) <= 8          ? 3
                                                                                  : 1;

// Defines a reduction's device kernel, with and without errors.
#define NPP_BOUNDED_REDUCE_KERNEL(blocks, name, ArgumentsType, ...)         \
  extern "C" __global__ void __launch_bounds__(npp::kReduceThreads, blocks) \
      name(const __grid_constant__ ArgumentsType arguments) {               \
    npp::Errors errors;                                                     \
    __VA_ARGS__(arguments, errors);                                         \
  }
#define NPP_BOUNDED_RAISING_REDUCE_KERNEL(blocks, name, ArgumentsType, ...)        \
  extern "C" __global__ void __launch_bounds__(npp::kReduceThreads, blocks)        \
      name(const __grid_constant__ ArgumentsType arguments, npp::Errors* record) { \
    npp::Errors errors;                                                            \
    __VA_ARGS__(arguments, errors);                                                \
    npp::store_errors(record, errors);                                             \
  }
#define NPP_REDUCE_DEVICE_KERNEL(...) NPP_BOUNDED_REDUCE_KERNEL(1, __VA_ARGS__)
#define NPP_RAISING_REDUCE_DEVICE_KERNEL(...) NPP_BOUNDED_RAISING_REDUCE_KERNEL(1, __VA_ARGS__)
#define NPP_CHUNKS_DEVICE_KERNEL(name, ...) \
  NPP_BOUNDED_REDUCE_KERNEL(npp::kChunkBlocks<name##_kernel>, name, __VA_ARGS__)
#define NPP_RAISING_CHUNKS_DEVICE_KERNEL(name, ...) \
  NPP_BOUNDED_RAISING_REDUCE_KERNEL(npp::kChunkBlocks<name##_kernel>, name, __VA_ARGS__)

}  // namespace npp
