// Recognizes generalized kernels of the form of a matrix product: each element of the outputs is
// computed from one total, to which a loop over a core dimension adds a term of one element of
// each of two inputs. The terms need not be products.
#pragma once

#include <string>

#include "numpy_plugin/analysis/split_loops.hpp"

namespace numpy_plugin::analysis {

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

}  // namespace numpy_plugin::analysis
