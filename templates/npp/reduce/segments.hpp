// `reduceat`: a team per chunk of a segment, whose lanes are on adjacent elements, or on adjacent
// lines; or one thread per segment, in order. A segment has the tree that its elements have as an
// array.
//
// Every segment has a team for its first chunk. Where the indices ascend, chunks that are not their
// segment's first and begin in the same 2048 elements of the line are at most one: each 2048
// elements have a team for it, which finds the segment by the indices. So long segments have as
// many teams as they need, whatever the lengths of the others. Else all segments have the same
// number of teams, enough for the longest.
#pragma once

#include "npp/reduce/columns.hpp"
#include "npp/reduce/in_order.hpp"
#include "npp/reduce/rows.hpp"

namespace npp {

// Elements `begin` to `end` of a line: from one index to the next, of the last one to the line's
// end; of an index that is not below the next one, only its own element.
struct Segment {
  uint64 begin;
  uint64 end;
};

template <class Arguments>
NPP_FUNCTION Segment find_segment(const Arguments& arguments, uint64 number) {
  const int64* const index = bit_cast<const int64*>(arguments.indices) + number;
  const bool is_last = number + 1 == arguments.n_indices;
  const Segment found{uint64(index[0]), is_last ? uint64(arguments.reduced.n) : uint64(index[1])};
  return found.end > found.begin ? found : Segment{found.begin, found.begin + 1};
}

// The number of ascending indices that are less than `limit`, by the lanes of a warp together.
NPP_FUNCTION uint64 count_below(const int64* indices, uint64 n, uint64 limit) {
  const uint64 lane = threadIdx.x % 32;
  uint64 low = 0, high = n;  // indices before `low` are below, those from `high` on are not
#pragma unroll 1
  while (low < high) {
    const uint64 step = (high - low + 31) / 32;
    const uint64 at = low + lane * step;
    const bool is_below = at < high && uint64(indices[at]) < limit;
    const int n_below = __popc(__ballot_sync(0xffffffff, is_below));
    const uint64 next = low + uint64(n_below) * step;
    if (next < high) high = next;
    if (n_below > 0) low += uint64(n_below - 1) * step + 1;
  }
  return low;
}

// A chunk of a segment.
struct SegmentChunk {
  uint64 number;  // of the segment
  Segment segment;
  uint64 chunk;

  NPP_FUNCTION uint64 begin() const { return segment.begin + chunk * kChunk; }
  NPP_FUNCTION bool is_there() const { return begin() < segment.end; }
  NPP_FUNCTION uint64 n_chunks() const {
    return (segment.end - segment.begin + kChunk - 1) / kChunk;
  }
};

// The chunk of a team, the same for all threads of a warp.
template <class Arguments>
NPP_FUNCTION SegmentChunk find_chunk(const Arguments& arguments, uint64 team) {
  uint64 number = team, chunk = 0;
  if (team >= arguments.n_segments) {
    const uint64 other = team - arguments.n_segments;
    if (arguments.most_chunks == 0) {
      const uint64 limit = (other + 1) * kChunk;
      const auto* const indices = bit_cast<const int64*>(arguments.indices);
      const uint64 n_below = count_below(indices, arguments.n_segments, limit);
      if (n_below == 0) return {0, {0, 0}, 0};
      number = n_below - 1;
      chunk = (limit - uint64(indices[number]) + kChunk - 1) / kChunk;
    } else {
      number = other / (arguments.most_chunks - 1);
      chunk = other - number * (arguments.most_chunks - 1) + 1;
    }
  }
  return {number, find_segment(arguments, number), chunk};
}

// Items and tickets of a segment with several chunks: it needs less than twice as many items as it
// has chunks, and less tickets than chunks. Segments of ascending indices do not overlap.
template <class Item, class Arguments>
NPP_FUNCTION Level<Item> level_of(const Arguments& arguments, const SegmentChunk& chunk,
                                  uint64 line, uint64 n_counted, uint64 counted) {
  const uint64 n_lines = arguments.outputs.n;
  const uint64 first = arguments.most_chunks == 0 ? chunk.segment.begin / kChunk
                                                  : chunk.number * arguments.most_chunks;
  return {bit_cast<Item*>(arguments.scratch) + 2 * first * n_lines,
          bit_cast<uint32*>(arguments.tickets) + first * n_counted,
          n_lines,
          n_counted,
          chunk.n_chunks(),
          chunk.chunk,
          line,
          counted};
}

template <class Kernel, class Form>
NPP_FUNCTION void reduce_segment(const typename Kernel::Arguments& arguments, Errors& errors,
                                 const SegmentChunk& chunk,
                                 const Level<typename Kernel::Item>& level, bool is_writer) {
  using Number = typename Kernel::Number;
  using Item = typename Kernel::Item;
  auto result = Kernel::find_result(arguments, Number(level.result));
  LevelSource<ElementSource<Kernel, false>, Item> source{
      {arguments, errors, result, Number(chunk.begin())}};
  const int count = elements_of_chunk(chunk.segment.end - chunk.segment.begin, chunk.chunk);
  Item item;
  const bool has_result =
      reduce_levels<typename Kernel::Tree, Form>(errors, source, level, count, is_writer, item);
  if (has_result && is_writer)
    Kernel::write_at(arguments, errors, result, chunk.number, arguments.segment_stride, item);
}

// Lanes on adjacent elements.
template <class Kernel>
NPP_FUNCTION void run_reduce_segments(const typename Kernel::Arguments& arguments, Errors& errors) {
  using Item = typename Kernel::Item;
  const uint64 n_lines = arguments.outputs.n;
  const uint64 warp = uint64(blockIdx.x) * kReduceWarps + threadIdx.x / 32;
  if (warp >= n_lines * arguments.n_chunks) return;
  const uint64 line = warp / arguments.n_chunks;
  const SegmentChunk chunk = find_chunk(arguments, warp - line * arguments.n_chunks);
  if (!chunk.is_there()) return;
  const auto level = level_of<Item>(arguments, chunk, line, n_lines, line);
  reduce_segment<Kernel, ByWarp>(arguments, errors, chunk, level, threadIdx.x % 32 == 0);
}

// Lanes on adjacent lines.
template <class Kernel, int kTeam>
NPP_FUNCTION void run_reduce_column_segments(const typename Kernel::Arguments& arguments,
                                             Errors& errors) {
  using Item = typename Kernel::Item;
  using Form = ByTeam<kTeam>;
  const uint64 n_lines = arguments.outputs.n;
  const uint64 n_strips = (n_lines + 31) / 32;
  if (Form::number() >= n_strips * arguments.n_chunks) return;
  const uint64 team = Form::number() / n_strips;
  const uint64 strip = Form::number() - team * n_strips;
  const SegmentChunk chunk = find_chunk(arguments, team);
  if (!chunk.is_there()) return;
  const uint64 column = strip * 32 + threadIdx.x % 32;
  const bool is_own = column < n_lines;
  const auto level =
      level_of<Item>(arguments, chunk, is_own ? column : n_lines - 1, n_strips, strip);
  reduce_segment<Kernel, Form>(arguments, errors, chunk, level, is_own && Form::has_item());
}

template <class Kernel>
NPP_FUNCTION void run_reduce_segments_in_order(const typename Kernel::Arguments& arguments,
                                               Errors& errors) {
  using Number = typename Kernel::Number;
  const uint64 n_lines = arguments.outputs.n, n_segments = arguments.n_segments;
  const uint64 thread = uint64(blockIdx.x) * kReduceThreads + threadIdx.x;
  if (thread >= n_lines * n_segments) return;
  const bool has_columns = arguments.most_chunks != 0;  // adjacent threads on adjacent lines
  const uint64 number = has_columns ? thread / n_lines : thread % n_segments;
  const uint64 line = has_columns ? thread - number * n_lines : thread / n_segments;
  const auto result = Kernel::find_result(arguments, Number(line));
  const Segment segment = find_segment(arguments, number);
  InOrder<Kernel> order{};
  order.take_all(arguments, errors, result, Number(segment.begin), Number(segment.end));
  Kernel::write_at(arguments, errors, result, number, arguments.segment_stride, order.value);
}

}  // namespace npp

#define NPP_REDUCE_SEGMENTS(make, name, run, ...)             \
  using name##_kernel = npp::ReduceKernel<__VA_ARGS__>;       \
  using name##_arguments = typename name##_kernel::Arguments; \
  make(name, name##_arguments, run<name##_kernel>)
#define NPP_REDUCE_COLUMN_SEGMENTS(make, name, team, ...)     \
  using name##_kernel = npp::ReduceKernel<__VA_ARGS__>;       \
  using name##_arguments = typename name##_kernel::Arguments; \
  make(name, name##_arguments, npp::run_reduce_column_segments<name##_kernel, team>)
#define NPP_REDUCE_SEGMENTS_KERNEL(name, ...) \
  NPP_REDUCE_SEGMENTS(NPP_REDUCE_DEVICE_KERNEL, name, npp::run_reduce_segments, __VA_ARGS__)
#define NPP_RAISING_REDUCE_SEGMENTS_KERNEL(name, ...) \
  NPP_REDUCE_SEGMENTS(NPP_RAISING_REDUCE_DEVICE_KERNEL, name, npp::run_reduce_segments, __VA_ARGS__)
#define NPP_REDUCE_COLUMN_SEGMENTS_KERNEL(...) \
  NPP_REDUCE_COLUMN_SEGMENTS(NPP_REDUCE_DEVICE_KERNEL, __VA_ARGS__)
#define NPP_RAISING_REDUCE_COLUMN_SEGMENTS_KERNEL(...) \
  NPP_REDUCE_COLUMN_SEGMENTS(NPP_RAISING_REDUCE_DEVICE_KERNEL, __VA_ARGS__)
#define NPP_REDUCE_SEGMENTS_IN_ORDER_KERNEL(name, ...)                                   \
  NPP_REDUCE_SEGMENTS(NPP_REDUCE_DEVICE_KERNEL, name, npp::run_reduce_segments_in_order, \
                      __VA_ARGS__)
#define NPP_RAISING_REDUCE_SEGMENTS_IN_ORDER_KERNEL(name, ...)                                   \
  NPP_REDUCE_SEGMENTS(NPP_RAISING_REDUCE_DEVICE_KERNEL, name, npp::run_reduce_segments_in_order, \
                      __VA_ARGS__)
