// Reductions of mapped operands on the CPU: the loops of ufuncs, called for blocks that stay in the
// processor's cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "numpy_plugin/run/cpu/parallel_loop.hpp"
#include "numpy_plugin/run/cpu/per_operand.hpp"

namespace numpy_plugin::run {

// Elements of a reduction on the CPU, as accumulators: the map's values of the operands.

// A compiled loop of a reduction. Errors of its elements are left in raised_error(); after
// one, calls in this thread do nothing.
struct ReductionLoop {
  ParallelLoop loop;
  const declare::PythonKernel* kernel = nullptr;  // of loops that can raise

  void operator()(char** args, const std::intptr_t* steps, std::intptr_t n) const;
};

// An operand over the dimensions of the outputs, then the reduced ones; strides in bytes.
struct ReducedOperand {
  char* address = nullptr;
  std::vector<std::intptr_t> strides;
};

// `operands` are the map's, without its index, then the mask. Without a map they are the items of
// the accumulators themselves.
struct ReductionInput {
  std::vector<std::intptr_t> shape;
  std::size_t n_outer = 0;  // dimensions of the outputs
  std::vector<ReducedOperand> operands;
  std::vector<std::size_t> item_bytes;  // of the accumulators
  bool is_masked = false;
  bool has_index = false;  // the map's last input is the element's number
  const ReductionLoop* map = nullptr;
};

// Accumulators side by side, one array for each item of the tuple. `present` is null where all of
// them have a value.
struct Lanes {
  PerOperand<char*> items;
  std::uint8_t* present = nullptr;
};

// The lanes from number `first` on.
Lanes lanes_from(const Lanes& lanes, std::intptr_t first, std::span<const std::size_t> item_bytes);

// The most elements that one load() takes.
inline constexpr std::intptr_t kMaxLoad = 2048;

class ReductionSource {
 public:
  explicit ReductionSource(const ReductionInput& input);

  std::intptr_t n_outputs() const { return outputs_.n_elements; }
  std::intptr_t n_elements() const { return reduced_.n_elements; }  // of each output
  bool is_masked() const { return is_masked_; }
  std::span<const std::size_t> item_bytes() const { return item_bytes_; }
  // Whether outputs are reduced side by side: their elements are nearer to each other than those of
  // one output, or these are few.
  bool has_near_outputs() const;

  struct Position {
    std::intptr_t output;
    std::intptr_t element;
  };
  // Loads one output's elements, from `first` on.
  void load_elements(Position first, std::intptr_t n, const Lanes& to) const;
  // Loads the same element of consecutive outputs.
  void load_outputs(Position first, std::intptr_t n, const Lanes& to) const;

 private:
  // Some of the dimensions, merged where all operands permit; the innermost one is last.
  struct Dimensions {
    std::vector<std::intptr_t> sizes;
    std::vector<std::vector<std::intptr_t>> strides;  // of each dimension, of each operand
    std::intptr_t n_elements = 1;

    void add(std::intptr_t size, std::vector<std::intptr_t> of_operands);
    // Moves addresses to an element; returns how many follow it in the innermost dimension,
    // including itself.
    std::intptr_t advance(std::intptr_t element, PerOperand<char*>& addresses) const;
    std::span<const std::intptr_t> inner_strides() const { return strides.back(); }
  };
  struct Run;  // elements of one innermost dimension

  static Dimensions dimensions(const ReductionInput& input, std::size_t begin, std::size_t end);
  void load(const Dimensions& along, std::intptr_t first, const PerOperand<char*>& addresses,
            const Run& run) const;
  void load_run(const Run& run) const;
  void load_present(const Run& run) const;
  void map(const Run& run) const;
  void copy(const Run& run) const;

  PerOperand<char*> addresses_;
  Dimensions outputs_;
  Dimensions reduced_;
  std::vector<std::size_t> item_bytes_;
  bool is_masked_;
  bool has_index_;
  const ReductionLoop* map_;
};

struct MapReduce {
  ReductionInput input;
  ReductionLoop combine;
  // One accumulator to begin with, an address for each item; empty: every output has an element.
  std::vector<char*> initial;
  // From the accumulators to the results; its loop is null where these are the same.
  ReductionLoop finish;
  std::vector<std::size_t> result_bytes;  // of each result's element
  // One contiguous array for each result, over the outputs.
  std::vector<char*> results;
  bool is_parallel = false;  // uses the thread pool where it pays
};

// Errors of elements are left in raised_error(), and the results undefined. Throws
// system::Interruption.
void run_map_reduce(const MapReduce& call);

}  // namespace numpy_plugin::run
