// `reduceat`: one warp, or one thread in order, per segment of a line. A segment has the tree that
// its elements have as an array.
#pragma once

#include "npp/reduce/in_order.hpp"
#include "npp/reduce/rows.hpp"

namespace npp {

// Elements `begin` to `end` of a line: from one index to the next, of the last one to the line's
// end; of an index that is not below the next one, only its own element.
struct Segment {
  uint64 begin;
  uint64 end;
};

// The operand of indices is contiguous; `n_chunks` is their number.
template <class Kernel>
NPP_FUNCTION Segment find_segment(const typename Kernel::Arguments& arguments,
                                  const typename Kernel::Result& result) {
  constexpr int kOperand = Kernel::kInputs;
  const uint64 number = uint64(result.bytes[kOperand]) / sizeof(int64);
  const int64* const index = address<int64>(arguments.operands[kOperand]) + number;
  const bool is_last = number + 1 == arguments.n_chunks;
  const Segment found{uint64(index[0]), is_last ? uint64(arguments.reduced.n) : uint64(index[1])};
  return found.end > found.begin ? found : Segment{found.begin, found.begin + 1};
}

// The slots of one level of a segment's tree, four per lane, to which items are added in order.
template <class Tree>
struct SlotsOfWarp {
  using Item = typename Tree::Item;
  Item slots[kQuad];
  int n_items = 0;

  // An item of lane 0.
  NPP_FUNCTION void add(Errors& errors, const Item& of_first_lane) {
    const Item item = shuffle(0xffffffff, of_first_lane, 0);
    const int slot = n_items % kSlots;
#pragma unroll
    for (int i = 0; i < kQuad; ++i) {
      if (int(threadIdx.x % 32) * kQuad + i != slot) continue;
      slots[i] = n_items < kSlots ? item : Tree::join(errors, slots[i], item);
    }
    ++n_items;
  }

  // Their item, in lane 0; the slots are empty again.
  NPP_FUNCTION Item take(Errors& errors) {
    const int first = int(threadIdx.x % 32) * kQuad;
    const int count = n_items < kSlots ? n_items : kSlots;
    if (first < count) join_neighbours<Tree>(errors, slots, count - first);
    n_items = 0;
    return join_lanes<Tree>(errors, slots[0], count);
  }
};

template <class Kernel>
NPP_FUNCTION void run_reduce_segments(const typename Kernel::Arguments& arguments, Errors& errors) {
  using Number = typename Kernel::Number;
  using Item = typename Kernel::Item;
  using Tree = typename Kernel::Tree;
  constexpr int kLevels = 3;  // above the chunks: 2048^4 elements
  const uint64 number = uint64(blockIdx.x) * kReduceWarps + threadIdx.x / 32;
  if (number >= arguments.outputs.n) return;
  const auto result = Kernel::find_result(arguments, Number(number));
  const Segment segment = find_segment<Kernel>(arguments, result);
  SlotsOfWarp<Tree> levels[kLevels] = {};
  Item item = {};
  const bool has_levels = segment.end - segment.begin > kChunk;
#pragma unroll 1
  for (uint64 begin = segment.begin; begin < segment.end; begin += kChunk) {
    const ElementSource<Kernel, false> source(arguments, errors, result, Number(begin));
    item = reduce_by_warp<Tree>(errors, source, elements_of_chunk(segment.end - begin, 0));
    if (!has_levels) break;
    const bool is_last = segment.end - begin <= kChunk;
    bool goes_up = true;
#pragma unroll
    for (int level = 0; level < kLevels; ++level) {
      if (!goes_up) continue;
      levels[level].add(errors, item);
      goes_up = is_last || levels[level].n_items == kChunk;
      // A level of one item is its item: so is the root.
      if (goes_up) item = levels[level].take(errors);
    }
  }
  if (threadIdx.x % 32 == 0) Kernel::write_outputs(arguments, errors, result, item);
}

template <class Kernel>
NPP_FUNCTION void run_reduce_segments_in_order(const typename Kernel::Arguments& arguments,
                                               Errors& errors) {
  using Number = typename Kernel::Number;
  const uint64 number = uint64(blockIdx.x) * kReduceThreads + threadIdx.x;
  if (number >= arguments.outputs.n) return;
  const auto result = Kernel::find_result(arguments, Number(number));
  const Segment segment = find_segment<Kernel>(arguments, result);
  InOrder<Kernel> order{};
  order.take_all(arguments, errors, result, Number(segment.begin), Number(segment.end));
  Kernel::write_outputs(arguments, errors, result, order.value);
}

}  // namespace npp

#define NPP_REDUCE_SEGMENTS(make, name, run, ...)             \
  using name##_kernel = npp::ReduceKernel<__VA_ARGS__, 1>;    \
  using name##_arguments = typename name##_kernel::Arguments; \
  make(name, name##_arguments, run<name##_kernel>)
#define NPP_REDUCE_SEGMENTS_KERNEL(name, ...) \
  NPP_REDUCE_SEGMENTS(NPP_REDUCE_DEVICE_KERNEL, name, npp::run_reduce_segments, __VA_ARGS__)
#define NPP_RAISING_REDUCE_SEGMENTS_KERNEL(name, ...) \
  NPP_REDUCE_SEGMENTS(NPP_RAISING_REDUCE_DEVICE_KERNEL, name, npp::run_reduce_segments, __VA_ARGS__)
#define NPP_REDUCE_SEGMENTS_IN_ORDER_KERNEL(name, ...)                                   \
  NPP_REDUCE_SEGMENTS(NPP_REDUCE_DEVICE_KERNEL, name, npp::run_reduce_segments_in_order, \
                      __VA_ARGS__)
#define NPP_RAISING_REDUCE_SEGMENTS_IN_ORDER_KERNEL(name, ...)                                   \
  NPP_REDUCE_SEGMENTS(NPP_RAISING_REDUCE_DEVICE_KERNEL, name, npp::run_reduce_segments_in_order, \
                      __VA_ARGS__)
