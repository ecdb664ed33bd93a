// Reductions of mapped operands on the CPU: the loops of ufuncs, called for blocks that stay in the
// processor's cache.
#pragma once

#include "numpy_plugin/run/cpu/reduce/reduction_source.hpp"

namespace numpy_plugin::run {

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
