// Splits one call of a NumPy loop over several threads: the outer dimension is cut into pieces,
// where the operands' memory permits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "numpy_plugin/kernel/kernel.hpp"
#include "numpy_plugin/run/cpu/reduce/number_reductions.hpp"
#include "numpy_plugin/run/cpu/sharing.hpp"

namespace numpy_plugin::run {

class SizedVariants;

// NumPy's loop signature (args, dimensions, steps, data); strides are in bytes.
using LoopFunction = void(char**, const std::intptr_t*, const std::intptr_t*, void*);

struct LoopOperand {
  std::intptr_t n_bytes = 0;            // of one element
  bool is_output = false;               // or a writable input
  std::vector<std::size_t> core_names;  // of each core dimension: its size is dimensions[1 + name]
  bool is_read = true;                  // whether calls may depend on what was there
};

// A loop and the properties of its operands that splitting depends on.
struct ParallelLoop {
  LoopFunction* loop = nullptr;
  std::vector<LoopOperand> operands;  // inputs, then outputs
  std::size_t n_names = 0;            // number of core dimension names: 0 for elementwise loops
  bool can_raise = false;             // reported in raised_error()
  bool prints = false;                // runs in the calling thread, in order
  std::optional<LeastWork> least_work = {};  // that is shared; nullopt: one thread does everything
  void* data = nullptr;                      // of `loop`
  // Written in every call, the rest never: in a cache line of its own.
  alignas(64) mutable ElementCost cost = {};
  mutable std::array<ElementCost, 3> line_costs = {};  // by LineForm of kept_calls.hpp
  std::optional<Summand> summand = {};                 // of sums: their reductions follow a tree
  std::shared_ptr<SizedVariants> variants = nullptr;   // null where there are none
};

ParallelLoop make_parallel_loop(LoopFunction* loop, const declare::TypedKernel& kernel,
                                std::optional<LeastWork> least_work = {});

// Calls the loop for the whole outer dimension. Long calls are divided into pieces: interrupts are
// checked between them and end the call.
void run_interruptible_loop(char** args, const std::intptr_t* dimensions,
                            const std::intptr_t* steps, const ParallelLoop& loop);

// Calls the loop, on several threads if there is as much work as `least_work`. The outer dimension
// is split over the thread pool only where no outer element's outputs overlap another outer
// element; otherwise the calling thread makes one call. Floating-point flags raised by the pieces
// are set in the calling thread.
void run_parallel_loop(char** args, const std::intptr_t* dimensions, const std::intptr_t* steps,
                       const ParallelLoop& parallel);

// Long sums on several threads: parts of the pairwise tree, so that the bits are those of one
// thread.

// Whether a call of the loop reduces to a sum: the accumulator is its first input and its output.
bool is_reduced_sum(char* const* args, const std::intptr_t* steps, const ParallelLoop& loop);

// Whether such a call is apart from its accumulator, and long enough for threads.
bool is_shared_sum(char* const* args, const std::intptr_t* dimensions, const std::intptr_t* steps,
                   const ParallelLoop& loop);
void run_shared_sum(char* const* args, const std::intptr_t* dimensions, const std::intptr_t* steps,
                    const ParallelLoop& loop);

}  // namespace numpy_plugin::run
