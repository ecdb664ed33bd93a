// Generalized kernels on devices: loops split among threads, items staged in shared memory,
// products of matrices.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "numpy_plugin/analysis/tree.hpp"
#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::analysis {

// Finds loops of a generalized Python kernel whose iterations are independent, so that a device can
// run each in its own thread with identical results: the body's only loop and, where its body is
// again a single loop, that one.

struct SplitLoop {
  int local = 0;  // the loop's variable
  int name = 0;   // into CoreSignature::names: every written output has this dimension, indexed
                  // by the variable; its size is the number of threads
  int axis = -1;  // position of that dimension in the first output; -1 if missing
};

struct SplitLoops {
  std::vector<SplitLoop> loops;  // outermost first; empty where nothing can be split
  std::string reason;            // why the next inner loop is not split, as text; empty where
                                 // there is none
};

SplitLoops find_split_loops(const declare::TypedKernel& kernel);

// Loop-carried dependences: locals that the loop body assigns and some path reads first, and local
// arrays created before the loop. None where every read finds a value assigned by its own
// iteration.
std::vector<int> find_carried_locals(const declare::Function& function, const Block& body);

// The function of a single thread, for kernels whose loops are split among threads. One iteration
// of the loops: the kernel's function with their variables as additional parameters. Statements
// before a loop are repeated in every iteration.
declare::Function iteration_function(const declare::TypedKernel& kernel,
                                     const std::vector<SplitLoop>& loops);

// Orders a function's locals, the first of which are its parameters: makes these locals the first
// ones; the others follow in their order.
void put_first(declare::Function& function, std::vector<int> order);

// Finds the outputs of a generalized kernel that do not depend on what was in their memory. Whether
// every call writes every element of the output before reading it; false if uncertain, as for a C++
// body.
bool is_wholly_written(const declare::TypedKernel& kernel, int output);

// Whether the items of a generalized kernel can be staged in shared memory: small core arrays of
// fixed sizes, and outputs whose elements are all written before they are read, since previous
// contents are not loaded. Why they cannot, as text; empty where they can.
std::string staging_obstacle(const declare::TypedKernel& kernel);

// Recognizes generalized kernels of the form of a matrix product: each element of the outputs is
// computed from one total, to which a loop over a core dimension adds a term of one element of each
// of two inputs. The terms need not be products.

// An input of the terms: its dimension indexed by a split loop, and the one indexed by the sum's.
struct ProductOperand {
  int input = 0;
  int line_axis = 0;
  int depth_axis = 0;
};

struct MatrixProduct {
  SplitLoop rows, columns;     // the split loops; adjacent columns are closer in the first output
  int depth_name = 0;          // of the sum's core dimension
  ProductOperand left, right;  // the inputs indexed by rows, and by columns
  base::DType left_dtype{}, right_dtype{}, total_dtype{};
  // Parts of the kernel: the total's start value, without parameters; the next total, of the
  // previous one and an element of each input; everything after the sum, of the kernel's operands,
  // the row, the column and the total.
  declare::Function start, step, finish;
  std::string reason;  // why the kernel is none, as text; else empty, and all others are set
};

MatrixProduct find_matrix_product(const declare::TypedKernel& kernel);

// Sides of tiles for DeviceForm::tile_items: kTileLanes times each, largest first.
inline constexpr int kTileLanes = 16;
inline constexpr int kTileItems[] = {8, 4, 2};
// The largest for which a thread's totals fit into registers.
int most_tile_items(const MatrixProduct& product);

// Holds elements of outputs in locals while a loop reads and stores them in each trip, as
// `out[i] += a[i, j]` does: compilers can't, as `a` might be in the same memory.
void hold_elements(declare::TypedKernel& kernel);

}  // namespace numpy_plugin::analysis
