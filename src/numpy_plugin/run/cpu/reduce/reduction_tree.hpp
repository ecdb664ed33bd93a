// The order in which a reduction combines its elements, the same on every target: in a chunk of
// 2048 elements slot i mod 128 takes element i, in order; neighbouring slots are combined, then
// neighbouring pairs, and so on, the earlier operand on the left. The chunks' values are reduced
// in the same way. Absent elements are skipped.
#pragma once

#include "numpy_plugin/run/cpu/reduce/map_reduce.hpp"

namespace numpy_plugin::run {

inline constexpr std::intptr_t kChunkElements = 2048;
inline constexpr std::intptr_t kSlots = 128;

// Storage of accumulators.
class LaneBuffer {
 public:
  LaneBuffer(std::span<const std::size_t> item_bytes, std::intptr_t n_lanes, bool is_masked);
  LaneBuffer(LaneBuffer&&) noexcept = default;  // vectors keep their memory
  LaneBuffer(const LaneBuffer&) = delete;

  const Lanes& lanes() const { return lanes_; }
  operator const Lanes&() const { return lanes_; }

 private:
  std::vector<std::vector<char>> items_;
  std::vector<std::uint8_t> present_;
  Lanes lanes_;
};

// The combining function on lanes.
class Combiner {
 public:
  Combiner(const ReductionLoop& loop, std::span<const std::size_t> item_bytes)
      : loop_(loop), item_bytes_(item_bytes) {}

  // to = combine(to, from); where one is absent, the other.
  void accumulate(const Lanes& to, const Lanes& from, std::intptr_t n) const;
  // to = combine(from, to), likewise.
  void prepend(const Lanes& to, const Lanes& from, std::intptr_t n) const;
  // Combines slots, of which the first n were loaded, to the first lane of the result, which is one
  // of the two buffers.
  const Lanes& combine_slots(const Lanes& slots, const Lanes& other, std::intptr_t n) const;
  void copy(const Lanes& to, const Lanes& from, std::intptr_t n) const;

 private:
  struct Operand {
    const Lanes& lanes;
    std::intptr_t step = 1;  // in lanes
  };
  void call(Operand left, Operand right, const Lanes& to, std::intptr_t n) const;
  void combine_pairs(const Lanes& from, const Lanes& to, std::intptr_t n_pairs) const;
  template <class Call>
  void combine_present(const Lanes& to, const Lanes& from, std::intptr_t n,
                       const Call& call_both) const;
  Lanes at(const Lanes& lanes, std::intptr_t first) const {
    return lanes_from(lanes, first, item_bytes_);
  }

  const ReductionLoop& loop_;
  std::span<const std::size_t> item_bytes_;
};

// Reduces chunks, one at a time, in buffers of its own.
class ChunkReducer {
 public:
  // The most outputs that are reduced together.
  static constexpr std::intptr_t kMaxOutputs = 256;

  ChunkReducer(const ReductionSource& source, const ReductionLoop& combine);

  // A chunk of one output, to the first lane of `to`.
  void reduce_elements(std::intptr_t output, std::intptr_t chunk, const Lanes& to);
  // The same chunk of consecutive outputs, one a lane.
  void reduce_outputs(std::intptr_t first_output, std::intptr_t n, std::intptr_t chunk,
                      const Lanes& to);

 private:
  static constexpr std::size_t kLevels = 8;

  const ReductionSource& source_;
  Combiner combiner_;
  LaneBuffer loaded_;
  LaneBuffer slots_;
  std::vector<LaneBuffer> levels_;  // values of whole subtrees, made when first used
};

}  // namespace numpy_plugin::run
