// One call of a NumPy loop on several threads: the outer dimension is cut into pieces, where the
// operands' memory allows it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::run {

// NumPy's loop signature (args, dimensions, steps, data); the steps are in bytes.
using LoopFunction = void(char**, const std::intptr_t*, const std::intptr_t*, void*);

struct LoopOperand {
  std::intptr_t n_bytes = 0;  // of one element
  bool is_output = false;
  std::vector<std::size_t> core_names;  // of each core dimension: which size, dimensions[1 + name]
};

// A loop and what must be known of its operands to split a call.
struct ParallelLoop {
  LoopFunction* loop = nullptr;
  std::vector<LoopOperand> operands;  // inputs, then outputs
  std::size_t n_names = 0;            // core dimension names: 0 for an elementwise loop
  bool can_raise = false;             // into load::raised_error()
};

ParallelLoop make_parallel_loop(LoopFunction* loop, const declare::TypedKernel& kernel);

// Calls the loop for the whole outer dimension, in pieces where that takes long: the thread is
// asked between them whether it is interrupted, and does nothing more once it is.
void run_interruptible_loop(char** args, const std::intptr_t* dimensions,
                            const std::intptr_t* steps, const ParallelLoop& loop);

// Likewise on several threads. The outer dimension is split over the threads of the pool only where
// no outer element's outputs touch the memory of another outer element; else, and for little work,
// the caller's thread makes one call. The floating-point flags the pieces raise are the caller's
// afterwards.
void run_parallel_loop(char** args, const std::intptr_t* dimensions, const std::intptr_t* steps,
                       const ParallelLoop& parallel);

}  // namespace numpy_plugin::run
